import { MemPool } from '@thi.ng/malloc';
import { createHeap } from 'slabring';
import { randomFrom, shuffle } from '../harness/measure.js';

const BLOCKS = 1000;
const SIZE = 64;
const order = shuffle([...Array(BLOCKS).keys()], randomFrom(42));

/**
 * Allocates all blocks, then frees them in random order; an operation is one block's both.
 * @param {(size: number) => number} alloc
 * @param {(pointer: number) => unknown} free
 */
function liveSet(alloc, free) {
  const pointers = new Array(BLOCKS).fill(0);
  return {
    /** @param {number} n */
    run(n) {
      for (let done = 0; done < n; done += BLOCKS) {
        for (let i = 0; i < BLOCKS; i++) pointers[i] = alloc(SIZE);
        for (let i = 0; i < BLOCKS; i++) free(pointers[order[i]]);
      }
      return pointers;
    },
  };
}

export default {
  name: 'pointers: 1,000 blocks of 64 bytes live, freed in random order',
  n: 20 * BLOCKS,
  bars: [{ of: '@thi.ng/malloc', least: 40 }],
  async setup() {
    const heap = await createHeap();
    const { sr_alloc, sr_free } = heap.exportsOf(heap.alloc(1));
    const pool = new MemPool({ size: 1 << 22 });
    return {
      slabring: liveSet(sr_alloc, sr_free),
      '@thi.ng/malloc': liveSet(
        (size) => pool.malloc(size),
        (pointer) => pool.free(pointer),
      ),
    };
  },
};
