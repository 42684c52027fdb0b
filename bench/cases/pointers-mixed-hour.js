import { createHeap } from 'slabring';
import { randomFrom } from '../harness/random.js';
import { allocatorRivals } from '../rivals/allocators.js';

/** @import { Allocator } from '../rivals/allocators.js' */

const ROOM = 2 ** 28;

/** Each phase: how many blocks are alive at its end, of which sizes, and how many are replaced. */
const PHASES = [
  { alive: 0.2, smallest: 16, largest: 1024, replaced: 2 }, // a quiet start
  { alive: 1, smallest: 64, largest: 8192, replaced: 3 }, // the rush
  { alive: 0.1, smallest: 64, largest: 8192, replaced: 0.2 }, // most of it ends
  { alive: 0.3, smallest: 16, largest: 256, replaced: 3 }, // and other work begins
];

/** A hundredth of all blocks is large. */
const LARGE = 0.01;
const LARGEST = 262_144;

/**
 * What an hour of a server's work does, without its waiting: load comes and goes, and sizes change.
 * @param {Allocator} allocator
 * @param {number} most blocks alive in the rush
 */
function hour({ malloc, free, reserved }, most) {
  const random = randomFrom(11);
  /** @type {{ pointer: number, size: number }[]} */
  const blocks = [];
  let useful = 0;
  /** @param {number} smallest @param {number} largest */
  const add = (smallest, largest) => {
    const top = random() < LARGE ? LARGEST : largest;
    const size = Math.floor(smallest * (top / smallest) ** random());
    const pointer = malloc(size);
    if (pointer === 0) throw new Error('no room');
    blocks.push({ pointer, size });
    useful += size;
  };
  const remove = () => {
    const at = Math.floor(random() * blocks.length);
    const { pointer, size } = blocks[at];
    blocks[at] = blocks[blocks.length - 1];
    blocks.pop();
    free(pointer);
    useful -= size;
  };
  /** Bytes that are taken from the memory for each byte in use. @type {number[]} */
  const costs = [];
  const start = performance.now();
  for (const { alive, smallest, largest, replaced } of PHASES) {
    while (blocks.length > alive * most) remove();
    while (blocks.length < alive * most) add(smallest, largest);
    for (let i = 0; i < replaced * most; i++) {
      remove();
      add(smallest, largest);
    }
    costs.push(reserved() / useful);
  }
  const end = performance.now();
  return {
    ms: end - start,
    'reserved a useful byte, in the rush': costs[1],
    'reserved a useful byte, in the end': costs[3],
  };
}

/** @type {Record<string, import('../harness/case.js').FiguresOf>} */
const rivals = Object.fromEntries(
  allocatorRivals.map(({ name, load }) => [name, async ({ live }) => hour(await load(ROOM), live)]),
);

/** Who can do the hour of the larger number in seconds. */
const quickOnes = allocatorRivals.filter(({ most }) => most === undefined).map(({ name }) => name);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'pointers-mixed-hour',
  about: 'Fragmentation: an hour of mixed work in miniature, and what is reserved for it.',
  parameters: { live: [1000, 20_000] },
  quick: { live: [1000] },
  partsOf: ({ live }) => (live > 1000 ? ['slabring', ...quickOnes] : undefined),
  needs: () => ['rivals'],
  figures: {
    slabring: async ({ live }) => {
      const heap = await createHeap({ regionSize: ROOM });
      const { sr_alloc, sr_free } = heap.exportsOf(heap.alloc(1));
      const reserved = () => heap.stats().regions[0].inUse;
      return hour({ malloc: sr_alloc, free: sr_free, reserved }, live);
    },
    ...rivals,
  },
};
