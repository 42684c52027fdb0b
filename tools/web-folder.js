/**
 * The dashboard: a static folder that works from any path on any static host.
 *
 * What is measured stays a module a file, at the paths that it has in the checkout: a worker loads
 * what its case needs and nothing else, and a fresh copy of a loop is one. Around it the page, its
 * workers, and what it shows at first sight.
 */

import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build as bundle } from 'esbuild';
import { analyse } from '../bench/harness/analysis.js';
import { parseResults, rounded } from '../bench/harness/results.js';
import { warningsOf } from '../bench/harness/warnings.js';
import { contextOf } from '../bench/node/context.js';
import { catalogueOf } from '../web/run/variants.js';
import { bundleStreams } from './browsers/streams-bundle.js';
import { checkout } from './machine.js';
import { STRICT_POLICY } from './serve.js';
import { filesIn } from './sources.js';

/** @import { BuildOptions, Plugin } from 'esbuild' */
/** @import { Case } from '../bench/harness/case.js' */

export const OUT = 'build/web';

/** Ours that is loaded as it stands, wherever it is imported from. */
const APART = /^(bench|dist)\//;

const RELEASE = 'build/wasm-release';

/** Of the Emscripten rivals, and of the live view. */
const MODULES = /^(rival_.*|live)(?<!_link)\.wasm$/;

/** @param {string} path in the checkout @returns its place in the folder */
const placeOf = (path) => path.replace(/^web\//, '');

/** @param {string} from a place @param {string} to another */
function importPath(from, to) {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/**
 * Leaves out what is loaded apart, by where it will be.
 * @param {(path: string) => boolean} isApart
 * @returns {Plugin}
 */
const loadedApart = (isApart) => ({
  name: 'loaded apart',
  setup(builder) {
    builder.onResolve({ filter: /^(\.|slabring$)/ }, ({ path, importer, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined;
      const found =
        path === 'slabring'
          ? 'dist/slabring.js'
          : relative(checkout, resolve(resolveDir, path)).replaceAll('\\', '/');
      if (!isApart(found)) return undefined;
      const from = placeOf(relative(checkout, importer));
      return { path: importPath(from, placeOf(found)), external: true };
    });
  },
});

/**
 * Modules that are made here.
 * @param {Record<string, unknown>} exports by name; what is an object of `default` and others
 * @returns {Plugin}
 */
const madeHere = (exports) => ({
  name: 'made here',
  setup(builder) {
    builder.onResolve({ filter: /^built:/ }, ({ path }) => ({ path, namespace: 'built' }));
    builder.onLoad({ filter: /.*/, namespace: 'built' }, ({ path }) => ({
      contents: JSON.stringify(exports[path.slice('built:'.length)]),
      loader: 'json',
    }));
  },
});

/** What the library of charts can do and this page's do not: maps, and colours by a scheme. */
const UNUSED = /^d3-(geo|scale-chromatic)$/;

/** @type {Plugin} */
const withoutUnused = {
  name: 'without unused',
  setup(builder) {
    builder.onResolve({ filter: UNUSED }, ({ path }) => ({
      path,
      namespace: 'unused',
      sideEffects: false,
    }));
    builder.onLoad({ filter: /.*/, namespace: 'unused' }, async ({ path }) => ({
      contents: Object.keys(await import(path))
        .map((name) => `export const ${name} = () => {};`)
        .join('\n'),
    }));
  },
};

/** @type {BuildOptions} */
const common = {
  absWorkingDir: checkout,
  outbase: checkout,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
  define: { global: 'globalThis' },
  logLevel: 'warning',
};

/** @returns {Promise<{ file: string, benchmark: Case }[]>} */
async function allCases() {
  return Promise.all(
    filesIn('bench/cases', /\.js$/).map(async (file) => ({
      file,
      benchmark: /** @type {Case} */ ((await import(join(checkout, file))).default),
    })),
  );
}

/**
 * Whatever the cases import, and theirs.
 * @param {string[]} files
 */
async function withImports(files) {
  const { metafile } = await bundle({
    ...common,
    entryPoints: files,
    outdir: 'nowhere',
    write: false,
    metafile: true,
    packages: 'external',
    external: ['node:*'],
  });
  return Object.keys(metafile.inputs).filter((path) => APART.test(path));
}

/** Modules that cases load by their URL. */
const LOADED_BY_URL = filesIn('bench/harness', /-(loops?|shapes|work)\.js$|^vec3\.js$/);

/**
 * @param {string} out
 * @param {string[]} cases files
 */
async function buildMeasured(out, cases) {
  const entries = new Set([
    ...(await withImports([...cases, 'web/run/worker.js', 'web/run/analysis-worker.js'])),
    ...LOADED_BY_URL,
  ]);
  await bundle({
    ...common,
    entryPoints: [...entries].filter((path) => path.startsWith('bench/')),
    outdir: out,
    splitting: true,
    chunkNames: 'packages/[name]-[hash]',
    // What is measured is the code as it stands, by shorter names.
    minifyWhitespace: true,
    minifyIdentifiers: true,
    external: ['node:*'],
    plugins: [loadedApart((path) => APART.test(path))],
  });
  await mkdir(join(out, 'dist'), { recursive: true });
  for (const name of ['slabring.js', 'slabring.wasm']) {
    await cp(`dist/${name}`, join(out, 'dist', name));
  }
  await mkdir(join(out, RELEASE), { recursive: true });
  for (const name of (await readdir(RELEASE)).filter((name) => MODULES.test(name))) {
    await cp(join(RELEASE, name), join(out, RELEASE, name));
  }
  await bundleStreams(resolve(out, 'build/browser/streams-heap.js'), 'heap', { minify: true });
}

/**
 * The page and its workers, and all else that lies in web/.
 * @param {string} out
 * @param {Record<string, unknown>} made
 */
async function buildPage(out, made) {
  const workers = filesIn('web', /(^|[/-])worker\.js$/).filter((file) => !/service-/.test(file));
  const pages = filesIn('web', /^main\.jsx?$/);
  await bundle({
    ...common,
    entryPoints: [...pages, 'web/style/main.css'].map((file) => ({ in: file, out: 'main' })),
    outdir: out,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [madeHere(made), withoutUnused],
  });
  await bundle({
    ...common,
    outbase: 'web',
    entryPoints: workers,
    outdir: out,
    minify: true,
    plugins: [madeHere(made), loadedApart((path) => APART.test(path))],
  });
  for (const file of filesIn('web', /\.(html|svg|png|webmanifest)$/)) {
    await cp(file, join(out, placeOf(file)));
  }
}

/**
 * What is seen first, analysed already; the samples lie beside it for whoever asks for them.
 * @param {string} out
 * @param {{ benchmark: Case }[]} cases
 */
async function buildReference(out, cases) {
  const text = await readFile('bench/results/reference.json', 'utf8');
  const results = parseResults(text);
  const findings = analyse(results);
  const { rows, ...about } = results;
  const summary = {
    ...about,
    cases: Object.fromEntries(cases.map(({ benchmark: { name, about } }) => [name, about])),
    errors: Object.fromEntries(rows.flatMap(({ id, error }) => (error ? [[id, error]] : []))),
    findings,
    warnings: warningsOf(results, findings),
  };
  await mkdir(join(out, 'reference'), { recursive: true });
  await writeFile(join(out, 'reference/results.json'), text);
  await writeFile(join(out, 'reference/findings.json'), JSON.stringify(summary, rounded));
}

/** For hosts that take headers from a file of this name. */
const HEADERS = `/*
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  Content-Security-Policy: ${STRICT_POLICY}
  X-Content-Type-Options: nosniff
`;

/**
 * The page without a network: the worker knows every file by name, and all of them by a hash.
 * @param {string} out
 */
async function buildServiceWorker(out) {
  const paths = filesIn(out, /\.\w+$/).map((file) => relative(out, file));
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(await readFile(join(out, path)));
  const version = hash.digest('hex').slice(0, 16);
  // Some hosts send whoever asks for index.html to its folder.
  const files = paths.map((path) => (path === 'index.html' ? './' : path));
  await bundle({
    ...common,
    format: 'iife',
    outbase: 'web',
    entryPoints: ['web/service-worker.js'],
    outdir: out,
    minify: true,
    plugins: [madeHere({ files: { files, version } })],
  });
}

/** What others made and is measured beside ours: loaded when a case that needs it runs. */
const RIVALS = /^(packages|build\/browser)\/|\/rival_/;

/**
 * Bytes after gzip of all but the reference results: by folder or file, of the rivals, and of the page
 * without them.
 * @param {string} [out]
 */
export async function weigh(out = OUT) {
  /** @type {Record<string, number>} */
  const parts = {};
  let [page, rivals] = [0, 0];
  for (const file of filesIn(out, /\.(css|html|js|json|svg|wasm)$/)) {
    const path = relative(out, file);
    if (path.startsWith('reference/')) continue;
    const bytes = gzipSync(await readFile(file), { level: 9 }).length;
    const part = path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path;
    parts[part] = (parts[part] ?? 0) + bytes;
    if (RIVALS.test(path)) rivals += bytes;
    else page += bytes;
  }
  return { parts, page, rivals };
}

/**
 * Of what lies in dist/ and build/.
 * @param {{ out?: string }} [options]
 */
export async function buildWeb({ out = OUT } = {}) {
  const target = resolve(checkout, out);
  const temporary = `${target}.${process.pid}`;
  const everything = await allCases();
  // Those that a page can run.
  const cases = everything.filter(
    ({ benchmark }) => benchmark.host !== 'node' && !benchmark.elsewhere,
  );
  const { commit, build: kind, packages } = await contextOf();
  const made = {
    catalogue: catalogueOf(cases.map(({ benchmark }) => benchmark)),
    about: { commit, build: kind, packages },
  };
  await mkdir(temporary, { recursive: true });
  try {
    const files = cases.map(({ file }) => file);
    await buildMeasured(temporary, files);
    await buildPage(temporary, made);
    await buildReference(temporary, everything);
    await writeFile(join(temporary, '_headers'), HEADERS);
    await buildServiceWorker(temporary);
    // Whoever serves the folder has a whole one at any time.
    await rm(`${temporary}.old`, { recursive: true, force: true });
    await rename(target, `${temporary}.old`).catch(() => {});
    await rename(temporary, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(`${temporary}.old`, { recursive: true, force: true });
  }
}
