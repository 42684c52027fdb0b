/**
 * All of `slabring`, with the WebAssembly module inside of the JavaScript: for pages that cannot
 * fetch, and for bundles that shall be one file. 14 kB more (10 after gzip), instead of a file of
 * 22 (9).
 *
 * @module
 */

import { packed, size } from '#embedded';
import { createHeap as create, createHeapSync as createSync } from './index.js';
import { inflate } from './inflate.js';

/** @import { Heap, HeapOptions, WasmBytes, WasmModule, WasmSource } from './index.js' */

export * from './index.js';

/** @type {WebAssembly.Module | undefined} */
let compiled;

/** The module inside, unpacked and compiled once. */
function embedded() {
  compiled ??= new WebAssembly.Module(
    inflate(
      Uint8Array.from(atob(packed), (char) => char.charCodeAt(0)),
      size,
    ),
  );
  return compiled;
}

/**
 * A heap: as `createHeap` of `slabring`, but nothing is fetched.
 * @param {HeapOptions & { wasm?: WasmSource | PromiseLike<WasmSource> }} [options] `wasm`: another
 *   module than the one inside
 * @returns {Promise<Heap>}
 */
export async function createHeap(options = {}) {
  return (await options?.wasm) === undefined ? createSync(embedded(), options) : create(options);
}

/**
 * A heap at once, as `createHeapSync` of `slabring`, from the module inside where no other is given.
 * @param {WasmModule | WasmBytes} [moduleOrBytes]
 * @param {HeapOptions} [options]
 * @returns {Heap}
 */
export function createHeapSync(moduleOrBytes, options) {
  return createSync(moduleOrBytes === undefined ? embedded() : moduleOrBytes, options);
}
