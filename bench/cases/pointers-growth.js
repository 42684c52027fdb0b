import { createHeap } from 'slabring';
import { allocatorRivals } from '../rivals/allocators.js';

const ROOM = 2 ** 28;
const SIZE = 1024;
const BLOCKS = Math.floor((ROOM * 0.9) / SIZE);

/** @param {(size: number) => number} malloc */
function grow(malloc) {
  const start = performance.now();
  let last = 0;
  for (let i = 0; i < BLOCKS; i++) last = malloc(SIZE);
  const end = performance.now();
  if (last === 0) throw new Error('no room');
  return { ms: end - start };
}

/** @type {Record<string, () => Promise<import('../harness/case.js').Figures>>} */
const rivals = Object.fromEntries(
  allocatorRivals.map(({ name, load }) => [name, async () => grow((await load(ROOM)).malloc)]),
);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'pointers-growth',
  about: 'A fresh memory filled with blocks of 1 KiB, 230 MiB in all, none of them freed.',
  needs: () => ['rivals'],
  figures: {
    slabring: async () => {
      const heap = await createHeap({ regionSize: ROOM });
      return grow(heap.exportsOf(heap.alloc(1)).sr_alloc);
    },
    ...rivals,
  },
};
