import { createHeap } from 'slabring';
import { BATCH, expected } from '../harness/vec3.js';

/** @type {Record<string, () => number>} */
let batches = {};

export default {
  name: 'arena: vectors of three doubles, ns a vector',
  n: 1000 * BATCH,
  bars: [{ of: 'new Float64Array(3)', least: 5 }],
  async setup() {
    const heap = /** @type {any} */ (await createHeap());
    // A copy of the code for each: none of them sees another's arrays.
    /** @param {string} name @returns {Promise<typeof import('../harness/vec3.js')>} */
    const copy = (name) => import(`../harness/vec3.js?${name}`);
    batches = {
      slabring: (await copy('arena')).withArena(heap.arena()),
      'new Float64Array(3)': (await copy('arrays')).withArrays(
        () => new Float64Array(3),
        () => {},
      ),
    };
    if (heap.typed !== undefined) {
      batches['heap.typed, freed'] = (await copy('typed')).withArrays(
        () => heap.typed(Float64Array, 3),
        (array) => heap.free(array),
      );
    }
    /** @param {() => number} batch */
    const repeated = (batch) => ({
      /** @param {number} n */
      run(n) {
        let sum = 0;
        for (let done = 0; done < n; done += BATCH) sum = batch();
        return sum;
      },
    });
    return Object.fromEntries(
      Object.entries(batches).map(([name, batch]) => [name, repeated(batch)]),
    );
  },
  verify() {
    const sum = expected();
    if (!Number.isFinite(sum)) throw new Error(`the sum of all is ${sum}`);
    for (const [name, batch] of Object.entries(batches)) {
      if (batch() !== sum) throw new Error(`${name}: ${batch()} instead of ${sum}`);
    }
  },
};
