import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { allocatorRivals } from '../rivals/allocators.js';

const LOOPS = new URL('../harness/pointer-loops.js', import.meta.url);

const BATCH = 1000;

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'arena-alloc',
  about: 'Memory for a moment: from an arena, reset every 1000; by malloc and free; a buffer.',
  parameters: { size: [24] },
  quick: {},
  needs: () => ['rivals'],
  batch: () => BATCH,
  async setup({ size }) {
    const heap = await createHeap();
    const { allocUnsafe, free } = await createHeap();
    const fresh = () => freshCopy(LOOPS);
    /** @type {Record<string, import('../harness/measure.js').Implementation>} */
    const implementations = {
      slabring: (await fresh()).batches(heap.arena(), size, BATCH),
      'before: region': (await fresh()).pairs(allocUnsafe, free, size),
    };
    for (const { name, load } of allocatorRivals) {
      const allocator = await load(2 ** 20);
      implementations[name] = (await fresh()).pairs(allocator.malloc, allocator.free, size);
    }
    return implementations;
  },
  verify(/** @type {number | Uint8Array} */ last, { name, size }) {
    const isRight = typeof last === 'number' ? last > 0 : last.length === size;
    if (!isRight) throw new Error(`${name}: no room`);
  },
};
