/**
 * Emscripten's allocators as modules of their own: `node tools/build.js --bench` makes them, with our
 * flags (see CMakeLists.txt).
 */

import { readFile } from 'node:fs/promises';

/**
 * @typedef {object} Rival
 * @property {(size: number) => number} alloc an address, or 0
 * @property {(address: number) => void} free
 */

/** Of each; they do not grow, as a region does not. */
const MEMORY = 2 ** 30;
const PAGE = 65536;

/** @param {string} name @returns {Promise<Rival>} */
async function load(name) {
  const url = new URL(`../../build/wasm-release/rival_${name}.wasm`, import.meta.url);
  const module = await WebAssembly.compile(await readFile(url));
  /** @type {WebAssembly.Imports} */
  const imports = {};
  const pages = MEMORY / PAGE;
  // mimalloc asks the host for the time, its environment and some entropy: 0 will do.
  for (const { module: from, name: what, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][what] =
      kind === 'memory' ? new WebAssembly.Memory({ initial: pages, maximum: pages }) : () => 0;
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  const { __wasm_call_ctors, rival_alloc, rival_free } = /** @type {any} */ (exports);
  __wasm_call_ctors();
  return { alloc: rival_alloc, free: rival_free };
}

/** @param {string[]} names @returns {Promise<Record<string, Rival>>} */
export async function loadRivals(names = ['dlmalloc', 'emmalloc', 'mimalloc']) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await load(name)])));
}
