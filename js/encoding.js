/**
 * Strings to bytes for hosts without Node's Buffer, byte for byte as Buffer does it.
 *
 * Invariants: nothing is ever written outside `target`; a character that does not fit whole is
 * not written at all; a call that throws has written nothing.
 */
import { invalidArgType, invalidArgValue, unknownEncoding } from './errors.js';

/**
 * @typedef {'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'hex' | 'base64' | 'base64url'} Encoding
 */

/**
 * The names of encodings that there are, in any case: in types, in lower case.
 * @typedef {'utf8' | 'utf-8' | 'utf16le' | 'utf-16le' | 'ucs2' | 'ucs-2' | 'latin1' | 'binary' | 'ascii'
 *   | 'hex' | 'base64' | 'base64url'} EncodingName
 */

/**
 * The canonical name, 'utf8' where no encoding is given (undefined, null, ''), undefined where it
 * is not known or no string.
 * @param {unknown} encoding
 * @returns {Encoding | undefined}
 */
export const normalizeEncoding = (encoding) => {
  const name = typeof encoding === 'string' ? encoding.toLowerCase() : (encoding ?? '');
  switch (name) {
    case '':
    case 'utf8':
    case 'utf-8':
      return 'utf8';
    case 'ucs2':
    case 'ucs-2':
    case 'utf16le':
    case 'utf-16le':
      return 'utf16le';
    case 'latin1':
    case 'binary':
      return 'latin1';
    case 'ascii':
    case 'hex':
    case 'base64':
    case 'base64url':
      return /** @type {Encoding} */ (name);
  }
};

/**
 * Bytes that `string` takes at most. For base64 and hex this counts characters and not what they
 * mean, so white space, junk and bad digits make it an over-estimate: allocate by it, then go by
 * what `write` returns. An unknown encoding counts as UTF-8.
 * @param {string} string
 * @param {unknown} [encoding]
 * @returns {number}
 */
export const byteLength = (string, encoding) => {
  const { length } = string;
  switch (normalizeEncoding(encoding)) {
    case 'latin1':
    case 'ascii':
      return length;
    case 'utf16le':
      return length * 2;
    case 'hex':
      return length >>> 1;
    case 'base64':
    case 'base64url':
      return ((length - (string.endsWith('==') ? 2 : string.endsWith('=') ? 1 : 0)) * 3) >>> 2;
  }
  let bytes = length;
  for (let i = 0; i < length; i++) {
    const unit = string.charCodeAt(i);
    if (unit > 0x7f) {
      bytes += unit > 0x7ff ? 2 : 1;
      // A pair is four bytes: two for each half. A lone half is three, as its replacement is.
      if ((unit & 0xfc00) === 0xd800 && (string.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
    }
  }
  return bytes;
};

// Not the methods of a subclass, which may well be the functions of this file, nor what somebody has
// put in their place.
const { copyWithin, fill: fillBytes, set, subarray } = Uint8Array.prototype;

/** @type {TextEncoder | undefined} */
let encoder;

/** @type {Uint8Array | undefined} */
let digits;

/**
 * Values of digits, 64 for any other character: those of both base64 alphabets by the low byte of
 * the code unit, which is all that Node looks at, and the hexadecimal ones 256 further on.
 */
const digitTable = () => {
  const table = new Uint8Array(512).fill(64);
  for (let i = 0; i < 36; i++) {
    const digit = i.toString(36);
    const lower = digit.charCodeAt(0);
    const upper = digit.toUpperCase().charCodeAt(0);
    table[lower] = i + 16;
    table[upper] = i < 10 ? i + 52 : i - 10;
    if (i < 16) table[lower + 256] = table[upper + 256] = i;
  }
  table[43] = table[45] = 62; // + -
  table[47] = table[95] = 63; // / _
  return table;
};

/**
 * @param {Uint8Array} target
 * @param {string} string
 * @param {Encoding} encoding
 * @returns {number} bytes written
 */
const encode = (target, string, encoding) => {
  const room = target.length;
  const { length } = string;
  const both = Math.min(room, length);
  let at = 0;
  switch (encoding) {
    case 'utf16le':
      for (let i = 0; i < length && at + 1 < room; i++) {
        const unit = string.charCodeAt(i);
        target[at++] = unit;
        target[at++] = unit >> 8;
      }
      return at;
    case 'hex':
    case 'base64':
    case 'base64url': {
      digits ??= digitTable();
      const width = encoding === 'hex' ? 4 : 6;
      let bits = 0;
      let held = 0;
      for (let i = 0; i < length && at < room; i++) {
        const code = string.charCodeAt(i) & 255;
        const digit = digits[width < 6 ? code + 256 : code];
        if (digit < 64) {
          // Bits shifted out on the left were stored long ago.
          held = (held << width) | digit;
          bits += width;
          if (bits > 7) {
            bits -= 8;
            target[at++] = held >> bits;
          }
        } else if (width < 6 || code === 61) {
          break;
        }
      }
      return at;
    }
  }
  // Bytes that are code units: all of latin1 and ascii, of UTF-8 the ASCII characters in front.
  // A long UTF-8 string goes to the encoder at once, entering which costs more than a short one.
  const highest = encoding === 'utf8' ? 0x7f : 0xffff;
  if (highest > 0x7f || length < 24) {
    for (; at < both; at++) {
      const unit = string.charCodeAt(at);
      if (unit > highest) break;
      target[at] = unit;
    }
  }
  if (at === both) return at;
  encoder ??= new TextEncoder();
  // A view made by hand: `subarray` of a subclass may do more than that.
  const rest = at ? new Uint8Array(target.buffer, target.byteOffset + at, room - at) : target;
  return at + encoder.encodeInto(at ? string.slice(at) : string, rest).written;
};

/**
 * Writes as much of `string` as fits. As in `Buffer.from`, an encoding that is no string is UTF-8.
 * @param {Uint8Array} target
 * @param {string} string
 * @param {unknown} [encoding]
 * @returns {number} bytes written
 */
export const write = (target, string, encoding) => {
  const name = normalizeEncoding(typeof encoding === 'string' ? encoding : '');
  if (!name) throw unknownEncoding(encoding);
  return encode(target, string, name);
};

/**
 * Fills all of `target` as `Buffer.alloc(target.length, value, encoding)` does: with the bytes of
 * a string or a view, repeated and cut at the end wherever that falls, or with the low byte of
 * anything else.
 * @param {Uint8Array} target
 * @param {unknown} value
 * @param {unknown} [encoding]
 */
export const fill = (target, value, encoding) => {
  const { length } = target;
  const isText = typeof value === 'string';
  const name = isText ? normalizeEncoding(encoding) : undefined;
  if (isText && !name) {
    throw typeof encoding === 'string'
      ? unknownEncoding(encoding)
      : invalidArgType('encoding', 'string', encoding);
  }
  // No bytes to fill: the value is not looked at.
  if (!length) return;
  let done = 0;
  if (name && value) {
    const text = /** @type {string} */ (value);
    // The pattern is cut by bytes, so it may end inside a character: three more bytes of room let
    // the encoder write that character whole.
    const pattern = new Uint8Array(Math.min(byteLength(text, name), length + 3));
    done = Math.min(encode(pattern, text, name), length);
    set.call(target, subarray.call(pattern, 0, done));
  } else if (ArrayBuffer.isView(value)) {
    done = Math.min(value.byteLength, length);
    if (done) set.call(target, new Uint8Array(value.buffer, value.byteOffset, done));
  } else {
    // Its low byte; throws, with nothing stored, for a symbol or a bigint.
    target[0] = /** @type {any} */ (value);
    done = 1;
  }
  if (!done) throw invalidArgValue('value', value);
  if (done === 1) fillBytes.call(target, target[0]);
  else for (; done < length; done *= 2) copyWithin.call(target, done, 0, done);
};
