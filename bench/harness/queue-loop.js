/** Imports nothing: each implementation has its own copy. */

const BATCH = 1000;

/**
 * Pushes and takes in batches.
 * @param {(callback: () => void) => unknown} push
 * @param {() => unknown} takeAll calls each
 * @returns {import('./measure.js').Implementation}
 */
export function batches(push, takeAll) {
  let taken = 0;
  const count = () => {
    taken++;
  };
  return {
    run(n) {
      taken = 0;
      for (let done = 0; done < n; done += BATCH) {
        for (let i = 0; i < BATCH; i++) push(count);
        takeAll();
      }
      return taken;
    },
  };
}

/** @param {() => any} shift */
export const drainWith = (shift) => () => {
  for (;;) {
    const callback = shift();
    if (callback === undefined) break;
    callback();
  }
};
