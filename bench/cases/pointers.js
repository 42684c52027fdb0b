import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { randomFrom, shuffle } from '../harness/random.js';
import { allocatorRivals } from '../rivals/allocators.js';

const LOOPS = new URL('../harness/pointer-loops.js', import.meta.url);

/** Up to here all blocks are allocated and freed again and again; above, one by one replaced. */
const ROUNDS = 1000;

/** At least so many of the larger set are picked before the same ones come again. */
const PICKS = 2 ** 20;

const [LEAST, MOST] = [8, 4096];

/** A power of two of them. @param {number | string} size */
function sizesOf(size) {
  if (typeof size === 'number') return Uint32Array.of(size);
  const random = randomFrom(7);
  // Log-uniform: as many between 8 and 16 bytes as between 2048 and 4096.
  return Uint32Array.from({ length: PICKS }, () => Math.floor(LEAST * (MOST / LEAST) ** random()));
}

/** @param {number} live @param {'same' | 'random'} kind */
function orderOf(live, kind) {
  const random = randomFrom(42);
  if (kind === 'random' && live > ROUNDS) {
    const length = Math.max(live, PICKS);
    return Uint32Array.from({ length }, () => Math.floor(random() * live));
  }
  const order = Array.from({ length: live }, (_, i) => i);
  return Uint32Array.from(kind === 'random' ? shuffle(order, random) : order);
}

/**
 * Room for the blocks, and for what an allocator keeps with them.
 * @param {number} live
 * @param {Uint32Array} sizes
 */
function roomFor(live, sizes) {
  const average = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return 2 ** Math.ceil(Math.log2(live * average * 2 + 2 ** 22));
}

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'pointers',
  about: 'Blocks by pointer, without JavaScript objects: one allocated and freed.',
  parameters: { size: [64, '8-4096'], live: [1, 1000, 1e5, 1e7], order: ['same', 'random'] },
  leaveOut: ({ size, live, order }) =>
    (live === 1 && order === 'random') ||
    (size !== 64 && (order === 'same' || live === 1 || live > 1e5)),
  quick: { size: [64], live: [1000], order: ['random'] },
  needs: () => ['rivals'],
  batch: ({ live }) => (live <= ROUNDS ? live : 1),
  async setup({ size, live, order: kind }) {
    const sizes = sizesOf(size);
    const options = { sizes, live, order: orderOf(live, kind) };
    const room = roomFor(live, sizes);
    const heap = await createHeap({ regionSize: room });
    const { sr_alloc, sr_free } = heap.exportsOf(heap.alloc(1));
    const ours = { name: 'slabring', load: async () => ({ malloc: sr_alloc, free: sr_free }) };
    /** @type {Record<string, import('../harness/measure.js').Implementation>} */
    const implementations = {};
    for (const rival of [ours, ...allocatorRivals]) {
      if ('most' in rival && rival.most !== undefined && rival.most < live) continue;
      const { malloc, free } = await rival.load(room);
      const { rounds, replacements } = await freshCopy(LOOPS);
      const make = live <= ROUNDS ? rounds : replacements;
      implementations[rival.name] = make(malloc, free, options);
    }
    return implementations;
  },
  verify(/** @type {Float64Array} */ pointers, { name, live }) {
    // Looking at ten million takes longer than the sample.
    const some = pointers.subarray(0, ROUNDS);
    if (some.includes(0)) throw new Error(`${name}: no room`);
    if (new Set(some).size !== Math.min(live, ROUNDS)) throw new Error(`${name}: a block twice`);
  },
};
