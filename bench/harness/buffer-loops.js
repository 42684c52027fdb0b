/** The loops that buffers are measured in. Imports nothing: each implementation has its own copy. */

/** @import { Implementation } from './measure.js' */

/** @typedef {(size: number) => Uint8Array} Make */
/** @typedef {(buffer: any) => unknown} Free */

/**
 * Each buffer is given back before the next is made.
 * @param {Make} make
 * @param {Free} free
 * @param {number} size
 * @returns {Implementation}
 */
export const freed = (make, free, size) => ({
  // What the next one finds is not zero.
  before() {
    const buffer = make(size);
    buffer.fill(0xff);
    free(buffer);
  },
  run(n) {
    let last;
    for (let i = 0; i < n; i++) {
      last = make(size);
      free(last);
    }
    return last;
  },
});

/**
 * The same for buffers that cannot be given back.
 * @param {Make} make
 * @param {number} size
 * @returns {Implementation}
 */
export const unowned = (make, size) => ({
  before() {
    make(size).fill(0xff);
  },
  run(n) {
    let last;
    for (let i = 0; i < n; i++) last = make(size);
    return last;
  },
});

/** Bytes of buffers between two turns of the event loop, about. */
const TURN = 2 ** 20;

/**
 * Nobody says when a buffer is done with. Finalizers run between turns of the event loop, so there
 * are such.
 * @param {Make} make
 * @param {number} size
 * @param {() => Promise<unknown>} turn comes back in the next one
 * @param {number} taken bytes by a buffer
 * @returns {Implementation}
 */
export function dropped(make, size, turn, taken) {
  const most = Math.ceil(TURN / taken);
  const { before, run } = unowned(make, size);
  return {
    before,
    async run(n) {
      let last;
      for (let left = n; left > 0; left -= most) {
        last = run(Math.min(left, most));
        await turn();
      }
      return last;
    },
  };
}
