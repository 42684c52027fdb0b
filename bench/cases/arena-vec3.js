import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { BATCH, expected } from '../harness/vec3.js';

const LOOPS = new URL('../harness/vec3.js', import.meta.url);

const SUM = expected();

/** @param {() => number} batch */
const repeated = (batch) => ({
  /** @param {number} n */
  run(n) {
    let sum = 0;
    for (let done = 0; done < n; done += BATCH) sum = batch();
    return sum;
  },
});

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'arena-vec3',
  about: 'Normals of triangles, with a vector of three doubles for each step: one vector.',
  quick: {},
  batch: () => BATCH,
  async setup() {
    const heap = await createHeap();
    const fresh = () => freshCopy(LOOPS);
    return {
      slabring: repeated((await fresh()).withArena(heap.arena())),
      'new Float64Array': repeated(
        (await fresh()).withArrays(
          () => new Float64Array(3),
          () => {},
        ),
      ),
      'heap.typed, freed': repeated(
        (await fresh()).withArrays(() => heap.typed(Float64Array, 3), heap.free),
      ),
    };
  },
  verify(sum, { name }) {
    if (sum !== SUM) throw new Error(`${name}: ${sum} instead of ${SUM}`);
  },
};
