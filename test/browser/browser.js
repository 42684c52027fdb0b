/** What the tests in browsers share. Their programs are the modules in pages/, which the strict policy allows. */

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { engines, launch } from '../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../tools/serve.js';

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Strictest first: what works here works elsewhere. */
export const servePages = (policy = STRICT_POLICY) =>
  serve({
    folders: {
      '/': folder('pages/'),
      '/support/': folder('../support/'),
      '/dist/': folder('../../dist/'),
      '/build/': folder('../../build/'),
    },
    isolated: true,
    policy,
  });

/**
 * The same tests in each engine. They get a function that gives a fresh page, which has `call` to
 * call a function of a module there and `callInWorker` to do so in a worker of its own.
 * @param {(open: () => Promise<any>, engine: string) => void} suite
 * @param {string} [policy] the Content-Security-Policy of the pages
 */
export function describeInBrowsers(suite, policy) {
  describe.each(engines)('%s', (engine) => {
    let server;
    let browser;

    beforeAll(async () => {
      server = await servePages(policy);
      browser = await launch(engine);
    });

    afterAll(async () => {
      await browser?.close();
      await server?.close();
    });

    const open = async () => {
      const page = await browser.open(server.url);
      return Object.assign(page, {
        call: (module, name, ...args) =>
          page.evaluate(
            async (module, name, args) => (await import(module))[name](...args),
            module,
            name,
            args,
          ),
        callInWorker: (module, name, ...args) =>
          page.evaluate(
            (module, name, args) =>
              new Promise((resolve, reject) => {
                const worker = new Worker('/worker.js', { type: 'module' });
                worker.onmessage = ({ data: { value, error } }) => {
                  worker.terminate();
                  if (error) reject(error);
                  else resolve(value);
                };
                worker.onerror = ({ message }) => reject(new Error(`in the worker: ${message}`));
                worker.postMessage({ module, name, args });
              }),
            module,
            name,
            args,
          ),
      });
    };
    suite(open, engine);
  });
}
