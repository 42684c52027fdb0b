/** The little that the tests read of Node's process; in a page there is none. */

import { ask } from './answers.js';
import { host } from './host.js';

export const process = {
  get env() {
    return host.env;
  },
  get versions() {
    return { node: host.nodeVersion };
  },
  cwd: () => '/',
  /** Only what it refuses: ticks of Node's come in Node. */
  nextTick: (...args) => ask('process.nextTick', undefined, args),
  hrtime: (...args) => ask('process.hrtime', undefined, args),
  emitWarning: (...args) => ask('process.emitWarning', undefined, args),
};
