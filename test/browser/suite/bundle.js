/** The test files as a page can load them, from the sources that Jest runs in Node. */

import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Of Node's modules, those of which ./node-modules.js has a part. */
const IN_PART = ['buffer', 'crypto', 'dns', 'fs', 'url', 'util', 'vm', 'worker_threads'];

/** All else of them: only whoever uses it fails. */
const absent = (/** @type {string} */ name) => `
  const here = ${IN_PART.includes(name) ? `require(${JSON.stringify(here('node-modules.js'))})` : '{}'};
  // Behind an object: esbuild copies what a module has, and asks its prototype for all else.
  module.exports = Object.create(new Proxy({}, {
    get: (_, key) => here[key] ?? (() => { throw new Error('only in Node: ${name}, ' + String(key)); }),
  }));
`;

/** util.format, as far as titles of tests go. */
const UTIL = `
  exports.format = (text, ...args) =>
    String(text).replace(/%[sdif]/g, (holder) => {
      if (args.length === 0) return holder;
      const value = args.shift();
      if (holder === '%s') {
        if (typeof value === 'bigint') return value + 'n';
        return Object.is(value, -0) ? '-0' : String(value);
      }
      if (holder === '%d') return typeof value === 'bigint' ? value + 'n' : String(Number(value));
      return String(holder === '%i' ? Number.parseInt(value) : Number.parseFloat(value));
    });
`;

const plugin = {
  name: 'suite',
  setup(builder) {
    const alias = (filter, path) => builder.onResolve({ filter }, () => ({ path: here(path) }));
    alias(/^@jest\/globals$/, 'globals.js');
    alias(/^jest-(util|message-util)$/, 'jest-parts.js');

    // As it is shipped, and only once.
    builder.onResolve({ filter: /^slabring(\/\w+)?$/ }, ({ path }) => ({
      path: `../../dist/${path.replace('slabring/', '')}.js`,
      external: true,
    }));

    builder.onResolve({ filter: /.*/ }, ({ path, importer }) => {
      const name = path.replace(/^node:/, '');
      if (!builtinModules.includes(name)) return undefined;
      // What titles need of it.
      if (name === 'util' && importer.includes('/node_modules/'))
        return { path: name, namespace: 'util' };
      return { path: name, namespace: 'absent' };
    });
    builder.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: absent(path),
      resolveDir: checkout,
    }));
    builder.onLoad({ filter: /.*/, namespace: 'util' }, () => ({ contents: UTIL }));

    // Where a file lies, seen from the root: the bundle is somewhere else.
    builder.onLoad({ filter: /\/test\/(unit|property|support)\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = `new URL(${JSON.stringify(relative(checkout, path))}, suiteRoot).href`;
      return { contents: text.replaceAll('import.meta.url', place) };
    });
  },
};

/** All bundles lie side by side: dist/ is as far from each. @param {string} file */
export const nameOf = (file) => file.replace(/\.js$/, '').replaceAll('/', '-');

/**
 * @param {string[]} files below test/
 * @param {string} outdir two levels below the checkout
 */
export async function bundleTests(files, outdir) {
  const entryPoints = Object.fromEntries(
    files.map((file) => [nameOf(file), `${checkout}test/${file}`]),
  );
  await build({
    entryPoints: { ...entryPoints, page: here('page.js') },
    outdir,
    absWorkingDir: checkout,
    bundle: true,
    splitting: true,
    sourcemap: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    inject: [here('globals.js')],
    logLevel: 'warning',
    plugins: [plugin],
  });
}
