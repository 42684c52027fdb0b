import { AsyncLocalStorage } from 'node:async_hooks';
import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';

const SHAPES = new URL('../harness/tick-shapes.js', import.meta.url);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'ticks-host-context',
  about: 'Each tick queues the next within an AsyncLocalStorage.',
  host: 'node',
  n: () => 1e5,
  async setup() {
    const storage = new AsyncLocalStorage();
    const plain = await createHeap();
    const own = await createHeap({ hostContext: true });
    /** @param {import('../harness/tick-shapes.js').NextTick} nextTick */
    const within = async (nextTick) => {
      const { shapes } = await freshCopy(SHAPES);
      const { run } = shapes.depth(nextTick);
      /** @param {number} n */
      return { run: (n) => storage.run({}, run, n) };
    };
    return {
      slabring: await within(plain.nextTick),
      'hostContext: true': await within(own.nextTick),
      'process.nextTick': await within(process.nextTick),
    };
  },
  verify(left, { name }) {
    if (left !== 0) throw new Error(`${name}: ${left} ticks were not run`);
  },
};
