import { engines } from '../../tools/browsers/index.js';
import { measureInBrowser } from '../node/in-browser.js';

/** Where the first and the last ticks shall be lost in a sample. @type {Record<string, number>} */
const lengths = {
  pipe: 500_000,
  'pipe-objects': 500_000,
  'writes-many': 500_000,
  'writes-many-callback': 200_000,
};

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'streams-browser',
  about: "readable-stream in browsers with a heap's nextTick, npm's process, and bare microtasks.",
  host: 'node',
  parameters: {
    engine: engines,
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
  needs: ({ engine }) => ['streams', engine],
  n: ({ work }) => lengths[work],
  batch: ({ work }) => (work.startsWith('pipes-of-1024') ? 1024 : 1),
  elsewhere: ({ engine, work }, options) =>
    measureInBrowser(engine, '/streams.js', { work, ...options }),
};
