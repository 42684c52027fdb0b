/** What a page is told when the module cannot be loaded, under real policies and from a real server. */

import { expect, test } from '@jest/globals';
import { describeInBrowsers } from './browser.js';

const WITHOUT_WASM = "default-src 'self'; script-src 'self'";

describeInBrowsers((open) => {
  test.each(['call', 'callInWorker'])('all load where WebAssembly is allowed: %s', async (call) => {
    const page = await open();
    expect(new Set(Object.values(await page[call]('/loading.js', 'all')))).toEqual(
      new Set(['loaded']),
    );
    await page.close();
  });

  test.each([
    [
      'a page in its place',
      '/index.html',
      /index\.html could not be compiled: it is HTML, not Web/,
    ],
    ['nothing there', '/nothing.wasm', /nothing\.wasm could not be loaded: 404/],
    [
      'no server there',
      'http://127.0.0.1:1/x.wasm',
      /127\.0\.0\.1:1\/x\.wasm could not be loaded: ./,
    ],
  ])('%s', async (_, wasm, expected) => {
    const page = await open();
    const { message } = await page.call('/loading.js', 'from', wasm);
    expect(message).toMatch(expected);
    expect(message).toContain('The option `wasm` says where the module is.');
    await page.close();
  });
});

describeInBrowsers((open) => {
  test('where the policy forbids WebAssembly, that is what is said', async () => {
    const page = await open();
    for (const [name, told] of Object.entries(await page.call('/loading.js', 'all'))) {
      expect([name, told.name, told.message]).toEqual([
        name,
        'CompileError',
        // WebKit's own words: it compiles the module, and refuses the instance.
        expect.stringMatching(/script-src.*'wasm-unsafe-eval'|'wasm-unsafe-eval'.*script-src/),
      ]);
    }
    await page.close();
  });
}, WITHOUT_WASM);
