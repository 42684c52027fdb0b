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
 * The same, until the promise is settled where `run` returns one.
 * @param {Implementation} implementation
 * @param {number} n
 */
async function timeAsync({ run, before }, n) {
  before?.();
  const start = performance.now();
  kept = run(n);
  if (kept instanceof Promise) await kept;
  const end = performance.now();
  return end - start;
}

/**
 * What is to be timed, one after the other; the generator is told how long each took.
 * @typedef {Generator<[Implementation, number], Record<string, number[]>, number>} Plan
 */

/**
 * How often the work must be done for a sample of `wanted` milliseconds. Doing so warms it up.
 * @param {Implementation} implementation
 * @param {number} wanted
 * @returns {Generator<[Implementation, number], number, number>}
 */
function* calibrate(implementation, wanted) {
  let n = 1;
  for (;;) {
    const taken = yield [implementation, n];
    if (taken >= wanted) return n;
    n = Math.ceil(n * Math.min(10, taken > 0 ? (1.2 * wanted) / taken : 10));
  }
}

/**
 * @typedef {object} Options
 * @property {number} [samples] of each
 * @property {number} [milliseconds] that a sample lasts, at least
 * @property {number} [seed] of the order
 * @property {number} [n] how often the work is done a sample, if that is part of the case
 */

/**
 * @param {Record<string, Implementation>} implementations
 * @param {Options} options
 * @returns {Plan}
 */
function* plan(implementations, { samples = 15, milliseconds = 20, seed = 1, n }) {
  const random = randomFrom(seed);
  const names = Object.keys(implementations);
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const name of names) {
    times.set(name, n ?? (yield* calibrate(implementations[name], milliseconds)));
  }
  /** @type {Record<string, number[]>} */
  const result = Object.fromEntries(names.map((name) => [name, []]));
  for (let sample = 0; sample < samples; sample++) {
    for (const name of shuffle([...names], random)) {
      const count = /** @type {number} */ (times.get(name));
      result[name].push(((yield [implementations[name], count]) * 1e6) / count);
    }
  }
  return result;
}

/**
 * @param {Record<string, Implementation>} implementations none that returns a promise
 * @param {Options} [options]
 * @returns {Record<string, number[]>} nanoseconds for doing the work once, sample by sample
 */
export function measure(implementations, options = {}) {
  const steps = plan(implementations, options);
  let step = steps.next();
  while (!step.done) step = steps.next(time(...step.value));
  return step.value;
}

/**
 * The same for work that may end later: a sample ends when the promise that `run` returns does.
 * @param {Record<string, Implementation>} implementations
 * @param {Options} [options]
 * @returns {Promise<Record<string, number[]>>}
 */
export async function measureAsync(implementations, options = {}) {
  const steps = plan(implementations, options);
  let step = steps.next();
  while (!step.done) step = steps.next(await timeAsync(...step.value));
  return step.value;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
