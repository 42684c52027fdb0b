import { createHeap } from 'slabring';
import { byLive, SPREAD } from '../harness/live.js';

export default {
  name: 'pointers: alloc and free of 8 to 64 bytes while others are live',
  repetitions: 3,
  bars: [{ of: SPREAD, most: 1.5 }],
  figures: () =>
    byLive(
      async () => {
        const heap = await createHeap({ regionSize: 2 ** 30 });
        const { sr_alloc, sr_free } = heap.exportsOf(heap.alloc(1));
        return { alloc: sr_alloc, free: sr_free };
      },
      ({ alloc }, count) => {
        for (let i = 0; i < count; i++) if (alloc(8 + (i % 57)) === 0) throw new Error('no room');
      },
    ),
};
