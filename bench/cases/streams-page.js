import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { streamCopies } from '../rivals/streams-page.js';

const WORK = new URL('../harness/stream-work.js', import.meta.url);

/** Where the first and the last ticks shall be lost in a sample. @type {Record<string, number>} */
const lengths = {
  pipe: 500_000,
  'pipe-objects': 500_000,
  'writes-many': 500_000,
  'writes-many-callback': 200_000,
};

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'streams-page',
  about: "readable-stream in a page with a heap's nextTick, npm's process, and bare microtasks.",
  host: 'page',
  parameters: {
    work: [
      'pipes-of-1024',
      'pipes-of-1024-objects',
      'pipe-promised',
      'pipe',
      'pipe-objects',
      'writes-many',
      'writes-many-callback',
    ],
  },
  quick: { work: ['pipes-of-1024'] },
  n: ({ work }) => lengths[work],
  batch: ({ work }) => (work.startsWith('pipes-of-1024') ? 1024 : 1),
  async setup({ work }) {
    const { nextTick } = await createHeap();
    /** @type {Record<string, import('../harness/measure.js').Implementation>} */
    const implementations = {};
    for (const [name, load] of Object.entries(streamCopies(nextTick))) {
      const { streams, Buffer, process } = await load();
      const { works } = await freshCopy(WORK);
      implementations[name] = works[work]({ streams, Buffer, nextTick: process.nextTick });
    }
    return implementations;
  },
  verify(taken, { n, name }) {
    if (taken !== n) throw new Error(`${name}: ${taken} chunks of ${n}`);
  },
};
