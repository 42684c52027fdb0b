import rawAsap from 'asap/raw.js';
import { createHeap } from 'slabring';
import { freshShape } from '../harness/fresh-shape.js';

const N = 1e6;
const SHAPE = 'depth';

export default {
  name: 'ticks: depth, 1e6',
  n: N,
  bars: [
    { of: 'process.nextTick', least: 2.5, aim: 3.5 },
    { of: 'queueMicrotask', least: 3 },
    { of: 'asap/raw', least: 3 },
  ],
  async setup() {
    const { nextTick } = await createHeap();
    return {
      slabring: await freshShape(SHAPE, nextTick, N),
      'process.nextTick': await freshShape(SHAPE, process.nextTick, N),
      queueMicrotask: await freshShape(SHAPE, queueMicrotask, N),
      'asap/raw': await freshShape(SHAPE, rawAsap, N),
    };
  },
};
