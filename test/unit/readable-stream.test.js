/** readable-stream 4 with a heap's nextTick in place of its own: all data arrives, in order. */

import { describe, test } from '@jest/globals';
import { resultOf } from '../support/child.js';
import { expectations } from '../support/stream-expectations.js';

const workloads = new URL('../support/stream-workloads.js', import.meta.url).href;

describe('readable-stream', () => {
  test.each(Object.keys(expectations))('%s', (name) => {
    const result = resultOf(`
      import { createRequire } from 'node:module';
      import { workloads } from ${JSON.stringify(workloads)};
      const require = createRequire(${JSON.stringify(import.meta.url)});
      const heap = await createHeap();
      let ticks = 0;
      const nextTick = (...args) => { ticks++; heap.nextTick(...args); };
      const shim = require.resolve('readable-stream').replace(/ours.index\\.js$/, 'internal/shims/process.js');
      const theirs = require(shim);
      require.cache[shim].exports = { ...theirs, nextTick };
      const streams = require('readable-stream');
      print(await workloads.${name}({ streams, Buffer, nextTick }));
      if (ticks === 0 || heap.ticks.size !== 0 || heap.asyncIds.depth !== 0) throw new Error('ticks');
    `);
    expectations[name](result);
  });
});
