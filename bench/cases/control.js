import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';

const LOOPS = new URL('../harness/buffer-loops.js', import.meta.url);
const SHAPES = new URL('../harness/tick-shapes.js', import.meta.url);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'control',
  about: 'The same code measured twice: a difference here is one of the machine.',
  parameters: { work: ['buffers', 'ticks'] },
  quick: {},
  batch: () => 1000,
  async setup({ work }) {
    const make = async () => {
      const { alloc, free, nextTick } = await createHeap();
      if (work === 'buffers') return (await freshCopy(LOOPS)).freed(alloc, free, 10);
      return (await freshCopy(SHAPES)).shapes.depth(nextTick);
    };
    return { slabring: await make(), 'slabring again': await make() };
  },
};
