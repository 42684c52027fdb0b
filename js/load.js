/**
 * Finding and compiling the WebAssembly module. Nothing happens at import: a page that only renders
 * on a server never loads it.
 */

import { uncompilable, unloadable } from './compile.js';
import { invalidArgType } from './errors.js';
import { bufferByteLength } from './host.js';

/**
 * A compiled `WebAssembly.Module`. (Node's types do not know it before those of version 24, nor
 * `BufferSource`.)
 * @typedef {typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } }
 *   ? M & object : object} WasmModule
 */
/**
 * The bytes of a module.
 * @typedef {ArrayBufferLike | ArrayBufferView} WasmBytes
 */
/**
 * What a module can be had from: itself, its bytes, a response to a request for it, or where it is: a
 * URL or, on a page relative to it, in Node to the working directory, a path.
 * @typedef {WasmModule | WasmBytes | Response | URL | string} WasmSource
 */

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
  /** @type {Response | Uint8Array<ArrayBuffer>} */
  let found;
  try {
    const fs = url.protocol === 'file:' && nodeModule('node:fs/promises');
    found = fs ? await fs.readFile(url) : await fetch(url);
  } catch (error) {
    throw unloadable(url.href, error);
  }
  return 'status' in found ? compileResponse(found) : compileBytes(url.href, found);
}

/**
 * Node's own, if this is Node. Asked for, not imported: a bundler for pages looks for whatever is
 * imported, and fails or warns.
 * @type {NodeJS.Process['getBuiltinModule']}
 */
const nodeModule = (/** @type {string} */ name) => globalThis.process?.getBuiltinModule?.(name);

/**
 * @param {string} where the bytes are from
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function compileBytes(where, bytes) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw uncompilable(where, error, bytes);
  }
}

/**
 * @param {Response} response
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileResponse(response) {
  const { ok, url, status, statusText, headers } = response;
  const where = url || 'The response';
  if (!ok) throw unloadable(where, `${status} ${statusText}`.trim());
  // Streaming wants the media type and nothing else; a server that sends another shall not matter.
  if (headers.get('content-type') === 'application/wasm') {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      throw uncompilable(where, error);
    }
  }
  let bytes;
  try {
    bytes = await response.arrayBuffer();
  } catch (error) {
    throw unloadable(where, error);
  }
  return compileBytes(where, new Uint8Array(bytes));
}

/**
 * A URL as it is; all else is a path, or on a page relative to it.
 * @param {string} text
 */
function urlOf(text) {
  if (/^[a-z][a-z\d+.-]+:/i.test(text)) return new URL(text);
  if (globalThis.location) return new URL(text, globalThis.location.href);
  const url = nodeModule('node:url');
  if (url) return url.pathToFileURL(text);
  throw unloadable(text, 'nothing says what it is relative to');
}

/** @param {unknown} value @returns {value is WebAssembly.Module} */
function isModule(value) {
  try {
    // Of any realm, and nothing that only says it is one.
    WebAssembly.Module.customSections(/** @type {any} */ (value), '-');
    return true;
  } catch {
    return false;
  }
}

/**
 * The bytes, in memory that every engine compiles from: a view of shared memory and a DataView are
 * not such.
 * @param {any} value
 * @returns {Uint8Array<ArrayBuffer> | undefined}
 */
function bytesFrom(value) {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  return bufferByteLength(value) === undefined ? undefined : new Uint8Array(value).slice();
}

/** @param {unknown} value @param {string} name */
const isA = (value, name) => Object.prototype.toString.call(value) === `[object ${name}]`;

/**
 * @param {WasmSource | PromiseLike<WasmSource> | undefined} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function loadModule(source) {
  const wasm = await source;
  if (wasm === undefined) return shippedModule();
  if (isModule(wasm)) return wasm;
  const bytes = bytesFrom(wasm);
  if (bytes) return compileBytes('What the option `wasm` gives', bytes);
  if (typeof wasm === 'string') return loadUrl(urlOf(wasm));
  if (isA(wasm, 'URL')) return loadUrl(/** @type {URL} */ (wasm));
  if (isA(wasm, 'Response')) return compileResponse(/** @type {Response} */ (wasm));
  const expected = ['string', 'URL', 'Response', 'ArrayBuffer', 'Uint8Array', 'WebAssembly.Module'];
  throw invalidArgType('options.wasm', expected, wasm);
}

/**
 * @param {unknown} source
 * @returns {WebAssembly.Module}
 */
export function toModule(source) {
  if (isModule(source)) return source;
  const bytes = bytesFrom(source);
  if (bytes) {
    try {
      return new WebAssembly.Module(bytes);
    } catch (error) {
      throw uncompilable('What was given as `moduleOrBytes`', error, bytes);
    }
  }
  const expected = ['ArrayBuffer', 'Uint8Array', 'WebAssembly.Module'];
  throw invalidArgType('moduleOrBytes', expected, source);
}
