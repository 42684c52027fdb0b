/**
 * Times implementations of the same work against each other, in the process or worker it is called
 * in. Neither Node nor the DOM is needed: the clock and the garbage collector are given.
 */

import { randomFrom, shuffle } from './random.js';

export { randomFrom, shuffle };

/**
 * @typedef {object} Implementation
 * @property {(n: number) => unknown} run does the work `n` times. What it returns is checked, so no
 *   engine can leave the work out. A promise is waited for.
 * @property {(n: number) => void} [before] puts things in order before each sample, not timed
 */

/** @typedef {Record<string, Implementation>} Implementations */

/**
 * @typedef {object} MeasureOptions
 * @property {number} [samples] of each implementation
 * @property {number} [milliseconds] that a sample lasts, about; longer where the clock is coarse
 * @property {number} [warmup] milliseconds of work before the first sample, at least
 * @property {number} [seed] of the order
 * @property {number} [n] how often the work is done a sample, where that is part of the case
 * @property {number} [batch] what `n` must be a multiple of
 * @property {(result: any, n: number, name: string) => void} [verify] throws when what `run`
 *   returned is wrong
 * @property {() => number} [now] milliseconds
 * @property {() => void} [gc] collects young garbage now; undefined where that cannot be asked for
 */

/**
 * @typedef {object} Measured
 * @property {Record<string, number[]>} samples nanoseconds for doing the work once, in the order
 *   taken
 * @property {Record<string, number>} n how often the work was done a sample
 * @property {number} step of the clock, nanoseconds
 * @property {boolean} gc whether garbage was collected before each sample
 */

/** A sample is at least so many steps of the clock: its length is known to a percent. */
export const STEPS_A_SAMPLE = 100;

/** A batch is long enough only once so many in a row were: the first still run uncompiled. */
const IN_A_ROW = 3;

/** How often work of a fixed count is done before its first sample. */
const FIXED_WARMUPS = 6;

/** Runs of an implementation beside its samples, where the count is fixed. */
export const RUNS_BESIDE = 1 + FIXED_WARMUPS;

/**
 * The smallest step of a clock, as seen: browsers round theirs, to 5 us or up to 1 ms.
 * @param {() => number} now
 * @param {number} [times]
 */
export function clockStep(now, times = 20) {
  let smallest = Infinity;
  for (let i = 0; i < times; i++) {
    const start = now();
    let end = now();
    while (end <= start) end = now();
    smallest = Math.min(smallest, end - start);
  }
  return smallest;
}

/**
 * How often the work must be done for a sample of `wanted` milliseconds.
 * @param {(n: number) => Promise<number>} time does it so often, gives milliseconds
 * @param {object} options
 * @param {number} options.wanted
 * @param {number} [options.batch] what the count is a multiple of
 * @param {number} [options.warmup] milliseconds to spend at least
 */
export async function calibrate(time, { wanted, batch = 1, warmup = 0 }) {
  let n = batch;
  let inARow = 0;
  let spent = 0;
  while (inARow < IN_A_ROW || spent < warmup) {
    const taken = await time(n);
    spent += taken;
    if (taken >= wanted) {
      inARow++;
    } else {
      inARow = 0;
      const factor = Math.min(10, taken > 0 ? (1.2 * wanted) / taken : 10);
      n = Math.ceil((n * factor) / batch) * batch;
    }
  }
  return n;
}

/**
 * Verifies, warms up, calibrates, and takes samples: one of each implementation in random order,
 * again and again, so that what disturbs the machine disturbs all of them.
 * @param {Implementations} implementations
 * @param {MeasureOptions} [options]
 * @returns {Promise<Measured>}
 */
export async function measure(implementations, options = {}) {
  const { samples = 30, milliseconds = 10, warmup = 10 * milliseconds, seed = 1 } = options;
  const { batch = 1, verify, now = () => performance.now(), gc } = options;
  const random = randomFrom(seed);
  const names = Object.keys(implementations);
  const step = clockStep(now);
  // Not while it warms up: code that is collected among short runs is never compiled in full.
  /** @type {(() => void) | undefined} */
  let collect;
  const wanted = Math.max(milliseconds, STEPS_A_SAMPLE * step);

  /**
   * @param {string} name
   * @param {number} n
   */
  const time = async (name, n) => {
    const implementation = implementations[name];
    implementation.before?.(n);
    collect?.();
    const start = now();
    let result = implementation.run(n);
    if (result instanceof Promise) result = await result;
    const end = now();
    verify?.(result, n, name);
    return end - start;
  };

  /** @type {Record<string, number>} */
  const n = {};
  for (const name of shuffle([...names], random)) {
    // Whatever is wrong shall show before minutes are spent.
    await time(name, options.n ?? batch);
  }
  for (const name of shuffle([...names], random)) {
    const once = (/** @type {number} */ count) => time(name, count);
    if (options.n === undefined) {
      n[name] = await calibrate(once, { wanted, batch, warmup });
    } else {
      n[name] = options.n;
      for (let i = 0; i < FIXED_WARMUPS; i++) await once(n[name]);
    }
  }
  collect = gc;
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let sample = 0; sample < samples; sample++) {
    for (const name of shuffle([...names], random)) {
      times[name].push(((await time(name, n[name])) * 1e6) / n[name]);
    }
  }
  return { samples: times, n, step: step * 1e6, gc: gc !== undefined };
}
