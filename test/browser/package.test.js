/** The package as a page gets it: served from dist/ under a strict policy. */

import { expect, test } from '@jest/globals';
import { describeInBrowsers } from './browser.js';

describeInBrowsers((open) => {
  test.each(['call', 'callInWorker'])(
    'the page is strict, isolated and no Node: %s',
    async (call) => {
      const page = await open();
      expect(await page[call]('/package.js', 'conditions')).toEqual({
        isolated: true,
        code: 'refused',
        Buffer: 'undefined',
        process: 'undefined',
      });
      await page.close();
    },
  );

  test.each(['call', 'callInWorker'])('loads, and fetches its module once: %s', async (call) => {
    const page = await open();
    expect(await page[call]('/package.js', 'load')).toEqual({
      fetched: [expect.stringMatching(/\/dist\/slabring\.wasm$/)],
      problems: [],
      refused: [],
    });
    await page.close();
  });

  test.each(['call', 'callInWorker'])('buffers are Uint8Arrays onto the heap: %s', async (call) => {
    const page = await open();
    expect(await page[call]('/package.js', 'buffers')).toEqual({
      parents: ['HeapBuffer', 'Uint8Array', 'TypedArray', 'Object'],
      isUint8Array: true,
      plainParent: true,
      decoded: 'naïve €',
      copied: 'naïve €',
      oneMemory: true,
      zeroed: true,
      recycled: true,
      twice: 'ERR_BUFFER_FREED',
      problems: [],
    });
    await page.close();
  });
});
