/** readable-stream 4, bundled for browsers, with a heap's nextTick: all data arrives, in order. */

import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleStreams } from '../../tools/browsers/streams-bundle.js';
import { expectations } from '../support/stream-expectations.js';
import { describeInBrowsers } from './browser.js';

beforeAll(async () => {
  const file = new URL('../../build/browser/streams-heap.js', import.meta.url);
  await bundleStreams(fileURLToPath(file), 'heap');
});

describeInBrowsers((open) => {
  const cases = Object.keys(expectations).flatMap((name) => [
    [name, 'call'],
    [name, 'callInWorker'],
  ]);

  test.each(cases)('%s: %s', async (name, call) => {
    const page = await open();
    const { result, ticks, left, depth } = await page[call]('/streams.js', 'run', name);
    expectations[name](result);
    expect(ticks).toBeGreaterThan(2);
    expect({ left, depth }).toEqual({ left: 0, depth: 0 });
    await page.close();
  });
});
