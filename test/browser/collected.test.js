/**
 * Buffers that nobody frees, in browsers. When an engine collects is its own affair, and told in
 * docs/decisions/0006; what is tested is that nothing is lost: no buffer that somebody still holds
 * is given away, and where nothing came back in time there are ordinary buffers instead.
 */

import { expect, test } from '@jest/globals';
import { describeInBrowsers } from './browser.js';

const MIB = 2 ** 20;

describeInBrowsers((open, engine) => {
  test.each([64, 1024, 16_384, MIB])('dropped ones: %p bytes', async (size) => {
    const page = await open();
    const options = { size, total: 128 * MIB, maxBytes: 64 * MIB };
    const { peak, fallbacks, count, wrong, problems } = await page.call(
      '/collected.js',
      'drop',
      options,
    );
    if (process.env.SHOW_COLLECTED) {
      console.log(
        engine,
        size,
        `peak ${Math.round(peak / MIB)} MiB, fallbacks ${fallbacks} of ${count}`,
      );
    }
    expect({ wrong, problems }).toEqual({ wrong: 0, problems: [] });
    expect(peak).toBeLessThanOrEqual(64 * MIB);
    await page.close();
  });
});
