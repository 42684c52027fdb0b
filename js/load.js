/**
 * Finding and compiling the WebAssembly module. Nothing happens at import: a page that only renders
 * on a server never loads it.
 */

import { invalidArgType } from './errors.js';

/** @typedef {WebAssembly.Module | BufferSource | Response | URL | string} WasmSource */

/** @type {Promise<WebAssembly.Module> | undefined} */
let shipped;

/** The module that comes with the package, compiled once. */
function shippedModule() {
  shipped ??= loadUrl(new URL('./slabring.wasm', import.meta.url)).catch((error) => {
    shipped = undefined; // the next call may have more luck
    throw error;
  });
  return shipped;
}

/**
 * @param {URL} url
 * @returns {Promise<WebAssembly.Module>}
 */
async function loadUrl(url) {
  if (url.protocol === 'file:') {
    // Only reached where there are files; the comments keep bundlers from looking for them.
    const { readFile } = await import(
      /* webpackIgnore: true */ /* @vite-ignore */ 'node:fs/promises'
    );
    return WebAssembly.compile(await readFile(url));
  }
  return compileResponse(await fetch(url));
}

/**
 * @param {Response} response
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileResponse(response) {
  if (!response.ok) {
    throw new Error(
      `${response.url} could not be loaded: ${response.status} ${response.statusText}. ` +
        'Serve slabring.wasm there, or say where it is with the option `wasm`.',
    );
  }
  // Streaming wants the right media type; a server that does not know it shall not matter.
  const type = response.headers.get('content-type')?.split(';')[0].trim();
  return type === 'application/wasm'
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/** @param {unknown} value @returns {value is WebAssembly.Module} */
const isModule = (value) => Object.prototype.toString.call(value) === '[object WebAssembly.Module]';

/** @param {unknown} value @returns {value is BufferSource} */
const isBytes = (value) =>
  ArrayBuffer.isView(value) ||
  ['[object ArrayBuffer]', '[object SharedArrayBuffer]'].includes(
    Object.prototype.toString.call(value),
  );

const SOURCES = ['string', 'URL', 'Response', 'WebAssembly.Module', 'ArrayBuffer', 'Uint8Array'];

/**
 * @param {WasmSource | PromiseLike<WasmSource> | undefined} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function loadModule(source) {
  const wasm = await source;
  if (wasm === undefined) return shippedModule();
  if (isModule(wasm)) return wasm;
  if (isBytes(wasm)) return WebAssembly.compile(wasm);
  if (typeof wasm === 'string' || Object.prototype.toString.call(wasm) === '[object URL]') {
    // A relative address counts from the page, or from the working directory where there is none.
    const base = globalThis.location?.href ?? `file://${globalThis.process?.cwd()}/`;
    return loadUrl(new URL(/** @type {string | URL} */ (wasm), base));
  }
  if (Object.prototype.toString.call(wasm) === '[object Response]') {
    return compileResponse(/** @type {Response} */ (wasm));
  }
  throw invalidArgType('options.wasm', SOURCES, wasm);
}

/**
 * @param {unknown} source
 * @returns {WebAssembly.Module}
 */
export function toModule(source) {
  if (isModule(source)) return source;
  if (isBytes(source)) return new WebAssembly.Module(source);
  throw invalidArgType(
    'moduleOrBytes',
    ['WebAssembly.Module', 'ArrayBuffer', 'Uint8Array'],
    source,
  );
}
