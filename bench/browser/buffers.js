/** Buffers in this page: a heap's, freed, and ordinary ones. */

import { createHeap } from '/dist/slabring.js';
import { freshCopy } from '/harness/fresh-copy.js';
import { measure as measureAll } from '/harness/measure.js';

const LOOPS = '/harness/buffer-loops.js';

export async function measure({ operation, size, ...options }) {
  const heap = await createHeap();
  const implementations = {
    slabring: (await freshCopy(LOOPS)).freed(heap[operation], heap.free, size),
    'new Uint8Array': (await freshCopy(LOOPS)).unowned((n) => new Uint8Array(n), size),
  };
  const verify = (buffer, _n, name) => {
    if (buffer.length !== size) throw new Error(`${name}: ${buffer.length} bytes`);
    const isZeroed = operation === 'alloc' || name !== 'slabring';
    if (isZeroed && buffer.some((byte) => byte !== 0)) throw new Error(`${name}: not zero`);
  };
  return measureAll(implementations, { ...options, verify });
}
