import { createHeap } from 'slabring';
import { byLive } from '../harness/live.js';

/** @type {Record<string, () => Promise<import('../harness/case.js').Figures>>} */
const kinds = {
  buffers: () =>
    byLive(
      () => createHeap({ regionSize: 2 ** 29 }),
      ({ alloc }, count) => Array.from({ length: count }, () => alloc(8)),
    ),
  pointers: () =>
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

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'live',
  about: 'Allocation and free of 8 to 64 bytes while 1e3 to 1e7 others are alive: the same cost.',
  parameters: { kind: ['buffers', 'pointers'] },
  // 1e7 views are more than V8 lets a program have.
  flags: ({ kind }) => (kind === 'buffers' ? ['--max-old-space-size=8192'] : []),
  figures: ({ kind }) => kinds[kind](),
};
