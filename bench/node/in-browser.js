import { fileURLToPath } from 'node:url';
import { launch } from '../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../tools/serve.js';
import { NANOSECONDS } from '../harness/run-case.js';

/** @import { Engine } from '../../tools/browsers/index.js' */
/** @import { Parameters } from '../harness/case.js' */
/** @import { Measured, MeasureOptions } from '../harness/measure.js' */

/** @param {string} path */
const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * One repetition of a case as the dashboard takes it, in a worker of a page of a browser of its own.
 * @param {Engine} engine
 * @param {string} name of the case
 * @param {Parameters} parameters
 * @param {MeasureOptions} options
 * @returns {Promise<Measured & { browser: string }>}
 */
export async function measureInBrowser(engine, name, parameters, options) {
  const server = await serve({
    folders: { '/': folder('../../build/bench-web/'), '/blank/': folder('../browser/') },
    // For the finer clock.
    isolated: true,
    policy: STRICT_POLICY,
  });
  try {
    const browser = await launch(engine);
    try {
      const page = await browser.open(`${server.url}blank/`);
      const { metrics, n, step, gc } = await page.evaluate(
        (job) =>
          new Promise((resolve, reject) => {
            const worker = new Worker('/run/worker.js', { type: 'module' });
            worker.onmessage = ({ data: { repetition, error } }) => {
              if (repetition) resolve(repetition);
              else reject(new Error(error));
            };
            worker.onerror = ({ message }) => reject(new Error(`in the worker: ${message}`));
            worker.postMessage(job);
          }),
        { name, options: { parameters, quick: false, ...options } },
      );
      return {
        samples: metrics[NANOSECONDS],
        n,
        step,
        gc,
        browser: `${engine} ${browser.version}`,
      };
    } finally {
      await browser.close();
    }
  } finally {
    await server.close();
  }
}
