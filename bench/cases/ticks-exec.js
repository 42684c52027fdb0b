import { createHeap } from 'slabring';
import { freshShape } from '../harness/fresh-shape.js';

const N = 1e6;
const SHAPE = 'exec';

export default {
  name: 'ticks: exec, 1e6',
  n: N,
  bars: [{ of: 'process.nextTick', least: 3 }],
  async setup() {
    const { nextTick } = await createHeap();
    return {
      slabring: await freshShape(SHAPE, nextTick, N),
      'process.nextTick': await freshShape(SHAPE, process.nextTick, N),
    };
  },
};
