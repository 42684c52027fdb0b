/** readable-stream 4 as a page gets it: bundled with its Buffer and one `process`. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

const ENTRY = `
  export { default as streams } from 'readable-stream';
  export { Buffer } from 'buffer';
  export { default as process } from 'process/';
`;

/** What a page completes with a heap's nextTick: `process.nextTick = heap.nextTick`. */
const OUR_PROCESS = 'module.exports = { nextTick: undefined, env: {} };';

/**
 * @param {string} outfile exports `streams`, `Buffer` and `process`
 * @param {'heap' | 'npm'} ticks whether `process.nextTick` is left to the page, or that of npm's
 *   `process`, which bundlers take by themselves
 * @param {{ minify?: boolean }} [options]
 */
export async function bundleStreams(outfile, ticks, { minify = false } = {}) {
  await build({
    stdin: { contents: ENTRY, resolveDir: checkout },
    outfile,
    absWorkingDir: checkout,
    bundle: true,
    minify,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
    plugins: [
      {
        name: 'process',
        setup(builder) {
          if (ticks === 'npm') return;
          builder.onResolve({ filter: /^process\/?$/ }, () => ({
            path: 'process',
            namespace: 'heap',
          }));
          builder.onLoad({ filter: /.*/, namespace: 'heap' }, () => ({ contents: OUR_PROCESS }));
        },
      },
    ],
  });
}
