/**
 * `npm start`: sets up and builds what is missing, then runs the example. `-- --once` says that it
 * ends by itself, as it does anyway; a file to read may be named.
 */

import { build } from './build.js';
import { run } from './run.js';

try {
  await build();
  const files = process.argv.slice(2).filter((argument) => argument !== '--once');
  await run(process.execPath, ['examples/text/text.js', ...files]);
} catch (error) {
  console.error(`start: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
