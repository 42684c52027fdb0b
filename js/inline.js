/**
 * All of `slabring`, with the WebAssembly module inside of the JavaScript: for pages that cannot
 * fetch, and for bundles that shall be one file. 22 kB more (8 after gzip), instead of a file
 * of 16 (6).
 *
 * @module
 */

import { base64 } from '#embedded';
import { uncompilable } from './compile.js';
import { createHeap as create, createHeapSync as createSync } from './index.js';

/** @import { Heap, HeapOptions, LoadOptions, WasmBytes, WasmModule } from './index.js' */

export * from './index.js';

/** @type {WebAssembly.Module | undefined} */
let compiled;

/** The module inside, compiled once. */
function embedded() {
  if (compiled === undefined) {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    try {
      compiled = new WebAssembly.Module(bytes);
    } catch (error) {
      throw uncompilable('The module inside of slabring/inline', error);
    }
  }
  return compiled;
}

/**
 * A heap: as `createHeap` of `slabring`, but without the option `wasm` nothing is fetched.
 * @param {HeapOptions & LoadOptions} [options]
 * @returns {Promise<Heap>}
 * @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE or ERR_OUT_OF_RANGE for an option
 * @throws ERR_HEAP_EXHAUSTED when the engine has no memory of that size
 */
export async function createHeap(options = {}) {
  // What can hold no options is refused before it is touched.
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return create(options);
  }
  return (await options.wasm) === undefined ? createSync(embedded(), options) : create(options);
}

/**
 * A heap at once, as `createHeapSync` of `slabring`, from the module inside where no other is given.
 * @param {WasmModule | WasmBytes} [moduleOrBytes] with kernels of your own; undefined: the one inside
 * @param {HeapOptions} [options]
 * @returns {Heap}
 * @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE or ERR_OUT_OF_RANGE
 * @throws ERR_HEAP_EXHAUSTED when the engine has no memory of that size
 */
export function createHeapSync(moduleOrBytes, options) {
  return createSync(moduleOrBytes === undefined ? embedded() : moduleOrBytes, options);
}
