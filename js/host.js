/**
 * What the host gives us. In Node (and where Node's Buffer is built in) a HeapBuffer is a Buffer and
 * strings go through Buffer's own code; elsewhere a HeapBuffer is a plain Uint8Array and strings go
 * through ./encoding.js, with the same results.
 */

import * as encoding from './encoding.js';
import { bufferOutOfBounds } from './errors.js';

/** @typedef {{ versions?: { node?: string } }} Process */

// A Buffer that a bundler's polyfill put there is no reason to inherit from it.
const { process } = /** @type {{ process?: Process }} */ (globalThis);
const NodeBuffer = process?.versions?.node === undefined ? undefined : globalThis.Buffer;

export const hasBuffer = NodeBuffer !== undefined;

/** The prototype that every HeapBuffer inherits from. */
export const basePrototype = NodeBuffer?.prototype ?? Uint8Array.prototype;

/**
 * What `map`, `filter` and other methods that make a new array construct: ordinary memory. Also
 * the constructor of the right realm, where a test runner has several.
 * @type {Uint8ArrayConstructor}
 */
export const DerivedArray = /** @type {any} */ (NodeBuffer)?.[Symbol.species] ?? Uint8Array;

/** @type {Uint8ArrayConstructor} */
export const BaseArray = NodeBuffer
  ? Object.getPrototypeOf(NodeBuffer.prototype).constructor
  : Uint8Array;

const call = Function.prototype.call;
/** @type {(f: Function) => (self: unknown, ...args: any[]) => any} */
const uncurry = (f) => call.bind(f);

/**
 * @param {object} prototype
 * @param {string | symbol} name
 */
const getter = (prototype, name) =>
  uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(prototype, name)?.get));

const typedArrayPrototype = Object.getPrototypeOf(BaseArray.prototype);

// The getters themselves, so that a property of the same name put onto a view deceives nobody.
/** @type {(view: Uint8Array) => number} */
export const byteOffsetOf = getter(typedArrayPrototype, 'byteOffset');
/** @type {(view: Uint8Array) => number} */
export const byteLengthOf = getter(typedArrayPrototype, 'byteLength');
/** @type {(view: Uint8Array) => number} */
export const lengthOf = getter(typedArrayPrototype, 'length');
/** @type {(view: Uint8Array) => ArrayBuffer} */
export const memoryOf = getter(typedArrayPrototype, 'buffer');
/** @type {(view: unknown) => string | undefined} 'Uint8Array' and so on; undefined for all else. */
export const kindOf = getter(typedArrayPrototype, Symbol.toStringTag);
/** @type {(view: Uint8Array, source: ArrayLike<unknown>, at?: number) => void} */
export const setElements = uncurry(typedArrayPrototype.set);

/** @type {(view: Uint8Array, value: number) => void} Fills all of it. */
const fillBytes = uncurry(typedArrayPrototype.fill);
/** @param {Uint8Array} view */
export const clear = (view) => fillBytes(view, 0);

/**
 * The first bytes of a view, in a plain array of the same memory.
 * @param {Uint8Array} view
 * @param {number} length
 */
export const bytesOf = (view, length) => new BaseArray(memoryOf(view), byteOffsetOf(view), length);

/**
 * Whether it is a typed array that really has that many elements.
 * @param {unknown} value
 * @param {number} length
 */
export const isTypedArrayOfLength = (value, length) =>
  ArrayBuffer.isView(value) &&
  !(value instanceof DataView) &&
  lengthOf(/** @type {Uint8Array} */ (value)) === length;

const arrayBufferByteLength = getter(ArrayBuffer.prototype, 'byteLength');
const sharedByteLength =
  typeof SharedArrayBuffer === 'undefined'
    ? undefined
    : getter(SharedArrayBuffer.prototype, 'byteLength');

/**
 * The length of an ArrayBuffer or SharedArrayBuffer of any realm, undefined for anything else: only
 * the real ones have what the getters read.
 * @param {unknown} value
 * @returns {number | undefined}
 */
export function bufferByteLength(value) {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const byteLength of [arrayBufferByteLength, sharedByteLength]) {
    try {
      return byteLength?.(value);
    } catch {
      // Not of this kind.
    }
  }
  return undefined;
}

/**
 * @param {ArrayBuffer} source
 * @param {any} byteOffset
 * @param {any} length
 */
function bytesInWithoutBuffer(source, byteOffset, length) {
  // `+`, not Number(): a bigint is refused, as in Node.
  const offset = +byteOffset || 0;
  const most = source.byteLength - offset;
  if (most < 0) throw bufferOutOfBounds('offset');
  // Not without a length: of half a byte at the end, nothing is left.
  if (length === undefined) return new BaseArray(source, offset, most);
  const taken = Math.max(+length || 0, 0);
  if (taken > most) throw bufferOutOfBounds('length');
  return new BaseArray(source, offset, taken);
}

/**
 * The bytes of an ArrayBuffer that `Buffer.from` would view, with its errors; not copied.
 * @type {(source: ArrayBuffer, byteOffset: any, length: any) => Uint8Array}
 */
export const bytesIn = NodeBuffer?.from ?? bytesInWithoutBuffer;

/** @typedef {'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'hex' | 'base64' | 'base64url'} Encoding */

/**
 * As `Buffer.byteLength`: for base64 and hex it may be more than `writeString` writes.
 * @type {(string: string, encoding: Encoding) => number}
 */
export const byteLength = NodeBuffer ? NodeBuffer.byteLength : encoding.byteLength;

/**
 * Codecs believe `view.length`: the view itself, or where an earlier owner has put a
 * property of that name onto it, another of the same bytes.
 * @param {Uint8Array} view
 */
const honest = (view) =>
  view.length === lengthOf(view)
    ? view
    : new DerivedArray(memoryOf(view), byteOffsetOf(view), lengthOf(view));

const nodeWrite = NodeBuffer && uncurry(NodeBuffer.prototype.write);
const nodeFill = NodeBuffer && uncurry(NodeBuffer.prototype.fill);

/**
 * Writes a string from the start of `view`; returns the bytes written.
 * @type {(view: Uint8Array, string: string, encoding: Encoding) => number}
 */
export const writeString = nodeWrite
  ? (view, string, to) => nodeWrite(honest(view), string, 0, lengthOf(view), to)
  : (view, string, to) => encoding.write(honest(view), string, to);

/**
 * Fills the whole of `view` as `Buffer.alloc` does; throws its errors, with nothing written.
 * @type {(view: Uint8Array, value: unknown, encoding: unknown) => void}
 */
export const fill = nodeFill
  ? (view, value, from) => {
      nodeFill(honest(view), value, 0, lengthOf(view), from);
    }
  : (view, value, from) => encoding.fill(honest(view), value, from);
