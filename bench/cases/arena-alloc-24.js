import { createHeap } from 'slabring';
import { copy } from '../harness/pointers.js';
import { loadRivals } from '../rivals/rivals.js';

const BATCH = 1000;

export default {
  name: 'arena: alloc(24), reset every 1,000, against malloc and free',
  rivals: true,
  n: 1000 * BATCH,
  bars: [
    { of: 'dlmalloc', least: 3 },
    { of: 'mimalloc', least: 3 },
  ],
  async setup() {
    const arena = (await createHeap()).arena();
    /** @type {Record<string, any>} */
    const implementations = {
      slabring: {
        /** @param {number} n */
        run(n) {
          let pointer = 0;
          for (let done = 0; done < n; done += BATCH) {
            const mark = arena.mark();
            for (let i = 0; i < BATCH; i++) pointer = arena.alloc(24);
            arena.reset(mark);
          }
          return pointer;
        },
      },
    };
    for (const [name, rival] of Object.entries(await loadRivals())) {
      implementations[name] = (await copy()).pairs(rival, 24);
    }
    return implementations;
  },
};
