import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { byteLength, fill, write } from '../../js/encoding.js';
import { outcome } from '../support/outcome.js';
import { times } from '../support/runs.js';

const MARGIN = 16;
const GUARD = 0xa5;

const encodings = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url'];

const units = (...choices) =>
  fc.array(fc.oneof(...choices), { maxLength: 80 }).map((codes) => String.fromCharCode(...codes));

const among = (characters) => fc.constantFrom(...characters).map((char) => char.charCodeAt(0));

/** Surrogates in any order, and the code units where something changes. */
const surrogates = units(
  fc.integer({ min: 0xd800, max: 0xdfff }),
  among('aZ\0\x7f\x80\xff\u0100\u07ff\u0800\ud7ff\ue000\uffff'),
);

/** Mostly digits, some of them by their low bytes only. */
const hexLike = units(
  { arbitrary: among('0123456789abcdefABCDEF'), weight: 30 },
  { arbitrary: fc.integer({ min: 0, max: 0xffff }), weight: 1 },
);

/** Mostly of the alphabets, with white space, padding and junk in between. */
const base64Like = units(
  {
    arbitrary: among('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'),
    weight: 40,
  },
  { arbitrary: among(' \n\r\t'), weight: 3 },
  { arbitrary: among('='), weight: 1 },
  { arbitrary: fc.integer({ min: 0, max: 0xffff }), weight: 1 },
);

const anyUnits = units(fc.integer({ min: 0, max: 0xffff }));
const text = fc.string({ unit: 'binary', maxLength: 80 });
const strings = fc.oneof(text, anyUnits, surrogates, hexLike, base64Like, fc.base64String());

const sizes = fc.integer({ min: 0, max: 200 });

/** The whole of a buffer after `action` on its middle: the guard bytes count, too. */
function around(bytes, length, action) {
  bytes.fill(GUARD);
  const result = outcome(() => action(bytes.subarray(MARGIN, MARGIN + length)));
  return { result, bytes: Buffer.from(bytes).toString('hex') };
}

const check = (...args) => fc.assert(fc.property(...args), { numRuns: times(3000) });

/** In the middle of a memory with other tenants, as in a heap. */
const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 }).buffer;

describe.each(encodings)('%s', (encoding) => {
  test('write puts into any target what Buffer.write does, and nothing beside it', () => {
    check(strings, sizes, fc.integer({ min: 0, max: 9 }), (string, length, offset) => {
      const ours = new Uint8Array(memory, offset, length + 2 * MARGIN);
      const theirs = Buffer.alloc(length + 2 * MARGIN);
      expect(around(ours, length, (target) => write(target, string, encoding))).toEqual(
        around(theirs, length, (target) => target.write(string, encoding)),
      );
    });
  });

  test('write into the room that byteLength asks for gives what Buffer.from gives', () => {
    check(strings, (string) => {
      const bytes = new Uint8Array(byteLength(string, encoding));
      const count = write(bytes, string, encoding);
      const expected = Buffer.from(string, encoding);
      expect(count).toBe(expected.length);
      expect(expected.compare(bytes.subarray(0, count))).toBe(0);
    });
  });

  test('byteLength is the one of Buffer', () => {
    check(strings, (string) => {
      expect(byteLength(string, encoding)).toBe(Buffer.byteLength(string, encoding));
    });
  });

  test('fill gives or refuses what Buffer.alloc does, and writes nothing when it refuses', () => {
    check(strings, fc.integer({ min: 1, max: 200 }), (string, length) => {
      // A refused value is shown on several lines by Node if it is long and has line breaks.
      fc.pre(!(string.length > 76 && string.includes('\n')));
      // Nor does it matter which quotes surround a text that has all kinds.
      fc.pre(!(string.includes('${') && string.includes("'") && string.includes('"')));
      const ours = around(new Uint8Array(length + 2 * MARGIN), length, (target) =>
        fill(target, string, encoding),
      );
      const theirs = around(Buffer.alloc(length + 2 * MARGIN), length, (target) => {
        target.set(Buffer.alloc(length, string, encoding));
      });
      expect(ours).toEqual(theirs);
    });
  });
});

test('fill repeats the bytes of any view as Buffer.alloc does', () => {
  check(fc.uint8Array({ maxLength: 40 }), fc.nat(10), sizes, (source, skip, length) => {
    const value = source.subarray(Math.min(skip, source.length));
    const ours = new Uint8Array(length + 2 * MARGIN);
    const theirs = Buffer.alloc(length + 2 * MARGIN);
    expect(around(ours, length, (target) => fill(target, value))).toEqual(
      around(theirs, length, (target) => {
        target.set(Buffer.alloc(length, value));
      }),
    );
  });
});

/** Node takes zero for what is no number itself but turns into a negative integer. */
function isNegativeInteger(value) {
  const number = outcome(() => +value);
  return Number.isInteger(number) && number < 0;
}

test('fill takes the low byte of anything else as Buffer.alloc does', () => {
  const values = fc
    .anything({ withBigInt: true, withDate: true, withNullPrototype: true, withBoxedValues: true })
    .filter((value) => typeof value === 'number' || !isNegativeInteger(value))
    .filter((value) => typeof value !== 'string');
  check(values, fc.integer({ min: 1, max: 20 }), (value, length) => {
    const ours = around(new Uint8Array(length + 2 * MARGIN), length, (target) =>
      fill(target, value),
    );
    const theirs = around(Buffer.alloc(length + 2 * MARGIN), length, (target) => {
      target.set(Buffer.alloc(length, value));
    });
    expect(ours).toEqual(theirs);
  });
});
