/**
 * `npm start`: sets up and builds what is missing, runs the example, and serves the benchmarks as a
 * page until it is told to end.
 *
 *   node tools/start.js [file ...] [--once] [--port <n>]     once: the example alone
 */

import { parseArgs } from 'node:util';
import { build } from './build.js';
import { run } from './run.js';
import { STRICT_POLICY, serve } from './serve.js';

/** What a browser keeps for the page it keeps by its port: the same one, if it can be. */
const PORT = 8302;

/** @param {string | undefined} text */
function portOf(text) {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new Error(`--port ${text}: no such port`);
}

/** @param {number | undefined} asked */
async function servePage(asked) {
  const { OUT, buildWeb } = await import('./web-folder.js');
  await buildWeb();
  const options = { folders: { '/': OUT }, isolated: true, policy: STRICT_POLICY };
  try {
    return await serve({ ...options, port: asked ?? PORT });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EADDRINUSE') throw error;
    if (asked !== undefined) throw new Error(`port ${asked} is taken`);
    return serve(options);
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { once: { type: 'boolean', default: false }, port: { type: 'string' } },
  });
  const port = portOf(values.port);
  await build({ bench: !values.once });
  await run(process.execPath, ['examples/text/text.js', ...positionals]);
  if (!values.once) {
    const { url, close } = await servePage(port);
    console.log(`\nThe benchmarks in your own browser: ${url}   (Ctrl+C ends this)`);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, close);
  }
} catch (error) {
  console.error(`start: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
