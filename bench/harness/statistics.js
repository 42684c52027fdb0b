/**
 * What samples tell. A fresh process is one observation: samples inside of one have the same heap
 * layout, the same compiled code and the same neighbours, and say less about the next process than
 * they seem to. No sample is dropped.
 */

import { coefficientOfVariation, mean, median, quantile } from 'simple-statistics';
import { CONFIDENCE } from './judging.js';
import { randomFrom } from './random.js';
import { farther, meanTest, welchTest } from './student.js';

export { excludesOne, holm } from './judging.js';
export { median };

/** @import { Interval } from './judging.js' */

/** Above this coefficient of variation between processes a result is noisy. */
export const NOISY = 0.05;

const BOOTSTRAPS = 500;

/** @param {number[][]} processes the samples of each */
export const observations = (processes) => processes.map((samples) => median(samples));

/**
 * The percentile bootstrap of the median, processes being drawn first and then samples in them.
 * Five processes give 94 % at most, whatever is asked for: half of all medians lie outside of what
 * was seen once in 16 times. It shows the spread; verdicts do not rest on it.
 * @param {number[][]} processes the samples of each
 * @param {{ seed?: number, confidence?: number, times?: number }} [options]
 * @returns {Interval}
 */
export function medianInterval(
  processes,
  { seed = 1, confidence = 0.95, times = BOOTSTRAPS } = {},
) {
  const random = randomFrom(seed);
  /** @template T @param {T[]} items @returns {T[]} */
  const drawn = (items) => items.map(() => items[Math.floor(random() * items.length)]);
  const medians = Array.from({ length: times }, () =>
    median(observations(drawn(processes).map(drawn))),
  );
  const tail = (1 - confidence) / 2;
  return [quantile(medians, tail), quantile(medians, 1 - tail)];
}

/** @param {number[]} values */
const logs = (values) => values.map((value) => Math.log(value));

/** @param {number[]} values */
const allEqual = (values) => values.every((value) => value === values[0]);

/**
 * Welch's t-test, the two-sided probability of means so far apart where there is no difference.
 * @param {number[]} a
 * @param {number[]} b
 * @returns {number | undefined} undefined when one of the sides is a single observation
 */
export function welchP(a, b) {
  if (a.length < 2 || b.length < 2) return undefined;
  if (allEqual(a) && allEqual(b)) return a[0] === b[0] ? 1 : 0;
  return welchTest(a, b).p;
}

/**
 * How far the mean of `a` minus that of `b` reaches by Welch's t.
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} confidence
 * @returns {Interval | undefined}
 */
export function differenceInterval(a, b, confidence) {
  if (a.length < 2 || b.length < 2) return undefined;
  if (allEqual(a) && allEqual(b)) return [a[0] - b[0], a[0] - b[0]];
  return welchTest(a, b).interval(confidence);
}

/**
 * @typedef {object} Ratio
 * @property {number} value how many times as much theirs takes: the geometric mean over processes
 * @property {Interval | undefined} interval undefined with a single process
 */

/**
 * Theirs over ours. Where both were interleaved in the same processes each process gives one ratio:
 * what slowed it down slowed both. The interval is Student's, of the logarithms: with five processes
 * a bootstrap would be too narrow.
 * @param {number[]} ours one observation a process
 * @param {number[]} theirs
 * @param {{ paired: boolean, confidence?: number }} options
 * @returns {Ratio | undefined} undefined when there is none: figures may be zero, or less
 */
export function ratioOf(ours, theirs, { paired, confidence = CONFIDENCE }) {
  if (ours.length === 0 || theirs.length === 0) return undefined;
  if (![...ours, ...theirs].every((value) => value > 0)) return undefined;
  const [a, b] = [logs(theirs), logs(ours)];
  const value = Math.exp(mean(a) - mean(b));
  /** @type {Interval | undefined} */
  let interval;
  if (paired) {
    const differences = a.map((log, i) => log - b[i]);
    if (allEqual(differences)) {
      interval = differences.length > 1 ? [differences[0], differences[0]] : undefined;
    } else {
      interval = meanTest(differences).interval(confidence);
    }
  } else {
    interval = differenceInterval(a, b, confidence);
  }
  return { value, interval: interval && [Math.exp(interval[0]), Math.exp(interval[1])] };
}

/** Processes a side, up to which all orders are counted. */
const EXACT = 20;

/**
 * Wilcoxon's rank-sum test, two-sided: says nothing but who was before whom, so one process that went
 * wrong cannot pull it. Exact, but where there are so many processes that the normal distribution is.
 * @param {number[]} a
 * @param {number[]} b
 */
export function rankSumP(a, b) {
  const all = [...a, ...b];
  const ranks = doubledRanks(all);
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const seen = ranks.slice(0, a.length).reduce((sum, rank) => sum + rank, 0);
  const middle = (total * a.length) / all.length;
  const distance = Math.abs(seen - middle);
  if (Math.max(a.length, b.length) > EXACT) {
    const average = total / all.length;
    const spread = ranks.reduce((sum, rank) => sum + (rank - average) ** 2, 0);
    const variance = (a.length * b.length * spread) / (all.length * (all.length - 1));
    // Of infinitely many degrees, Student's t is normal; a step of the doubled sum is 2 wide.
    return variance === 0 ? 1 : farther(Math.max(0, distance - 1) / Math.sqrt(variance), 1e9);
  }
  // ways[k][s]: how many choices of k values have ranks of the sum s.
  const ways = Array.from({ length: a.length + 1 }, () => new Float64Array(total + 1));
  ways[0][0] = 1;
  for (const rank of ranks) {
    for (let k = a.length; k > 0; k--) {
      for (let sum = total; sum >= rank; sum--) ways[k][sum] += ways[k - 1][sum - rank];
    }
  }
  let [far, every] = [0, 0];
  ways[a.length].forEach((count, sum) => {
    every += count;
    if (Math.abs(sum - middle) >= distance - 1e-9) far += count;
  });
  return far / every;
}

/**
 * Twice the rank of each: whole, also where equal values share the mean of theirs.
 * @param {number[]} values
 */
function doubledRanks(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  /** @type {number[]} */
  const ranks = [];
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && values[order[end]] === values[order[first]]) end++;
    for (const i of order.slice(first, end)) ranks[i] = first + end + 1;
    first = end;
  }
  return ranks;
}

/** @param {number[]} values one observation a process */
export const isNoisy = (values) =>
  values.length > 1 && Math.abs(coefficientOfVariation(values)) > NOISY;
