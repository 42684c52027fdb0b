import { fileURLToPath } from 'node:url';
import { launch } from '../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../tools/serve.js';

/** @import { Engine } from '../../tools/browsers/index.js' */
/** @import { Measured } from '../harness/measure.js' */

/** @param {string} path */
const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Calls `measure` of a module of bench/browser/ in a browser of its own.
 * @param {Engine} engine
 * @param {string} module
 * @param {unknown[]} args
 * @returns {Promise<Measured & { browser: string }>}
 */
export async function measureInBrowser(engine, module, ...args) {
  const server = await serve({
    folders: {
      '/': folder('../browser/'),
      '/harness/': folder('../harness/'),
      '/dist/': folder('../../dist/'),
      '/build/': folder('../../build/'),
    },
    // For the finer clock.
    isolated: true,
    policy: STRICT_POLICY,
  });
  try {
    const browser = await launch(engine);
    try {
      const page = await browser.open(server.url);
      const measured = await page.evaluate(
        async (from, values) => (await import(from)).measure(...values),
        module,
        args,
      );
      return { ...measured, browser: `${engine} ${browser.version}` };
    } finally {
      await browser.close();
    }
  } finally {
    await server.close();
  }
}
