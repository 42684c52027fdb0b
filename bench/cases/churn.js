import { createHeap } from 'slabring';
import { randomFrom } from '../harness/measure.js';

const LIVE = 1e4;
const LARGEST = 8192;
const resident = () => {
  // Twice: what the first one finalizes, and the room that V8 kept for new objects, goes later.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
};

export default {
  name: '1e7 allocations of random sizes up to 8 KiB, 1e4 live',
  repetitions: 3,
  bars: [{ of: 'resident growth after the first 1e6, MiB', most: 8 }],
  async figures() {
    const heap = await createHeap();
    const random = randomFrom(7);
    const live = Array.from({ length: LIVE }, () => heap.allocUnsafe(1));
    /** @param {number} n */
    const churn = (n) => {
      for (let i = 0; i < n; i++) {
        const at = Math.floor(random() * LIVE);
        heap.free(live[at]);
        const buffer = heap.allocUnsafe(Math.ceil(random() * LARGEST));
        buffer[0] = i;
        buffer[buffer.length - 1] = i;
        live[at] = buffer;
      }
    };
    churn(1e6);
    const early = resident();
    const { touched } = heap.stats().regions[0];
    const start = performance.now();
    churn(9e6);
    const end = performance.now();
    const late = resident();
    if (heap.check().length > 0) throw new Error(heap.check()[0]);
    return {
      'resident after 1e6, MiB': early,
      'resident growth after the first 1e6, MiB': late - early,
      'pages touched after the first 1e6, MiB':
        (heap.stats().regions[0].touched - touched) / 2 ** 20,
      'ns for a free and an allocation': ((end - start) * 1e6) / 9e6,
    };
  },
};
