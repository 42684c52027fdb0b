import { AsyncLocalStorage } from 'node:async_hooks';
import { createHeap } from 'slabring';
import { freshShape } from '../harness/fresh-shape.js';

const N = 1e5;

export default {
  name: 'ticks: depth under an AsyncLocalStorage, 1e5',
  n: N,
  async setup() {
    const storage = new AsyncLocalStorage();
    const plain = await createHeap();
    const own = await createHeap({ hostContext: true });
    /** @param {import('../harness/tick-shapes.js').NextTick} nextTick */
    const within = async (nextTick) => {
      const { run } = await freshShape('depth', nextTick, N);
      /** @param {number} n */
      return { run: (n) => storage.run({}, run, n) };
    };
    return {
      slabring: await within(plain.nextTick),
      'hostContext: true': await within(own.nextTick),
      'process.nextTick': await within(process.nextTick),
    };
  },
};
