import { fileURLToPath } from 'node:url';
import { launch } from '../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../tools/serve.js';

/** @import { Engine } from '../../tools/browsers/index.js' */

/** @param {string} path */
const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Calls a function of a module of bench/browser/ in a browser of its own.
 * @param {Engine} engine
 * @param {string} module
 * @param {string} name
 * @param {unknown[]} args
 */
export async function callInBrowser(engine, module, name, ...args) {
  const server = await serve({
    folders: {
      '/': folder('../browser/'),
      '/harness/': folder('./'),
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
      return await page.evaluate(
        async (from, called, values) => (await import(from))[called](...values),
        module,
        name,
        args,
      );
    } finally {
      await browser.close();
    }
  } finally {
    await server.close();
  }
}
