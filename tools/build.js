/**
 * Makes everything from the sources: the WebAssembly modules and their glue in build/, and in dist/
 * what would be published. What is up to date is left as it is.
 */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildDist, hashOf } from './build-dist.js';
import { checkout } from './machine.js';
import { setup } from './setup.js';

/** @import { Toolchain } from './machine.js' */

/**
 * @param {string} path
 * @returns {Promise<string | undefined>}
 */
const readIfThere = (path) => readFile(path, 'utf8').catch(() => undefined);

/**
 * @param {Toolchain} toolchain
 * @param {'wasm-release' | 'wasm-debug'} preset
 * @param {string[]} targets as `--target <name>`; by default what is built by default
 */
async function buildWasm(toolchain, preset, targets = []) {
  // CMake keeps the compiler and the preset it was configured with; another one needs a new start.
  // Of changes to CMakeLists.txt the build takes notice by itself.
  const stamp = `build/${preset}.stamp`;
  const presets = await hashOf(['CMakePresets.json']);
  const identity = `${toolchain.kind} ${toolchain.version} ${toolchain.where} ${presets}`;
  if ((await readIfThere(stamp)) !== identity) {
    await rm(stamp, { force: true });
    await toolchain.run('cmake', ['--fresh', '--preset', preset, '--log-level=WARNING']);
    await writeFile(stamp, identity);
  }
  await toolchain.run('cmake', ['--build', '--preset', preset, ...targets]);
}

/**
 * @param {object} [options]
 * @param {boolean} [options.debug] the module with every assertion too, for the tests
 * @param {boolean} [options.tests] set up what the native tests need, too
 * @param {boolean} [options.bench] the allocators that the benchmarks compare with, too
 */
export async function build({ debug = false, tests = false, bench = false } = {}) {
  process.chdir(checkout);
  const { toolchain } = await setup({ tests });
  await buildWasm(toolchain, 'wasm-release');
  if (debug) await buildWasm(toolchain, 'wasm-debug');
  if (bench) await buildWasm(toolchain, 'wasm-release', ['--target', 'rivals']);
  await buildDist();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      debug: { type: 'boolean', default: false },
      bench: { type: 'boolean', default: false },
    },
  });
  try {
    await build(values);
  } catch (error) {
    console.error(`build: ${/** @type {Error} */ (error).message}`);
    process.exitCode = 1;
  }
}
