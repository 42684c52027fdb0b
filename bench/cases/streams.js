import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { loadStreams } from '../rivals/streams.js';

const WORK = new URL('../harness/stream-work.js', import.meta.url);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'streams',
  about: "readable-stream with a heap's nextTick and with Node's; a chunk of 1 KiB, or an object.",
  host: 'node',
  parameters: {
    work: [
      'pipe',
      'pipe-objects',
      'writes-sync',
      'writes-callback',
      'writes-many',
      'writes-many-callback',
      'reads-256',
      'reads-1024',
      'reads-16384',
    ],
  },
  quick: { work: ['pipe', 'writes-sync'] },
  // As many as the largest reads take whole.
  batch: () => 160,
  async setup({ work }) {
    const { nextTick } = await createHeap();
    const make = async (/** @type {import('../harness/stream-work.js').Given} */ given) =>
      (await freshCopy(WORK)).works[work](given);
    return {
      slabring: await make({ streams: loadStreams(nextTick), Buffer, nextTick }),
      'process.nextTick': await make({
        streams: loadStreams(),
        Buffer,
        nextTick: process.nextTick,
      }),
    };
  },
  verify(taken, { n, name }) {
    if (taken !== n) throw new Error(`${name}: ${taken} chunks of ${n}`);
  },
};
