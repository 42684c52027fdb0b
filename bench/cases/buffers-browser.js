import { engines } from '../../tools/browsers/index.js';
import { measureInBrowser } from '../node/in-browser.js';

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'buffers-browser',
  about: 'One buffer after the other in browsers, ours given back at once.',
  host: 'node',
  parameters: { engine: engines, operation: ['alloc', 'allocUnsafe'], size: [10, 1024] },
  needs: ({ engine }) => [engine, 'page'],
  elsewhere: ({ engine, operation, size }, options) =>
    measureInBrowser(engine, 'buffer-creation', { operation, size, end: 'freed' }, options),
};
