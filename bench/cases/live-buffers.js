import { createHeap } from 'slabring';
import { byLive, SPREAD } from '../harness/live.js';

export default {
  name: 'buffers: alloc and free of 8 to 64 bytes while others are live',
  repetitions: 3,
  // 1e7 views are more than V8 lets a program have.
  flags: ['--max-old-space-size=8192'],
  bars: [{ of: SPREAD, most: 1.5 }],
  figures: () =>
    byLive(
      () => createHeap({ regionSize: 2 ** 29 }),
      ({ alloc }, count) => Array.from({ length: count }, () => alloc(8)),
    ),
};
