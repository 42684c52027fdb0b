import { createHeap } from 'slabring';
import { randomFrom } from '../harness/random.js';

const LIVE = 1e4;
const LARGEST = 8192;

const resident = () => {
  // Twice: what the first one finalizes, and the room that V8 kept for new objects, goes later.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
};

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'churn',
  about: '1e7 allocations of random sizes up to 8 KiB, 1e4 alive: resident memory stays flat.',
  host: 'node',
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
    const [problem] = heap.check();
    if (problem !== undefined) throw new Error(problem);
    return {
      MiB: early,
      'MiB more after the first 1e6': late - early,
      'MiB touched after the first 1e6': (heap.stats().regions[0].touched - touched) / 2 ** 20,
      'ns a free and an allocation': ((end - start) * 1e6) / 9e6,
    };
  },
};
