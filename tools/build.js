/**
 * Makes everything from the sources: the WebAssembly modules and their glue in build/, and in dist/
 * what would be published. What is up to date is left as it is.
 */

import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkout } from './machine.js';
import { run } from './run.js';
import { setup } from './setup.js';

/** @import { Toolchain } from './machine.js' */

const RELEASE = 'build/wasm-release';
const DIST = 'dist';
const NAME = 'slabring.js';

/** Everything that dist/ is made of, besides the node modules of the lock file. */
const DIST_SOURCES = [
  'js',
  `${RELEASE}/glue.mjs`,
  `${RELEASE}/layout.js`,
  `${RELEASE}/slabring.wasm`,
  'tools/build.js',
  'tsconfig.json',
  'tsconfig.types.json',
  'package-lock.json',
];

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

/** The JavaScript in one file, small: it is counted against the size budget. */
async function bundle() {
  const { build } = await import('esbuild');
  const { minify } = await import('terser');
  const { outputFiles } = await build({
    entryPoints: { slabring: 'js/index.js' },
    outdir: DIST,
    bundle: true,
    sourcemap: 'external',
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    external: ['node:*'],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const [map, code] = outputFiles;
  // A tenth smaller after gzip than what esbuild's own minifier makes of it.
  const small = await minify(
    { [NAME]: code.text },
    {
      module: true,
      ecma: 2020,
      // A function used once stays a function: written into its caller it would be made anew at each
      // call, and a dropped buffer would take 28 ns instead of 24.
      compress: { passes: 3, reduce_funcs: false },
      // An engine that reports an error without the source map quotes the whole line.
      format: { max_line_len: 1000 },
      sourceMap: { content: map.text, filename: NAME, url: `${NAME}.map` },
    },
  );
  await writeFile(`${DIST}/${NAME}`, /** @type {string} */ (small.code));
  await writeFile(`${DIST}/${NAME}.map`, /** @type {string} */ (small.map));
}

/** @param {string[]} paths files and folders */
async function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true }).catch(() => undefined);
    for (const file of entries ? entries.sort().map((entry) => join(path, entry)) : [path]) {
      hash.update(`${file}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex');
}

async function buildDist() {
  const stamp = 'build/dist.hash';
  const hash = await hashOf(DIST_SOURCES);
  if ((await readIfThere(stamp)) === hash && (await readIfThere(`${DIST}/${NAME}`))) {
    console.log(`${DIST}/: up to date`);
    return;
  }
  await rm(DIST, { recursive: true, force: true });
  await mkdir(DIST);
  await bundle();
  await cp(`${RELEASE}/slabring.wasm`, `${DIST}/slabring.wasm`);
  await run('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json']);
  await cp('build/types/js', `${DIST}/types`, { recursive: true });
  await writeFile(stamp, hash);
  console.log(`${DIST}/: built`);
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
