/** What the tests of the heap share. Nothing here depends on how the heap works inside. */

import { readFileSync } from 'node:fs';
import { expect } from 'expect';
import { createHeapSync } from 'slabring';

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const PAGE = 64 * KIB;

/** The kinds of typed arrays that there are here. */
export const ARRAYS = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
].filter((name) => name in globalThis);

export const WASM_URL = new URL('../../dist/slabring.wasm', import.meta.url);
export const wasmModule = new WebAssembly.Module(readFileSync(WASM_URL));

/** A heap of 1 MiB and no more, where nothing else is said. */
export const makeHeap = (options) =>
  createHeapSync(wasmModule, { regionSize: MIB, maxBytes: options?.regionSize ?? MIB, ...options });

/** What `action` throws; a test that expects a throw fails when there is none. */
export function caught(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** What a caller can tell errors apart by. They may come from another realm: no instanceof. */
export const facts = (error) => ({
  class: error?.constructor?.name,
  code: error?.code,
  message: error?.message,
});

/**
 * The same, to compare what we throw with what Node does. An error without a code is the engine's own,
 * and in a page the engine has words of its own.
 */
export function comparable(error) {
  const { message, ...others } = facts(error);
  const isNode = globalThis.process !== undefined;
  return others.code === undefined && !isNode ? others : { ...others, message };
}

/** The bytes of a view, read past any property that somebody put onto it. */
export function bytesOf(view) {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype);
  const read = (name) => Object.getOwnPropertyDescriptor(prototype, name).get.call(view);
  return Buffer.from(read('buffer'), read('byteOffset'), read('length'));
}

/** What its bytes say in UTF-8: in a page a buffer's own `toString` is that of any Uint8Array. */
export const textOf = (view) => bytesOf(view).toString();

/** Two 32-bit FNV hashes of all bytes in order. */
function fingerprint(bytes) {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 15);
  }
  return `${a >>> 0} ${b >>> 0}`;
}

/** A buffer's bytes, or the facts of the error thrown: equal means that nobody can tell. */
export function outcome(make) {
  let view;
  try {
    view = make();
  } catch (error) {
    return comparable(error);
  }
  const bytes = bytesOf(view);
  const { length } = bytes;
  if (length <= 64) return { length, bytes: bytes.toString('hex') };
  return { length, fingerprint: fingerprint(bytes) };
}

/**
 * The error of a call that must be refused with nothing changed, not even what is kept for reuse.
 */
export function refusal(heap, action) {
  const before = heap.stats();
  const error = caught(action);
  expect(heap.stats()).toEqual(before);
  expect(heap.check()).toEqual([]);
  return error;
}

/**
 * Makes a buffer and tells what it takes: 'cell' with its size, 'run' with its pages, 'none' when
 * it is empty.
 */
export function placed(heap, make) {
  const before = heap.stats().live;
  const view = make();
  const after = heap.stats().live;
  const bytes = after.bytes - before.bytes;
  expect(after.buffers - before.buffers).toBe(bytes === 0 ? 0 : 1);
  if (bytes === 0) return { view, from: 'none' };
  if (bytes % PAGE === 0) return { view, from: 'run', pages: bytes / PAGE };
  expect(cellSizes(heap)).toContain(bytes);
  return { view, from: 'cell', cellSize: bytes };
}

/** The sizes of cells, smallest first. */
export const cellSizes = (heap) => heap.stats().sizeClasses.map(({ cellSize }) => cellSize);

/** Every size class's own size, and one less and one more; then sizes of one and more pages. */
export const boundarySizes = (heap) => [
  1,
  ...cellSizes(heap).flatMap((size) => [size - 1, size, size + 1]),
  PAGE - 1,
  PAGE,
  PAGE + 1,
  3 * PAGE + 5,
];

/** Names of encodings that Buffer knows, in any case, and values that it does not. */
export const ENCODINGS = [
  'utf8',
  'UTF8',
  'utf-8',
  'Utf-8',
  'ucs2',
  'UCS-2',
  'utf16le',
  'UTF-16LE',
  'latin1',
  'LATIN1',
  'binary',
  'Binary',
  'ascii',
  'ASCII',
  'hex',
  'HEX',
  'base64',
  'BASE64',
  'base64url',
  'Base64URL',
  '',
  undefined,
  null,
  'nope',
  'utf8 ',
  'utf_8',
  'utf32',
  'buffer',
  0,
  5,
  true,
  false,
  10n,
  {},
  ['hex'],
];

/** A label for a test's name. */
export const label = (value) => {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 24 ? `${value.slice(0, 20)}…${value.length}` : value);
  }
  if (Array.isArray(value)) return `[${value.map(label)}]`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) return '{}';
  return Object.is(value, -0) ? '-0' : String(value);
};
