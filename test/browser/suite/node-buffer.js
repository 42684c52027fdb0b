/**
 * The Buffer of the tests, in a page: bytes with what a test needs to look at them. What bytes a
 * string gives, what is refused and in which words is Node's answer.
 */

import { ask } from './answers.js';

const { isView } = ArrayBuffer;

// As they are now: tests put others in their place.
const { fill, indexOf, set, slice, subarray } = Uint8Array.prototype;

const isIndex = (value) => Number.isInteger(value) && value >= 0 && value <= 2 ** 33;
const isByte = (value) => Number.isInteger(value) && value >= 0 && value <= 255;

const byteLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;

function isMemory(value) {
  try {
    return byteLength.call(value) >= 0;
  } catch {
    return false;
  }
}

/** Not a DataView, nor of another realm. */
const isBytes = (value) => value instanceof Uint8Array;

const CHUNK = 65536;

/** The first index at which two differ, -1 if there is none; by words, since some are gigabytes. */
function difference(a, b, from, to) {
  const whole = (to - from) & ~3;
  const [x, y] = [a, b].map((all) => new Int32Array(slice.call(all, from, from + whole).buffer));
  let i = 0;
  while (i < x.length && x[i] === y[i]) i++;
  for (let at = from + 4 * i; at < to; at++) if (a[at] !== b[at]) return at;
  return -1;
}

export class NodeBuffer extends Uint8Array {
  static name = 'Buffer';

  static alloc(size, ...rest) {
    if (isIndex(size) && rest.length === 0) return new NodeBuffer(size);
    if (isIndex(size) && rest.length === 1 && isByte(rest[0])) {
      return wrap(fill.call(new Uint8Array(size), rest[0]));
    }
    return ask('Buffer.alloc', undefined, [size, ...rest], wrap);
  }

  static allocUnsafe(size) {
    return isIndex(size) ? new NodeBuffer(size) : ask('Buffer.allocUnsafe', undefined, [size]);
  }

  static allocUnsafeSlow(size) {
    return isIndex(size) ? new NodeBuffer(size) : ask('Buffer.allocUnsafeSlow', undefined, [size]);
  }

  /** A window onto a memory, for a test to see what is there, and a copy of bytes; or Node's answer. */
  static from(source, ...rest) {
    if (isMemory(source)) {
      const [at = 0] = rest;
      const most = isIndex(at) ? source.byteLength - at : -1;
      const length = rest.length > 1 ? rest[1] : most;
      if (isIndex(length) && length <= most && !Object.hasOwn(source, 'byteLength')) {
        return new NodeBuffer(source, at, length);
      }
    }
    if (isBytes(source) && source.length > 0 && rest.length === 0) return wrap(slice.call(source));
    return ask('Buffer.from', undefined, [source, ...rest], wrap);
  }

  static byteLength(value, ...rest) {
    if (isMemory(value) || isView(value)) return value.byteLength;
    return ask('Buffer.byteLength', undefined, [value, ...rest]);
  }

  static isEncoding(name) {
    return ask('Buffer.isEncoding', undefined, [name]);
  }

  static isBuffer(value) {
    return value instanceof NodeBuffer;
  }

  static compare(a, b) {
    const common = Math.min(a.length, b.length);
    for (let at = 0; at < common; at += CHUNK) {
      const i = difference(a, b, at, Math.min(at + CHUNK, common));
      if (i >= 0) return a[i] < b[i] ? -1 : 1;
    }
    return Math.sign(a.length - b.length);
  }

  static concat(list) {
    if (!Array.isArray(list)) return ask('Buffer.concat', undefined, [list]);
    const all = new NodeBuffer(list.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of list) {
      set.call(all, part, at);
      at += part.length;
    }
    return all;
  }

  equals(other) {
    return this.length === other.length && NodeBuffer.compare(this, other) === 0;
  }

  compare(other) {
    if (!isBytes(other)) return ask('compare', this, [other]);
    return NodeBuffer.compare(this, other);
  }

  write(...args) {
    return ask('write', this, args);
  }

  fill(value, ...rest) {
    if (rest.length === 0 && isByte(value)) return fill.call(this, value);
    ask('fill', this, [value, ...rest]);
    return this;
  }

  slice(from, to) {
    return subarray.call(this, from, to);
  }

  /** The index of a byte or of a text in one-byte characters. */
  indexOf(value) {
    if (typeof value === 'number') return indexOf.call(this, value);
    if (typeof value !== 'string') return ask('indexOf', this, [value]);
    const wanted = Array.from(value, (char) => char.charCodeAt(0));
    for (
      let at = indexOf.call(this, wanted[0]);
      at >= 0;
      at = indexOf.call(this, wanted[0], at + 1)
    ) {
      if (wanted.every((byte, i) => this[at + i] === byte)) return at;
    }
    return -1;
  }

  copy(target, at = 0) {
    set.call(target, this, at);
    return this.length;
  }

  readDoubleLE(at = 0) {
    if (at + 8 > this.length) return ask('readDoubleLE', this, [at]);
    return new DataView(this.buffer, this.byteOffset, this.length).getFloat64(at, true);
  }

  readUInt8(...args) {
    return ask('readUInt8', this, args);
  }

  writeBigUInt64LE(...args) {
    return ask('writeBigUInt64LE', this, args);
  }

  toString(encoding = 'utf8') {
    switch (encoding) {
      case 'hex':
        return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('');
      case 'base64':
        return btoa(this.toString('latin1'));
      case 'latin1':
        return Array.from(this, (byte) => String.fromCharCode(byte)).join('');
      case 'utf8':
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(slice.call(this));
    }
    throw new Error(`not here: toString('${encoding}')`);
  }

  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }
}

const wrap = (bytes) => new NodeBuffer(bytes.buffer, bytes.byteOffset, bytes.length);
