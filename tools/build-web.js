/**
 * `npm run build:web`: sets up and builds what is missing, and then the dashboard, a static folder for
 * any host; says what it weighs.
 *
 *   node tools/build-web.js [--out <folder>]
 */

import { parseArgs } from 'node:util';
import { build } from './build.js';

/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1).padStart(8)} kB`;

try {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  await build({ bench: true });
  // It needs modules that the set-up has installed just now.
  const { OUT, buildWeb, weigh } = await import('./web-folder.js');
  const { out = OUT } = values;
  await buildWeb({ out });
  const { parts, page, rivals } = await weigh(out);
  for (const [part, bytes] of Object.entries(parts)) console.log(`${kilobytes(bytes)}  ${part}`);
  console.log(`${kilobytes(page)}  after gzip, without reference results and rivals`);
  console.log(`${kilobytes(rivals)}  rivals, loaded when they are measured`);
  console.log(`${out}/: built`);
} catch (error) {
  console.error(`build: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
