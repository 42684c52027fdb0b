/** The loops that allocators are measured in. Imports nothing: each has its own copy. */

/** @import { Implementation } from './measure.js' */

/** @typedef {(size: number) => number} Malloc */
/** @typedef {(pointer: number) => unknown} Free */

/**
 * @typedef {object} Order
 * @property {Uint32Array} sizes a power of two of them, taken in turn
 * @property {number} live blocks
 * @property {Uint32Array} order in which they are freed, or replaced by others
 */

/**
 * Allocates all blocks, then frees them; an operation is one block's both.
 * @param {Malloc} malloc
 * @param {Free} free
 * @param {Order} options
 * @returns {Implementation}
 */
export function rounds(malloc, free, { sizes, live, order }) {
  const last = sizes.length - 1;
  const pointers = new Float64Array(live);
  return {
    run(n) {
      for (let done = 0; done < n; done += live) {
        for (let i = 0; i < live; i++) pointers[i] = malloc(sizes[(done + i) & last]);
        for (let i = 0; i < live; i++) free(pointers[order[i]]);
      }
      return pointers;
    },
  };
}

/**
 * Of a large set of blocks one is freed, and another allocated in its place.
 * @param {Malloc} malloc
 * @param {Free} free
 * @param {Order} options
 * @returns {Implementation}
 */
export function replacements(malloc, free, { sizes, live, order }) {
  const last = sizes.length - 1;
  const steps = order.length;
  const pointers = new Float64Array(live);
  for (let i = 0; i < live; i++) pointers[i] = malloc(sizes[i & last]);
  let at = 0;
  let next = 0;
  return {
    run(n) {
      for (let i = 0; i < n; i++) {
        const slot = order[at];
        free(pointers[slot]);
        pointers[slot] = malloc(sizes[next]);
        at = at + 1 < steps ? at + 1 : 0;
        next = (next + 1) & last;
      }
      return pointers;
    },
  };
}

/**
 * Blocks of one size, each freed at once.
 * @template T
 * @param {(size: number) => T} make
 * @param {(made: T) => unknown} free
 * @param {number} size
 * @returns {Implementation}
 */
export const pairs = (make, free, size) => ({
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
 * Blocks of one size, all taken back at once.
 * @param {import('../../js/arena.js').Arena} arena
 * @param {number} size
 * @param {number} batch
 * @returns {Implementation}
 */
export const batches = (arena, size, batch) => ({
  run(n) {
    let last = 0;
    for (let done = 0; done < n; done += batch) {
      const mark = arena.mark();
      for (let i = 0; i < batch; i++) last = arena.alloc(size);
      arena.reset(mark);
    }
    return last;
  },
});
