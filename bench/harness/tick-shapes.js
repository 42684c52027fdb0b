/** The shapes in which ticks are measured, for any `nextTick`. */

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

/** @type {Record<string, (nextTick: NextTick, n: number) => Implementation>} */
export const shapes = {
  // A tick queues the next.
  depth: (nextTick) => ({
    run: (n) =>
      new Promise((resolve) => {
        let left = n;
        const step = () => {
          if (--left > 0) nextTick(step);
          else resolve(left);
        };
        nextTick(step);
      }),
  }),

  'depth, arguments': (nextTick) => ({
    run: (n) =>
      new Promise((resolve) => {
        let left = n;
        /** @param {number} _a @param {unknown} [_b] @param {unknown} [_c] @param {unknown} [_d] */
        const step = (_a, _b, _c, _d) => {
          if (--left > 0) push(nextTick, step, left);
          else resolve(left);
        };
        nextTick(step, n);
      }),
  }),

  // All queued, then drained.
  breadth: (nextTick) => ({
    run: (n) =>
      new Promise((resolve) => {
        let left = n;
        const step = () => {
          if (--left === 0) resolve(left);
        };
        for (let i = 0; i < n; i++) nextTick(step);
      }),
  }),

  'breadth, arguments': (nextTick) => ({
    run: (n) =>
      new Promise((resolve) => {
        let left = n;
        /** @param {number} _a @param {unknown} [_b] @param {unknown} [_c] @param {unknown} [_d] */
        const step = (_a, _b, _c, _d) => {
          if (--left === 0) resolve(left);
        };
        for (let i = 0; i < n; i++) push(nextTick, step, i);
      }),
  }),

  // Only the drain is timed.
  exec: (nextTick, n) => {
    /** @type {Promise<unknown>} */
    let done;
    return {
      before() {
        done = new Promise((resolve) => {
          let left = n;
          const step = () => {
            if (--left === 0) resolve(left);
          };
          for (let i = 0; i < n; i++) nextTick(step);
        });
      },
      run: () => done,
    };
  },

  'exec, arguments': (nextTick, n) => {
    /** @type {Promise<unknown>} */
    let done;
    return {
      before() {
        done = new Promise((resolve) => {
          let left = n;
          /** @param {number} _a @param {unknown} [_b] @param {unknown} [_c] @param {unknown} [_d] */
          const step = (_a, _b, _c, _d) => {
            if (--left === 0) resolve(left);
          };
          for (let i = 0; i < n; i++) push(nextTick, step, i);
        });
      },
      run: () => done,
    };
  },
};
