/** Other allocators of blocks in a memory of their own, by pointers. */

import { read } from '../host/read.js';

/**
 * @typedef {object} Allocator
 * @property {(size: number) => number} malloc a pointer, 0 when there is no room
 * @property {(pointer: number) => unknown} free
 * @property {() => number} reserved bytes that are not to be had for anything else
 *
 * @typedef {object} AllocatorRival
 * @property {string} name
 * @property {string} [package]
 * @property {number} [most] blocks alive at once: more would take hours
 * @property {(bytes: number) => Promise<Allocator>} load
 */

/** Of each of Emscripten's; they are linked for it, and do not grow, as a region does not. */
const MEMORY = 2 ** 30;
const PAGE = 65_536;

/**
 * Emscripten's allocators are modules of their own, built with our flags: see CMakeLists.txt. What
 * measures them needs 'rivals'.
 * @param {string} name
 * @returns {AllocatorRival}
 */
const emscripten = (name) => ({
  name,
  async load() {
    const file = `../../build/wasm-release/rival_${name}.wasm`;
    const module = await WebAssembly.compile(await read(new URL(file, import.meta.url)));
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
    const { __wasm_call_ctors, rival_alloc, rival_free, rival_reserved } = /** @type {any} */ (
      exports
    );
    __wasm_call_ctors();
    return { malloc: rival_alloc, free: rival_free, reserved: rival_reserved };
  },
});

/** @type {AllocatorRival[]} */
export const allocatorRivals = [
  emscripten('dlmalloc'),
  emscripten('emmalloc'),
  emscripten('mimalloc'),
  {
    name: '@thi.ng/malloc',
    package: '@thi.ng/malloc',
    // A free block is looked for from the first on.
    most: 1000,
    async load(bytes) {
      const { MemPool } = await import('@thi.ng/malloc');
      const pool = new MemPool({ size: bytes });
      return {
        malloc: (size) => pool.malloc(size),
        free: (pointer) => pool.free(pointer),
        reserved: () => pool.stats().top,
      };
    },
  },
];
