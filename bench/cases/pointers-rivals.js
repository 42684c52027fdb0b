import { createHeap } from 'slabring';
import { randomFrom } from '../harness/measure.js';
import { copy } from '../harness/pointers.js';
import { loadRivals } from '../rivals/rivals.js';

const LIVE = 1e5;
const LEAST = 8;
const MOST = 4096;

const random = randomFrom(7);
/** Log-uniform: as many between 8 and 16 bytes as between 2048 and 4096. */
const sizes = Int32Array.from({ length: 2 ** 20 }, () =>
  Math.floor(LEAST * (MOST / LEAST) ** random()),
);

export default {
  name: 'pointers: free and alloc, 8 bytes to 4 KiB, 1e5 live, in random order',
  rivals: true,
  bars: [
    { of: 'dlmalloc', least: 1 },
    { of: 'emmalloc', least: 1 },
    { of: 'mimalloc', least: 1 },
  ],
  async setup() {
    const heap = await createHeap();
    const { sr_alloc, sr_free } = heap.exportsOf(heap.alloc(1));
    const allocators = { slabring: { alloc: sr_alloc, free: sr_free }, ...(await loadRivals()) };
    /** @type {Record<string, any>} */
    const implementations = {};
    for (const [name, allocator] of Object.entries(allocators)) {
      implementations[name] = (await copy()).churn(allocator, LIVE, sizes);
    }
    return implementations;
  },
};
