import { createHeap } from 'slabring';
import { resident } from '../host/resident.js';

/** Reads all of it, so no engine's promise is taken on trust. @param {Uint8Array} bytes */
function verifyZero(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  for (const word of words) if (word !== 0) throw new Error('not zero');
}

/**
 * @param {(size: number) => Uint8Array} make
 * @returns {import('../harness/case.js').FiguresOf}
 */
const figuresOf =
  (make) =>
  ({ size, use }) => {
    const before = resident();
    const start = performance.now();
    const block = make(size);
    if (use === 'overwritten') block.fill(1);
    const end = performance.now();
    const after = resident();
    if (use === 'kept') verifyZero(block);
    const ms = end - start;
    return before === undefined ? { ms } : { ms, MiB: Number(after) - before };
  };

/**
 * Made by a heap of its own, with room for a gigabyte.
 * @param {(heap: import('slabring').Heap, size: number) => Uint8Array} make
 */
const inHeap =
  (make) =>
  /** @type {import('../harness/case.js').FiguresOf} */
  async (parameters, options) => {
    const heap = await createHeap({ regionSize: 2 ** 30 + 2 ** 28 });
    return figuresOf((size) => make(heap, size))(parameters, options);
  };

/** @type {Record<string, import('../harness/case.js').FiguresOf>} */
const figures = {
  slabring: inHeap((heap, size) => heap.alloc(size)),
  'before: filled with 0': inHeap((heap, size) => heap.allocUnsafeSlow(size).fill(0)),
  Buffer: figuresOf((size) => Buffer.alloc(size)),
  'new Uint8Array': figuresOf((size) => new Uint8Array(size)),
};

const parts = Object.keys(figures);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'zeroed-blocks',
  about: 'One large zeroed block, only kept, or overwritten at once: time and resident memory.',
  parameters: { size: [1e6, 1e8, 1e9], use: ['kept', 'overwritten'] },
  quick: { size: [1e8], use: ['kept'] },
  partsOf: (_, host) => (host === 'page' ? parts.filter((name) => name !== 'Buffer') : parts),
  figures,
};
