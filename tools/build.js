/**
 * Makes everything from the sources: the WebAssembly modules and their glue in build/, and in dist/
 * what would be published.
 */

import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from './run.js';
import { setup } from './setup.js';

const DIST = 'dist';

/**
 * @param {{ run: Function }} toolchain
 * @param {string} preset
 */
async function buildWasm(toolchain, preset) {
  await toolchain.run('cmake', ['--preset', preset, '--log-level=WARNING']);
  await toolchain.run('cmake', ['--build', '--preset', preset]);
}

/** The JavaScript in one file, small: it is counted against the size budget. */
async function bundle() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: { slabring: 'js/index.js' },
    outdir: DIST,
    bundle: true,
    minify: true,
    sourcemap: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    external: ['node:*'],
    legalComments: 'none',
    logLevel: 'warning',
  });
}

/**
 * @param {{ debug?: boolean, toolchain?: { run: Function } }} options `debug`: the module with every
 *   assertion too, for the tests
 */
export async function build({ debug = false, toolchain } = {}) {
  const tools = toolchain ?? (await setup({ tests: false })).toolchain;
  await buildWasm(tools, 'wasm-release');
  if (debug) await buildWasm(tools, 'wasm-debug');
  await rm(DIST, { recursive: true, force: true });
  await mkdir(DIST);
  await bundle();
  await cp('build/wasm-release/slabring.wasm', `${DIST}/slabring.wasm`);
  await run('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { debug: { type: 'boolean', default: false } } });
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  await build(values);
}
