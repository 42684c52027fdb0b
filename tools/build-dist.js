/** Makes dist/, what is published: the JavaScript in three files, small, with maps and types. */

import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const RELEASE = 'build/wasm-release';
const DIST = 'dist';
const WASM = `${RELEASE}/slabring.wasm`;

/** By the name in dist/ of what is imported in package.json's `exports`: its source. */
const ENTRIES = {
  slabring: 'js/index.js',
  inline: 'js/inline.js',
  process: 'js/process.js',
};

/** What the build wrote: no line of it helps anybody. */
const GENERATED = /\/(glue\.mjs|layout\.js|embedded\.js)$/;

/** Everything that dist/ is made of, besides the node modules of the lock file. */
const SOURCES = [
  'js',
  `${RELEASE}/glue.mjs`,
  `${RELEASE}/layout.js`,
  WASM,
  'tools/build-dist.js',
  'tools/build-types.js',
  'tools/source-map.js',
  'tsconfig.json',
  'tsconfig.types.json',
  'package-lock.json',
];

/**
 * An entry that is imported by another stays a file of its own: who uses both has one copy.
 * @type {import('esbuild').Plugin}
 */
const entriesApart = {
  name: 'entries-apart',
  setup({ onResolve }) {
    for (const [name, source] of Object.entries(ENTRIES)) {
      const file = source.replace('js/', './');
      onResolve({ filter: /^\.\// }, ({ path }) =>
        path === file ? { path: `./${name}.js`, external: true } : undefined,
      );
    }
  },
};

/**
 * The glue asks the page, at import, where its script came from. It fetches nothing; and an import
 * that does nothing can be left out by a bundler.
 * @type {import('esbuild').Plugin}
 */
const glueAsksNothing = {
  name: 'glue-asks-nothing',
  setup({ onLoad }) {
    onLoad({ filter: /\/glue\.mjs$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      return { contents: code.replaceAll('document.currentScript', 'undefined') };
    });
  },
};

/** The module as text, for `slabring/inline`. */
async function embed() {
  const base64 = await readFile(WASM, 'base64');
  await writeFile(`${RELEASE}/embedded.js`, `export const base64 = '${base64}';\n`);
}

/**
 * @param {string} name
 * @param {string} entry
 */
async function bundle(name, entry) {
  const { build } = await import('esbuild');
  const { minify } = await import('terser');
  const { reduceMap } = await import('./source-map.js');
  const { outputFiles } = await build({
    entryPoints: { [name]: entry },
    outdir: DIST,
    bundle: true,
    sourcemap: 'external',
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    external: ['node:*'],
    plugins: [entriesApart, glueAsksNothing],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const [bundleMap, bundled] = outputFiles;
  const file = `${name}.js`;
  // A tenth smaller after gzip than what esbuild's own minifier makes of it.
  const small = await minify(
    { [file]: bundled.text },
    {
      module: true,
      ecma: 2020,
      // A function used once stays a function: written into its caller it would be made anew at each
      // call, and a dropped buffer would take 28 ns instead of 24.
      // Statements, and each on a line of its own where that takes no semicolon: a map of short lines
      // is smaller, and so is the code.
      compress: { passes: 3, reduce_funcs: false, sequences: false },
      format: { semicolons: false },
      sourceMap: { content: bundleMap.text, filename: file, url: `${file}.map` },
    },
  );
  const [code, fullMap] = /** @type {string[]} */ ([small.code, small.map]);
  const map = reduceMap(JSON.parse(fullMap), code, GENERATED);
  await writeFile(`${DIST}/${file}`, code);
  await writeFile(`${DIST}/${file}.map`, JSON.stringify(map));
}

/** @param {string[]} paths files and folders */
export async function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true }).catch(() => undefined);
    for (const file of entries ? entries.sort().map((entry) => join(path, entry)) : [path]) {
      hash.update(`${file}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex');
}

/** Leaves dist/ as it is when nothing that it is made of has changed. */
export async function buildDist() {
  const stamp = 'build/dist.hash';
  const hash = await hashOf(SOURCES);
  const before = await readFile(stamp, 'utf8').catch(() => undefined);
  const files = await readdir(DIST).catch(() => []);
  if (before === hash && files.length > 0) {
    console.log(`${DIST}/: up to date`);
    return;
  }
  await rm(stamp, { force: true });
  await rm(DIST, { recursive: true, force: true });
  await mkdir(DIST);
  // Not before now: it needs what the set-up has installed.
  const { bundleTypes } = await import('./build-types.js');
  await embed();
  for (const [name, entry] of Object.entries(ENTRIES)) await bundle(name, entry);
  await cp(WASM, `${DIST}/slabring.wasm`);
  await bundleTypes(ENTRIES, DIST);
  await writeFile(stamp, hash);
  console.log(`${DIST}/: built`);
}
