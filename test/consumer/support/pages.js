/** What a user sees of a consumer's page. */

import { afterAll, beforeAll } from '@jest/globals';
import { launch } from '../../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../../tools/serve.js';

/**
 * Runs in the page, once all that its script awaits is there.
 * @returns {Promise<{ shown: string, fetched: string[] }>} the text of <output>, and the names of
 *   the WebAssembly files that were fetched
 */
async function look() {
  // The script's own instance: an error of its own comes out here.
  const script = document.querySelector('script[type=module][src]');
  if (script) await import(script.src);
  const shown = () => document.querySelector('output').value;
  for (let i = 0; i < 200 && shown() === ''; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (shown() === '') {
    // A script that is no module tells nobody why; run as one it does.
    if (!script) await import(document.querySelector('script[src]').src);
    throw new Error('the page shows nothing');
  }
  const names = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
  return { shown: shown(), fetched: names.filter((name) => name.endsWith('.wasm')) };
}

/**
 * A browser for the tests of a block.
 * @param {import('../../../tools/browsers/index.js').Engine} [engine]
 */
export function useBrowser(engine = 'chromium') {
  let browser;
  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser?.close());

  /** Opens an address and looks at the page. */
  const show = async (url) => {
    const page = await browser.open(url);
    try {
      return await page.evaluate(look);
    } finally {
      await page.close();
    }
  };

  /** The same, of a folder served under the policy that forbids code from strings. */
  const showFolder = async (folder, { page = '', policy = STRICT_POLICY } = {}) => {
    const server = await serve({ folders: { '/': folder }, policy });
    try {
      return await show(server.url + page);
    } finally {
      await server.close();
    }
  };
  return { show, showFolder };
}
