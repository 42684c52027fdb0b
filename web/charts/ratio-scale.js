/** The logarithmic scale of ratios, and the labels beside it. */

/** Ratios that are worth a line, as many as fit. */
const STEPS = [1, 2, 5];

/**
 * @param {number} low
 * @param {number} high
 * @param {number} most how many
 */
export function ratioTicks(low, high, most) {
  const from = Math.floor(Math.log10(low));
  const to = Math.ceil(Math.log10(high));
  const all = [];
  for (let power = from; power <= to; power++) {
    for (const step of STEPS) all.push(Number(`${step}e${power}`));
  }
  const fitting = (/** @type {number[]} */ ticks) =>
    ticks.filter((tick) => tick >= low && tick <= high);
  if (fitting(all).length <= most) return fitting(all);
  const tens = fitting(all.filter((_, i) => i % STEPS.length === 0));
  const every = Math.ceil(tens.length / most);
  // 1 is always among them.
  const one = tens.indexOf(1);
  return tens.filter((_, i) => (i - one) % every === 0);
}

/** An interval that reaches further from all values is cut: of two processes it may be anything. */
const FURTHEST = 10;

/**
 * The values, their intervals, 1, and some room.
 * @param {{ value: number, interval?: [low: number, high: number] }[]} points
 * @returns {[low: number, high: number]}
 */
export function ratioDomain(points) {
  let [low, high] = [1, 1];
  for (const { value } of points) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const [least, most] = [low / FURTHEST, high * FURTHEST];
  for (const { interval = [1, 1] } of points) {
    low = Math.min(low, Math.max(least, interval[0]));
    high = Math.max(high, Math.min(most, interval[1]));
  }
  return [Math.min(0.8, low / 1.15), Math.max(1.25, high * 1.15)];
}

/**
 * Too long for its place: the middle is left out, since names differ at their ends.
 * @param {string} label
 * @param {number} most characters
 */
export function cut(label, most) {
  if (label.length <= most) return label;
  const tail = Math.floor((most - 1) / 2);
  return `${label.slice(0, most - 1 - tail)}…${label.slice(label.length - tail)}`;
}
