/** Allocation of pointers, measured in one way for all allocators. */

import { randomFrom, shuffle } from './measure.js';

/** @import { Implementation } from './measure.js' */
/** @import { Rival } from '../rivals/rivals.js' */

let copies = 0;

/**
 * This module once more: an engine that saw several allocators pass through one loop would call none
 * of them directly.
 * @returns {Promise<typeof import('./pointers.js')>}
 */
export const copy = () => import(`./pointers.js?copy=${++copies}`);

/**
 * Blocks of one size, each freed at once.
 * @param {Rival} allocator
 * @param {number} size
 * @returns {Implementation}
 */
export const pairs = ({ alloc, free }, size) => ({
  run(n) {
    let pointer = 0;
    for (let i = 0; i < n; i++) {
      pointer = alloc(size);
      free(pointer);
    }
    return pointer;
  },
});

/**
 * `live` blocks of the sizes given, in turn. Each time one picked at random is freed and another
 * takes its place.
 * @param {Rival} allocator
 * @param {number} live
 * @param {Int32Array} sizes a power of two of them
 * @returns {Implementation}
 */
export function churn({ alloc, free }, live, sizes) {
  const random = randomFrom(11);
  const slots = Int32Array.from(sizes, () => Math.floor(random() * live));
  const last = sizes.length - 1;
  const pointers = new Int32Array(live);
  /** @param {number} slot @param {number} size */
  const fill = (slot, size) => {
    pointers[slot] = alloc(size);
    if (pointers[slot] === 0) throw new Error('no room');
  };
  for (let slot = 0; slot < live; slot++) fill(slot, sizes[slot & last]);
  // All of them once: so it is as it will be after any number of samples.
  for (const slot of shuffle(Array.from(pointers.keys()), random)) {
    free(pointers[slot]);
    fill(slot, sizes[(slot + live) & last]);
  }
  let at = 0;
  return {
    run(n) {
      for (let i = 0; i < n; i++) {
        const slot = slots[at];
        free(pointers[slot]);
        pointers[slot] = alloc(sizes[at]);
        at = (at + 1) & last;
      }
      return pointers[0];
    },
  };
}
