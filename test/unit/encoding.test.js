import { Buffer } from 'node:buffer';
import { byteLength, fill, normalizeEncoding, write } from '../../js/encoding.js';
import { outcome } from '../support/outcome.js';

const encodings = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url'];

const hex = (bytes) => Buffer.from(bytes).toString('hex');

/** Bytes around the target must stay as they are. */
const GUARD = 0xee;
const MARGIN = 8;

/**
 * What `action` did to a target of `length` bytes in the middle of a larger buffer, and what it
 * gave back. The rest of the buffer is part of the result.
 */
function onTarget(bytes, length, action) {
  bytes.fill(GUARD);
  const target = bytes.subarray(MARGIN, MARGIN + length);
  const result = outcome(() => action(target));
  return { result, bytes: hex(bytes) };
}

function ours(length, string, encoding) {
  const bytes = new Uint8Array(length + 2 * MARGIN);
  return onTarget(bytes, length, (target) => write(target, string, encoding));
}

function theirs(length, string, encoding) {
  const bytes = Buffer.alloc(length + 2 * MARGIN);
  return onTarget(bytes, length, (target) => target.write(string, encoding));
}

/** Every length from none to more than enough. */
function sameAtEveryLength(string, encoding) {
  const most = Buffer.byteLength(string, encoding) + 3;
  for (let length = 0; length <= most; length++) {
    expect({ length, ...ours(length, string, encoding) }).toEqual({
      length,
      ...theirs(length, string, encoding),
    });
  }
}

/** As Buffer.from goes about it: room for the estimate, cut to what was written. */
function decoded(string, encoding) {
  const bytes = new Uint8Array(byteLength(string, encoding));
  return hex(bytes.subarray(0, write(bytes, string, encoding)));
}

function filled(length, value, encoding) {
  const bytes = new Uint8Array(length + 2 * MARGIN).fill(GUARD);
  const result = outcome(() => fill(bytes.subarray(MARGIN, MARGIN + length), value, encoding));
  const guards = [...bytes.subarray(0, MARGIN), ...bytes.subarray(MARGIN + length)];
  expect(guards.every((byte) => byte === GUARD)).toBe(true);
  if (result === undefined) return hex(bytes.subarray(MARGIN, MARGIN + length));
  expect(bytes.every((byte) => byte === GUARD)).toBe(true);
  return result;
}

const allocated = (length, value, encoding) =>
  outcome(() => hex(Buffer.alloc(length, value, encoding)));

function sameFill(value, encoding) {
  // Of less than a byte Buffer.alloc fills nothing, and still checks the encoding.
  for (const length of [0.5, 1, 2, 3, 4, 5, 7, 8, 16, 17]) {
    expect({ length, filled: filled(length, value, encoding) }).toEqual({
      length,
      filled: allocated(length, value, encoding),
    });
  }
}

describe('normalizeEncoding', () => {
  const names = {
    utf8: ['utf8', 'utf-8', 'UTF8', 'Utf-8', '', undefined, null],
    utf16le: ['ucs2', 'ucs-2', 'UCS2', 'utf16le', 'utf-16le', 'UTF-16LE', 'Ucs-2'],
    latin1: ['latin1', 'LATIN1', 'binary', 'Binary'],
    ascii: ['ascii', 'ASCII', 'Ascii'],
    hex: ['hex', 'HEX', 'hEx'],
    base64: ['base64', 'BASE64'],
    base64url: ['base64url', 'BASE64URL', 'Base64Url'],
  };

  test.each(Object.keys(names))('knows the names of %s', (canonical) => {
    for (const name of names[canonical]) expect(normalizeEncoding(name)).toBe(canonical);
  });

  test.each(['utf', 'utf_8', ' utf8', 'utf8 ', 'utf16', 'utf-16', 'utf16be', 'ucs', 'latin-1'])(
    'does not know %j',
    (name) => {
      expect(Buffer.isEncoding(name)).toBe(false);
      expect(normalizeEncoding(name)).toBeUndefined();
    },
  );

  test.each([
    'iso-8859-1',
    'base-64',
    'base64 url',
    'he\u212A',
    'hex\0',
    'constructor',
    '__proto__',
  ])('does not know %j', (name) => expect(normalizeEncoding(name)).toBeUndefined());

  test.each([5, true, false, 0, {}, [], ['hex'], Symbol('hex'), 5n, () => {}, Object('hex')])(
    'does not know %p, which is no string',
    (name) => expect(normalizeEncoding(name)).toBeUndefined(),
  );

  test('agrees with Buffer.isEncoding on every name it knows', () => {
    for (const name of Object.values(names).flat()) {
      if (name) expect(Buffer.isEncoding(name)).toBe(true);
    }
  });
});

const strings = {
  nothing: '',
  'one ASCII letter': 'a',
  'ASCII shorter than the encoder is worth': 'hello, world',
  'ASCII longer than that': 'hello, world. '.repeat(10),
  'a two-byte character': '\u00e9',
  'a three-byte character': '\u20ac',
  'a four-byte character': '\u{1f600}',
  'letters, then wider characters': 'abc\u00e9\u20ac\u{1f600}',
  'wider characters, then letters': '\u{1f600}\u20ac\u00e9abc',
  'a lone leading surrogate': '\ud83d',
  'a lone trailing surrogate': '\ude00',
  'a leading surrogate before a letter': '\ud83da',
  'a leading surrogate before a pair': '\ud83d\ud83d\ude00',
  'surrogates in the wrong order': '\ude00\ud83d',
  'a leading surrogate at the very end': 'abc\ud83d',
  'the null character': 'a\0b',
  'the ends of the ranges': '\u007f\u0080\u00ff\u0100\u07ff\u0800\ud7ff\ue000\uffff',
  'a byte order mark': '\ufeffa',
  'many wide characters': '\u20ac\u{1f600}\u00e9'.repeat(20),
};

describe('write', () => {
  describe.each(encodings)('as %s', (encoding) => {
    test.each(Object.keys(strings))('writes %s as Buffer does, into any room', (key) => {
      sameAtEveryLength(strings[key], encoding);
    });
  });

  test('never writes part of a UTF-8 character', () => {
    const bytes = new Uint8Array(3).fill(GUARD);
    expect(write(bytes, '\u{1f600}')).toBe(0);
    expect(hex(bytes)).toBe('eeeeee');
  });

  test('never writes half of a UTF-16 unit', () => {
    const bytes = new Uint8Array(3).fill(GUARD);
    expect(write(bytes, 'ab', 'utf16le')).toBe(2);
    expect(hex(bytes)).toBe('6100ee');
  });

  test('goes on to write nothing smaller behind a character that does not fit', () => {
    sameAtEveryLength('\u20aca', 'utf8');
  });

  test('replaces each lone surrogate by EF BF BD', () => {
    expect(decoded('a\ud83db\ude00', 'utf8')).toBe('61efbfbd62efbfbd');
  });

  const hexes = {
    'pairs of digits': '00ff7fA5',
    'an odd digit at the end': '616263a',
    'a single digit': 'a',
    'a bad pair at the start': 'zz61',
    'a bad pair in the middle': '6162zz63',
    'a bad first digit': '61z163',
    'a bad second digit': '611z63',
    'white space': '61 62',
    'the characters beside the digits': '61/0',
    'the characters above the digits': '61:0',
    'the characters beside the letters': '61@a',
    'the characters above the letters': '61g0',
    'control characters that differ from digits in one bit': '61\u0011\u0012',
    'digits by their low bytes only': '\u0161\u0162\u0130\u0231',
    'a wide character that is no digit': '61\u20ac\u20ac',
    'a letter of Latin-1': '61\u00e1a',
  };
  test.each(Object.keys(hexes))('decodes hex with %s as Buffer does', (key) => {
    sameAtEveryLength(hexes[key], 'hex');
    expect(decoded(hexes[key], 'hex')).toBe(hex(Buffer.from(hexes[key], 'hex')));
  });

  const base64s = {
    padding: 'YWJjZA==',
    'one sign of padding': 'YWJjZGU=',
    'no padding': 'YWJjZA',
    'a single character': 'Y',
    'a single character left over': 'YWJjZ',
    'too much padding': 'YWJj====',
    'padding alone': '====',
    'padding at the start': '=YWJj',
    'padding in the middle': 'YWJj=ZGVm',
    'padding inside a group': 'YW=Jj',
    'two padded strings': 'YQ==YQ==',
    'both alphabets': '+/-_-_+/',
    'white space': 'Y W\tJ\nj\r\nZGVm ',
    junk: 'Y!W@J#j$',
    'junk alone': '!@#$',
    'junk behind the padding': 'YQ==!',
    'junk before the padding': 'YQ!==',
    'bits left over that are not zero': 'YR==',
    'letters by their low bytes only': '\u0159\u0157\u014a\u016a',
    'a sign of padding by its low byte only': 'YWJj\u013dZGVm',
    'wide characters': 'YW\u20acJj\u{1f600}',
    'letters of Latin-1': 'YW\u00e9Jj',
    'null characters': 'YW\0Jj',
    'all of the alphabet': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
    'many groups': 'YWJjZGVmZ2hp'.repeat(20),
  };
  describe.each(['base64', 'base64url'])('as %s', (encoding) => {
    test.each(Object.keys(base64s))('decodes %s as Buffer does', (key) => {
      sameAtEveryLength(base64s[key], encoding);
      expect(decoded(base64s[key], encoding)).toBe(hex(Buffer.from(base64s[key], encoding)));
    });
  });

  test.each(['hex', 'base64', 'base64url', 'latin1', 'utf8', 'utf16le'])(
    'treats each of the 65536 code units as Buffer does in %s',
    (encoding) => {
      const bytes = new Uint8Array(16);
      const buffer = Buffer.alloc(16);
      for (let unit = 0; unit < 0x10000; unit++) {
        const string = `6${String.fromCharCode(unit)}61`;
        bytes.fill(0);
        buffer.fill(0);
        const mine = write(bytes, string, encoding);
        const native = buffer.write(string, encoding);
        if (mine !== native || buffer.compare(bytes) !== 0) {
          throw new Error(`differs at ${unit.toString(16)}`);
        }
      }
    },
  );

  test('gives the same after 100000 calls as latin1', () => {
    const string = '\u00ff\u00e9a\u0080';
    const bytes = new Uint8Array(4);
    let wrong = 0;
    for (let i = 0; i < 1e5; i++) {
      bytes.fill(0);
      const count = write(bytes, string, 'latin1');
      if (count !== 4 || bytes[0] !== 255 || bytes[1] !== 233 || bytes[2] !== 97) wrong++;
      if (bytes[3] !== 128) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test.each(encodings)(
    'gives the same after 100000 calls as %s, strings of both widths',
    (encoding) => {
      const narrow = 'YWJj616263\u00e9';
      const wide = 'YWJj616263\u20ac';
      const expected = [narrow, wide].map((string) => {
        const buffer = Buffer.alloc(32);
        return [buffer.write(string, encoding), buffer];
      });
      const bytes = new Uint8Array(32);
      let wrong = 0;
      for (let i = 0; i < 1e5; i++) {
        bytes.fill(0);
        const [count, buffer] = expected[i & 1];
        if (write(bytes, i & 1 ? wide : narrow, encoding) !== count) wrong++;
        if (i % 100 < 2 && buffer.compare(bytes) !== 0) wrong++;
      }
      expect(wrong).toBe(0);
    },
  );

  test('takes UTF-8 where no encoding is given', () => {
    for (const encoding of [undefined, null, '']) {
      expect(decoded('\u00e9', encoding)).toBe('c3a9');
    }
  });

  test.each([5, true, {}, Symbol('hex'), ['hex'], Object('hex')])(
    'takes UTF-8 for %p, as Buffer.from does for what is no string',
    (encoding) => {
      const bytes = new Uint8Array(4);
      const count = write(bytes, '\u00e9', encoding);
      expect(hex(bytes.subarray(0, count))).toBe(hex(Buffer.from('\u00e9', encoding)));
    },
  );

  test.each(['nope', 'utf16', 'latin-1'])(
    'refuses %j as Buffer.from does, writing nothing',
    (encoding) => {
      const expected = outcome(() => Buffer.from('a', encoding));
      expect(ours(4, 'a', encoding)).toEqual({
        result: expected,
        bytes: hex(Buffer.alloc(4 + 2 * MARGIN, GUARD)),
      });
    },
  );

  test('reaches the memory of a wasm module', () => {
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1 });
    const bytes = new Uint8Array(buffer, 1000, 100);
    for (const encoding of encodings) {
      bytes.fill(0);
      const string = `6162\u00e9\u20ac${'\u{1f600}'.repeat(10)}`;
      const count = write(bytes, string, encoding);
      expect(hex(bytes.subarray(0, count))).toBe(hex(Buffer.from(string, encoding)));
    }
  });

  test('writes to a Buffer, and asks no method of a subclass', () => {
    class Stubborn extends Uint8Array {
      subarray() {
        throw new Error('subarray');
      }
      fill() {
        throw new Error('fill');
      }
    }
    const bytes = new Stubborn(8);
    expect(write(bytes, 'a\u00e9', 'utf8')).toBe(3);
    fill(bytes, 7);
    expect(hex(bytes)).toBe('07'.repeat(8));
    const buffer = Buffer.alloc(4);
    expect(write(buffer, 'a\u00e9', 'utf8')).toBe(3);
    expect(buffer.toString('hex')).toBe('61c3a900');
  });
});

describe('byteLength', () => {
  describe.each(encodings)('as %s', (encoding) => {
    test.each(Object.keys(strings))('counts %s as Buffer does', (key) => {
      expect(byteLength(strings[key], encoding)).toBe(Buffer.byteLength(strings[key], encoding));
    });
  });

  test.each([
    '',
    '=',
    '==',
    '===',
    '====',
    'A',
    'A=',
    'A==',
    'AA',
    'AA=',
    'AA==',
    'AAA=',
    '=A',
    'A=A',
  ])('estimates %j in base64 as Buffer does', (string) => {
    expect(byteLength(string, 'base64')).toBe(Buffer.byteLength(string, 'base64'));
    expect(byteLength(string, 'base64url')).toBe(Buffer.byteLength(string, 'base64url'));
  });

  test('over-estimates base64 with white space', () => {
    expect(byteLength('Y W J j', 'base64')).toBe(5);
    expect(decoded('Y W J j', 'base64')).toBe('616263');
  });

  test('over-estimates hex with bad digits', () => {
    expect(byteLength('61zz62', 'hex')).toBe(3);
    expect(decoded('61zz62', 'hex')).toBe('61');
  });

  test.each(['nope', 5, true, undefined, null, ''])(
    'counts UTF-8 for the encoding %p',
    (encoding) => {
      expect(byteLength('a\u00e9', encoding)).toBe(Buffer.byteLength('a\u00e9', encoding));
    },
  );
});

describe('fill', () => {
  const plain = {
    undefined: undefined,
    null: null,
    true: true,
    false: false,
    0: 0,
    '-0': -0,
    255: 255,
    256: 256,
    '-1': -1,
    1.9: 1.9,
    '-1.9': -1.9,
    NaN: NaN,
    Infinity: Infinity,
    1e300: 1e300,
    '2 ** 32 + 7': 2 ** 32 + 7,
    '-(2 ** 40) - 3': -(2 ** 40) - 3,
    'an object': {},
    'an object of a value': { valueOf: () => 300 },
    'an object of a text': { toString: () => '7' },
    'an object of a primitive': { [Symbol.toPrimitive]: () => '0x41' },
    'an array of a number': [65],
    'an empty array': [],
    'an array of numbers': [1, 2],
    'a boxed number': Object(66),
    'a boxed string': Object('ab'),
    'a date': new Date(77),
    'a function': () => {},
    'an ArrayBuffer, which is no view': new Uint8Array([1, 2, 3]).buffer,
    'a symbol': Symbol('a'),
    'a bigint': 5n,
    'a boxed bigint': Object(5n),
    'an object of a bigint': { valueOf: () => 5n },
    'an object without prototype': Object.create(null),
    'an object that throws': {
      valueOf() {
        throw new RangeError('boom');
      },
    },
  };
  test.each(Object.keys(plain))('takes the low byte of %s as Buffer does', (key) => {
    sameFill(plain[key]);
  });

  test('takes the low byte of an object of a negative integer, where Node takes zero', () => {
    expect(filled(2, { valueOf: () => -1 })).toBe('ffff');
    expect(filled(2, -1)).toBe('ffff');
  });

  const views = {
    'a Uint8Array': new Uint8Array([1, 2, 3]),
    'a view of one byte': new Uint8Array([9]),
    'a Buffer': Buffer.from('abcdefghijklmnopqrstuvwxyz'),
    'a part of an array buffer': new Uint8Array([1, 2, 3, 4, 5]).subarray(2, 4),
    'a Uint16Array': new Uint16Array([0x1234, 0x5678]),
    'a Float64Array': new Float64Array([1.5]),
    'a DataView': new DataView(new Uint8Array([5, 6, 7]).buffer, 1),
    'a view of shared memory': new Uint8Array(new SharedArrayBuffer(2)).fill(3),
    'a Uint8ClampedArray': new Uint8ClampedArray([1, 300]),
    'a BigInt64Array': new BigInt64Array([-2n]),
    'an empty Uint8Array': new Uint8Array(0),
    'an empty Float64Array': new Float64Array(0),
    'an empty Buffer': Buffer.alloc(0),
  };
  test.each(Object.keys(views))('repeats the bytes of %s as Buffer does', (key) => {
    sameFill(views[key]);
  });

  test('repeats bytes of the target itself', () => {
    const bytes = new Uint8Array([1, 2, 3, 4, 5]);
    fill(bytes, bytes.subarray(1, 3));
    expect([...bytes]).toEqual([2, 3, 2, 3, 2]);
  });

  describe.each(encodings)('as %s', (encoding) => {
    test.each(Object.keys(strings))('repeats %s as Buffer does', (key) => {
      sameFill(strings[key], encoding);
    });
  });

  test.each(['zz', 'z', 'a', 'aaz', '61zz', '6162zz', '\u0161'])(
    'repeats the hex %j as Buffer does',
    (text) => {
      sameFill(text, 'hex');
    },
  );

  test.each(['=', '!', 'A', 'AA', '====', 'YWJj=ZGVm', 'Y W J j'])(
    'repeats the base64 %j as Buffer does',
    (text) => {
      sameFill(text, 'base64');
      sameFill(text, 'base64url');
    },
  );

  test('cuts a character where the target ends', () => {
    expect(filled(4, '\u20ac')).toBe('e282ace2');
    expect(filled(1, '\u{1f600}')).toBe('f0');
    expect(filled(3, 'a', 'utf16le')).toBe('610061');
  });

  test('leaves the target as it was when a string decodes to nothing', () => {
    expect(filled(4, 'zz', 'hex')).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  const odd = {
    'an unknown encoding': 'nope',
    'an empty encoding': '',
    'no encoding': undefined,
    null: null,
    'the number 5': 5,
    'the number 0': 0,
    true: true,
    false: false,
    'a symbol': Symbol('a'),
    'a bigint': 5n,
    'an object': {},
    'an array': ['hex'],
    'a function': () => {},
  };
  test.each(Object.keys(odd))('treats %s as Buffer does for each kind of value', (key) => {
    for (const value of ['', 'a', 'ab', '\u00e9', 5, null, new Uint8Array([1, 2]), {}]) {
      sameFill(value, odd[key]);
    }
  });

  test('checks the encoding before the value', () => {
    expect(filled(4, '', 'nope')).toMatchObject({ code: 'ERR_UNKNOWN_ENCODING' });
    expect(filled(4, '', 5)).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
  });

  test('does not look at the value when there is nothing to fill', () => {
    expect(fill(new Uint8Array(0), 'zz', 'hex')).toBeUndefined();
    expect(fill(new Uint8Array(0), Symbol('a'))).toBeUndefined();
    expect(filled(0, 'zz', 'nope')).toMatchObject({ code: 'ERR_UNKNOWN_ENCODING' });
  });

  test('fills a large target with a pattern', () => {
    const bytes = new Uint8Array(100003);
    fill(bytes, 'abc\u20ac');
    expect(Buffer.alloc(100003, 'abc\u20ac').compare(bytes)).toBe(0);
  });

  test('needs no more room than the target for a string that is longer', () => {
    const bytes = new Uint8Array(5);
    fill(bytes, '\u20ac'.repeat(2 ** 20));
    expect(hex(bytes)).toBe('e282ace282');
  });
});
