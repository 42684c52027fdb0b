/** readable-stream 4 with its own `process.nextTick`, or with another. Node's `require` alone. */

import { createRequire } from 'node:module';

/** @import { NextTick } from '../harness/tick-shapes.js' */

export const streamRivals = [{ name: 'readable-stream', package: 'readable-stream' }];

/**
 * A copy of its own: two would share one schedule, and the code compiled for it.
 * @param {NextTick} [nextTick]
 * @returns {typeof import('node:stream')}
 */
export function loadStreams(nextTick) {
  const require = createRequire(import.meta.url);
  const main = require.resolve('readable-stream');
  const folder = main.slice(0, main.lastIndexOf('readable-stream') + 'readable-stream'.length);
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(folder)) delete require.cache[file];
  }
  if (nextTick !== undefined) {
    const shim = require.resolve(`${folder}/lib/internal/shims/process.js`);
    const theirs = require(shim);
    /** @type {any} */ (require.cache[shim]).exports = { ...theirs, nextTick };
  }
  return require('readable-stream');
}
