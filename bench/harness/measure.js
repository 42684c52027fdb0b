/**
 * Times implementations of the same work against each other in one process: interleaved in random
 * order, so that what disturbs the machine disturbs all of them. Neither Node nor the DOM is needed.
 */

/**
 * @typedef {object} Implementation
 * @property {(n: number) => unknown} run does the work `n` times; what it returns is kept, so that
 *   no engine can leave the work out
 * @property {() => void} [before] puts things in order before each sample, not timed
 */

/**
 * A small generator of random numbers (xorshift32): a stored seed gives the same order again.
 * @param {number} seed
 */
export function randomFrom(seed) {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * @template T
 * @param {T[]} items
 * @param {() => number} random
 */
export function shuffle(items, random) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
}

/** @type {unknown} */
let kept;

/**
 * @param {Implementation} implementation
 * @param {number} n
 * @returns {number} milliseconds
 */
function time({ run, before }, n) {
  before?.();
  const start = performance.now();
  kept = run(n);
  const end = performance.now();
  if (kept === time) throw new Error('an implementation returned the harness');
  return end - start;
}

/**
 * How often the work must be done for a sample of `wanted` milliseconds. Doing so warms it up.
 * @param {Implementation} implementation
 * @param {number} wanted
 */
function calibrate(implementation, wanted) {
  let n = 1;
  for (;;) {
    const taken = time(implementation, n);
    if (taken >= wanted) return n;
    n = Math.ceil(n * Math.min(10, taken > 0 ? (1.2 * wanted) / taken : 10));
  }
}

/**
 * @param {Record<string, Implementation>} implementations
 * @param {object} [options]
 * @param {number} [options.samples] of each
 * @param {number} [options.milliseconds] that a sample lasts, at least
 * @param {number} [options.seed] of the order
 * @param {number} [options.n] how often the work is done a sample, if that is part of the case
 * @returns {Record<string, number[]>} nanoseconds for doing the work once, sample by sample
 */
export function measure(implementations, { samples = 15, milliseconds = 20, seed = 1, n } = {}) {
  const random = randomFrom(seed);
  const names = Object.keys(implementations);
  const times = new Map(
    names.map((name) => [name, n ?? calibrate(implementations[name], milliseconds)]),
  );
  /** @type {Record<string, number[]>} */
  const result = Object.fromEntries(names.map((name) => [name, []]));
  for (let sample = 0; sample < samples; sample++) {
    for (const name of shuffle([...names], random)) {
      const count = /** @type {number} */ (times.get(name));
      result[name].push((time(implementations[name], count) * 1e6) / count);
    }
  }
  return result;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
