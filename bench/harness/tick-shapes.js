/**
 * The shapes in which ticks are measured, for any `nextTick`. The six first do the same work as
 * Node's own benchmarks of the same names. Imports nothing: each implementation has its own copy.
 *
 * The callbacks outlive a sample, as those of a program outlive a collection of garbage: code that
 * was compiled for a function is given up when the function dies.
 */

/** @import { Implementation } from './measure.js' */

/** @typedef {(callback: (...args: any[]) => void, ...args: any[]) => void} NextTick */

/**
 * A quarter of all calls have four arguments, a quarter three, a sixth two, a third one.
 * @param {NextTick} nextTick
 * @param {(...args: any[]) => void} callback
 * @param {number} i
 */
function push(nextTick, callback, i) {
  if (i % 4 === 0) nextTick(callback, i, true, 10, 'test');
  else if (i % 3 === 0) nextTick(callback, i, true, 10);
  else if (i % 2 === 0) nextTick(callback, i, 20);
  else nextTick(callback, i);
}

/** How many ticks are still to run, and who waits for the last: the promise gives 0. */
class Countdown {
  left = 0;
  /** @type {(left: number) => void} */
  resolve = () => {};

  /** @param {number} n */
  start(n) {
    this.left = n;
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/**
 * A tick queues the next.
 * @param {NextTick} nextTick
 * @returns {Implementation}
 */
function depth(nextTick) {
  const countdown = new Countdown();
  const step = () => {
    if (--countdown.left > 0) nextTick(step);
    else countdown.resolve(countdown.left);
  };
  return {
    run(n) {
      const done = countdown.start(n);
      nextTick(step);
      return done;
    },
  };
}

/**
 * @param {NextTick} nextTick
 * @returns {Implementation}
 */
function depthArgs(nextTick) {
  const countdown = new Countdown();
  /** @param {number} _a @param {unknown} [_b] @param {unknown} [_c] @param {unknown} [_d] */
  const step = (_a, _b, _c, _d) => {
    if (--countdown.left > 0) push(nextTick, step, countdown.left);
    else countdown.resolve(countdown.left);
  };
  return {
    run(n) {
      const done = countdown.start(n);
      nextTick(step, n);
      return done;
    },
  };
}

/**
 * All are queued, then drained.
 * @param {NextTick} nextTick
 * @returns {Implementation}
 */
function breadth(nextTick) {
  const countdown = new Countdown();
  const step = () => {
    if (--countdown.left === 0) countdown.resolve(countdown.left);
  };
  return {
    run(n) {
      const done = countdown.start(n);
      for (let i = 0; i < n; i++) nextTick(step);
      return done;
    },
  };
}

/**
 * @param {NextTick} nextTick
 * @returns {Implementation}
 */
function breadthArgs(nextTick) {
  const countdown = new Countdown();
  /** @param {number} _a @param {unknown} [_b] @param {unknown} [_c] @param {unknown} [_d] */
  const step = (_a, _b, _c, _d) => {
    if (--countdown.left === 0) countdown.resolve(countdown.left);
  };
  return {
    run(n) {
      const done = countdown.start(n);
      for (let i = 0; i < n; i++) push(nextTick, step, i);
      return done;
    },
  };
}

/**
 * Only the drain is timed.
 * @param {Implementation} all queues and drains
 * @returns {Implementation}
 */
function drainOf({ run }) {
  /** @type {unknown} */
  let done;
  return {
    before(n) {
      done = run(n);
    },
    run: () => done,
  };
}

/**
 * The last tick of each burst begins the next.
 * @param {NextTick} nextTick
 * @param {number} size
 * @returns {Implementation}
 */
function bursts(nextTick, size) {
  const countdown = new Countdown();
  const step = () => {
    countdown.left--;
  };
  const last = () => {
    if (--countdown.left > 0) burst();
    else countdown.resolve(countdown.left);
  };
  const burst = () => {
    const count = Math.min(size, countdown.left);
    for (let i = 1; i < count; i++) nextTick(step);
    nextTick(last);
  };
  return {
    run(n) {
      const done = countdown.start(n);
      burst();
      return done;
    },
  };
}

/** @type {Record<string, (nextTick: NextTick) => Implementation>} */
export const shapes = {
  depth,
  'depth-args': depthArgs,
  breadth,
  'breadth-args': breadthArgs,
  exec: (nextTick) => drainOf(breadth(nextTick)),
  'exec-args': (nextTick) => drainOf(breadthArgs(nextTick)),
  'loop-100': (nextTick) => bursts(nextTick, 100),
  'loop-10000': (nextTick) => bursts(nextTick, 10_000),
};
