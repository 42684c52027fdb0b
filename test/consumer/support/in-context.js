/**
 * Run in a consumer with --experimental-vm-modules: an ES module in a context that has what the
 * language has, and of a host only the names given.
 *
 *   node in-context.js ENTRY NAME,NAME...     prints what the entry's `main` returns
 *   node in-context.js ENTRY                  prints which names of Node's or a page's are read at
 *                                             import
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createContext, runInNewContext, SourceTextModule } from 'node:vm';

const [entry, names] = process.argv.slice(2);
const require = createRequire(`${process.cwd()}/package.json`);

const OF_PAGES = ['window', 'self', 'document', 'location', 'importScripts', 'Worker'];
const language = runInNewContext('Object.getOwnPropertyNames(globalThis)');

const host = {};
const read = [];
if (names === undefined) {
  for (const name of [...Object.getOwnPropertyNames(globalThis), ...OF_PAGES]) {
    if (language.includes(name)) continue;
    Object.defineProperty(host, name, { get: () => void read.push(name), configurable: true });
  }
} else {
  for (const name of names.split(',')) host[name] = globalThis[name];
}
const context = createContext(host);

const modules = new Map();
/** @param {string} path */
function moduleOf(path) {
  const known = modules.get(path);
  if (known) return known;
  const module = new SourceTextModule(readFileSync(path, 'utf8'), {
    context,
    identifier: path,
    initializeImportMeta: (meta) => {
      meta.url = pathToFileURL(path).href;
    },
  });
  modules.set(path, module);
  return module;
}

const main = moduleOf(`${process.cwd()}/${entry}`);
await main.link((specifier, { identifier }) =>
  moduleOf(
    specifier.startsWith('.')
      ? new URL(specifier, pathToFileURL(identifier)).pathname
      : require.resolve(specifier),
  ),
);
await main.evaluate();
if (names === undefined) {
  console.log(JSON.stringify([...new Set(read)]));
} else {
  const wasm = new WebAssembly.Module(readFileSync(require.resolve('slabring/slabring.wasm')));
  console.log(JSON.stringify(await main.namespace.main(wasm)));
}
