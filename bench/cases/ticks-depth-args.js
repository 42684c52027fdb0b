import { createHeap } from 'slabring';
import { freshShape } from '../harness/fresh-shape.js';

const N = 1e6;
const SHAPE = 'depth, arguments';

export default {
  name: 'ticks: depth, arguments, 1e6',
  n: N,
  bars: [{ of: 'process.nextTick', least: 2 }],
  async setup() {
    const { nextTick } = await createHeap();
    return {
      slabring: await freshShape(SHAPE, nextTick, N),
      'process.nextTick': await freshShape(SHAPE, process.nextTick, N),
    };
  },
};
