import { createHeap } from 'slabring';

const SIZE = 1e9;
const resident = () => process.memoryUsage.rss() / 2 ** 20;

/** @param {Uint8Array} bytes */
function verifyZero(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  for (const word of words) if (word !== 0) throw new Error('not zero');
}

export default {
  name: 'alloc(1e9)',
  bars: [
    { of: 'slabring, ms', most: 1 },
    { of: 'slabring, resident MiB', most: 3 },
  ],
  async figures() {
    const heap = await createHeap({ regionSize: 2 ** 30 + 2 ** 28 });
    const before = resident();
    const start = performance.now();
    const buffer = heap.alloc(SIZE);
    const end = performance.now();
    const after = resident();
    verifyZero(buffer);
    const nodeBefore = resident();
    const nodeStart = performance.now();
    const nodeBuffer = Buffer.alloc(SIZE);
    const nodeEnd = performance.now();
    const nodeAfter = resident();
    verifyZero(nodeBuffer);
    return {
      'slabring, ms': end - start,
      'slabring, resident MiB': after - before,
      'Buffer.alloc, ms': nodeEnd - nodeStart,
      'Buffer.alloc, resident MiB': nodeAfter - nodeBefore,
    };
  },
};
