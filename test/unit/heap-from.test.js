import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import {
  bytesOf,
  caught,
  ENCODINGS,
  facts,
  label,
  makeHeap,
  outcome,
  refusal,
  textOf,
} from '../support/heap.js';
import { realm } from '../support/realm.js';

/** Both sides get arguments of their own, and twice: the second time memory is recycled and dirty. */
function compare(heap, args) {
  const expected = outcome(() => Buffer.from(...args()));
  for (let round = 0; round < 2; round++) {
    const actual = outcome(() => {
      const view = heap.from(...args());
      // A view of its own of the bytes, since this one is freed and spoilt.
      const copy = Buffer.from(bytesOf(view));
      expect(view).toBeInstanceOf(HeapBuffer);
      heap.free(view.fill(0xa5));
      return copy;
    });
    expect(actual).toEqual(expected);
  }
  expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  expect(heap.check()).toEqual([]);
}

const sparse = () => {
  const array = [1, 2, 3, 4];
  delete array[1];
  array.length = 7;
  return array;
};

describe('from a string writes what Buffer.from writes', () => {
  const STRINGS = [
    '',
    'abc',
    'ümläut',
    'ÿ',
    '€uro',
    '日本語',
    '😀',
    'a😀b',
    '\ud800',
    '\udc00',
    '\ud800\ud800',
    '\udc00\ud800',
    'a\ud83d',
    '\ude00b',
    '\u0000\u0001',
    '\ufeffbom',
    '\uffff',
    'aGVsbG8=',
    'aGVsbG8',
    'aGV sbG8=\n',
    '\ta\rG\nV s bG8',
    'aGVsbG8==garbage',
    'aG=VsbG8=',
    'a',
    'ab',
    'abc=',
    '====',
    '-_-_',
    '+/+/',
    '-_+/',
    '!!!!',
    'aGVs\u0141bG8',
    '68656c6c6f',
    '68656C6C6F',
    '686',
    '68g5',
    'g868',
    'zz',
    '0x12',
    ' 68',
    '68 65',
    '6\u0138',
    'é'.repeat(40_000),
    'a'.repeat(32_767),
    'a'.repeat(32_768),
    'QUJD\n'.repeat(15_000),
    `${'ab'.repeat(33_000)}xx${'ab'.repeat(100)}`,
  ];

  test.each(ENCODINGS.map((to) => [label(to), to]))('in the encoding %s', (_, to) => {
    const heap = makeHeap();
    for (const string of STRINGS) compare(heap, () => [string, to]);
  });

  test('when no encoding is given', () => {
    const heap = makeHeap();
    for (const string of STRINGS) compare(heap, () => [string]);
  });

  test('when it is not flat', () => {
    const heap = makeHeap();
    for (const to of ['utf8', 'latin1', 'utf16le', 'base64', 'hex']) {
      for (const part of ['ab', 'é€', '0123']) {
        compare(heap, () => {
          let rope = '';
          for (let i = 0; i < 500; i++) rope = i % 2 ? rope + part : part + rope;
          return [rope, to];
        });
        compare(heap, () => [part.repeat(100).slice(7, 80), to]);
      }
    }
  });

  test('in long loops, when everything has been optimised', () => {
    const heap = makeHeap();
    for (let i = 0; i < 30_000; i++) {
      const latin = heap.from('ÿé', 'latin1');
      const utf = heap.from('ÿé');
      if (latin.length !== 2 || latin[0] !== 0xff || latin[1] !== 0xe9) throw new Error(`${i}`);
      if (utf.length !== 4 || utf[0] !== 0xc3 || utf[3] !== 0xa9) throw new Error(`${i}`);
      heap.free(latin);
      heap.free(utf);
    }
  });
});

describe('from copies what Buffer.from takes', () => {
  const SHARED = () => new Uint8Array(new SharedArrayBuffer(4)).fill(7);
  const VALUES = {
    'an array': () => [1, 2, 3],
    'an empty array': () => [],
    'an array of fractions': () => [1.9, -1.9, 0.5, 255.99],
    'an array of large and negative numbers': () => [256, 300, -1, -257, 2 ** 32 + 7, 2 ** 53],
    'an array of no numbers': () => [NaN, Infinity, -Infinity, -0, undefined, null, true, false],
    'an array of strings': () => ['1', '0x10', 'x', '', ' 5 ', '1e2'],
    'an array of objects': () => [{}, [], [5], [1, 2], { valueOf: () => 9 }, new Date(3)],
    'an array with holes': sparse,
    'a large array': () => Array.from({ length: 40_000 }, (_, i) => i),
    'a large array with holes': () => Object.assign(new Array(40_000), { 39999: 5 }),
    'an array with more properties': () => Object.assign([1, 2], { x: 5, '-1': 6 }),
    'an array of a subclass': () => class Mine extends Array {}.from([1, 2]),
    'a frozen array': () => Object.freeze([1, 2]),
    'a proxy of an array': () => new Proxy([1, 2, 3], {}),
    arguments: () =>
      (function f() {
        // biome-ignore lint/complexity/noArguments: the very thing
        return arguments;
      })(1, 2, 3),
    'a Uint8Array': () => Uint8Array.of(1, 2, 3),
    'an empty Uint8Array': () => new Uint8Array(0),
    'a part of a Uint8Array': () => Uint8Array.of(1, 2, 3, 4).subarray(1, 3),
    'a large Uint8Array': () => new Uint8Array(40_000).fill(3),
    'a Uint8ClampedArray': () => Uint8ClampedArray.of(1, 300),
    'an Int8Array': () => Int8Array.of(-1, 127, -128),
    'a Uint16Array': () => Uint16Array.of(1, 0x1ff, 0xffff),
    'an Int16Array': () => Int16Array.of(-1, 256),
    'a Uint32Array': () => Uint32Array.of(1, 2 ** 32 - 1),
    'an Int32Array': () => Int32Array.of(-5, 1000),
    'a Float32Array': () => Float32Array.of(1.5, -1, NaN, 1e10),
    'a Float64Array': () => Float64Array.of(1.5, -1, Infinity, 2 ** 40 + 5),
    'a large Float64Array': () => new Float64Array(40_000).fill(258.7),
    'a BigInt64Array': () => BigInt64Array.of(1n, 2n),
    'a BigUint64Array': () => BigUint64Array.of(1n),
    'an empty BigInt64Array': () => new BigInt64Array(0),
    'a large BigInt64Array': () => new BigInt64Array(40_000),
    'a view of shared memory': SHARED,
    'a DataView': () => new DataView(new ArrayBuffer(5)),
    'a Buffer': () => Buffer.from('abc'),
    'a pooled Buffer': () => Buffer.allocUnsafe(10).fill('pool'),
    'a large Buffer': () => Buffer.alloc(100_000, 'xyz'),
    'a detached view': () => {
      const view = new Uint8Array(10);
      structuredClone(view.buffer, { transfer: [view.buffer] });
      return view;
    },
    'an array-like': () => ({ length: 2, 0: 1, 1: 2 }),
    'an array-like with holes': () => ({ length: 4, 1: 7 }),
    'an array-like of length 0': () => ({ length: 0, 0: 5 }),
    'an array-like of length -0': () => ({ length: -0, 0: 5 }),
    'an array-like of negative length': () => ({ length: -5, 0: 5 }),
    'an array-like of length -Infinity': () => ({ length: -Infinity }),
    'an array-like of length NaN': () => ({ length: NaN, 0: 5 }),
    'an array-like of length 0.5': () => ({ length: 0.5, 0: 5 }),
    'an array-like of length 1.5': () => ({ length: 1.5, 0: 5, 1: 6 }),
    'an array-like of length 40000.5': () => ({ length: 40_000.5, 0: 5, 39999: 6 }),
    'an array-like with a string for a length': () => ({ length: '2', 0: 5, 1: 6 }),
    'an array-like with null for a length': () => ({ length: null, 0: 5 }),
    'an array-like with a bigint for a length': () => ({ length: 2n, 0: 5 }),
    'an array-like with an object for a length': () => ({ length: {}, 0: 5 }),
    'an array-like without prototype': () =>
      Object.assign(Object.create(null), { length: 2, 0: 5, 1: 6 }),
    'a large array-like': () => ({ length: 40_000, 0: 5, 39999: 6 }),
    'a large array-like that is iterable': () => ({
      length: 40_000,
      0: 5,
      *[Symbol.iterator]() {
        for (let i = 0; i < 40_000; i++) yield i;
      },
    }),
    'a large array-like whose iterator gives less': () => ({
      length: 40_000,
      0: 5,
      *[Symbol.iterator]() {
        yield 7;
      },
    }),
    'a large array-like whose iterator gives more': () => ({
      length: 40_000,
      *[Symbol.iterator]() {
        for (let i = 0; i < 40_001; i++) yield i;
      },
    }),
    'a small array-like that is iterable': () => ({
      length: 2,
      0: 5,
      *[Symbol.iterator]() {
        yield 7;
      },
    }),
    'an object with the buffer of a view': () => ({ buffer: new ArrayBuffer(4) }),
    'an object with a buffer and a length': () => ({ buffer: new ArrayBuffer(4), length: 1 }),
    'Buffer JSON': () => Buffer.from('json').toJSON(),
    'parsed Buffer JSON': () => JSON.parse(JSON.stringify(Buffer.from('json'))),
    'Buffer JSON of nothing': () => ({ type: 'Buffer', data: [] }),
    'Buffer JSON with odd data': () => ({ type: 'Buffer', data: ['5', 300, null] }),
    'Buffer JSON of a large array': () => ({ type: 'Buffer', data: new Array(40_000).fill(9) }),
    'Buffer JSON with data of the wrong kind': () => ({ type: 'Buffer', data: { length: 1 } }),
    'JSON of another type': () => ({ type: 'Bluffer', data: [1] }),
    'a boxed string': () => Object('boxed'),
    'an empty boxed string': () => Object(''),
    'an object whose valueOf gives a string': () => ({ valueOf: () => 'str' }),
    'an object whose valueOf gives an array': () => ({ valueOf: () => [1, 2] }),
    'an object whose valueOf gives an ArrayBuffer': () => ({
      valueOf: () => Uint8Array.of(1, 2).buffer,
    }),
    'an object whose valueOf gives a number': () => ({ valueOf: () => 5 }),
    'an object whose valueOf gives null': () => ({ valueOf: () => null }),
    'an object whose valueOf gives a function': () => ({ valueOf: () => () => 'x' }),
    'an object whose valueOf gives one with valueOf': () => ({
      valueOf: () => ({ valueOf: () => 'deep' }),
    }),
    'an array whose valueOf gives a string': () => Object.assign([1, 2], { valueOf: () => 'str' }),
    'an object whose valueOf is 0': () => ({ valueOf: 0, length: 1, 0: 7 }),
    'an object whose valueOf is an empty string': () => ({ valueOf: '', length: 1, 0: 7 }),
    'an object whose valueOf is false': () => ({ valueOf: false }),
    'an object with toPrimitive': () => ({ [Symbol.toPrimitive]: (hint) => `as ${hint}` }),
    'an object whose toPrimitive gives a number': () => ({ [Symbol.toPrimitive]: () => 5 }),
    'an object whose toPrimitive gives an object': () => ({ [Symbol.toPrimitive]: () => ({}) }),
    'an object whose toPrimitive is no function': () => ({ [Symbol.toPrimitive]: 5 }),
    'an object whose toPrimitive is 0': () => ({ [Symbol.toPrimitive]: 0 }),
    'an object with toPrimitive and no prototype': () =>
      Object.assign(Object.create(null), { [Symbol.toPrimitive]: () => 'x' }),
    'a date': () => new Date(0),
    'an object with toString only': () => ({ toString: () => 'x' }),
    'a Uint8Array of another realm': () => new realm.Uint8Array([1, 2, 3]),
    'a Uint16Array of another realm': () => new realm.Uint16Array([1, 258]),
    'an ArrayBuffer of another realm': () => new realm.Uint8Array([1, 2]).buffer,
    'a SharedArrayBuffer of another realm': () => new realm.SharedArrayBuffer(3),
    'an array of another realm': () => Object.assign(new realm.Array(3), { 0: 1, 2: 3 }),
    'a boxed string of another realm': () => realm.Object('realm'),
    'a Buffer of another heap': () => makeHeap().from('other'),
    undefined: () => undefined,
    null: () => null,
    'a number': () => 5,
    0: () => 0,
    NaN: () => NaN,
    'a bigint': () => 5n,
    true: () => true,
    'a symbol': () => Symbol('s'),
    'a function': () => function named() {},
    'a class': () => class Mine {},
    'an object': () => ({}),
    'an object without prototype': () => Object.create(null),
    'a boxed number': () => Object(5),
    'a boxed boolean': () => Object(true),
    'a boxed symbol': () => Object(Symbol('s')),
    'a regular expression': () => /x/,
    'an error': () => new Error('x'),
    'a promise': () => Promise.resolve(),
    'a weak map': () => new WeakMap(),
    'a proxy of an object': () => new Proxy({}, {}),
    'an object tagged as an ArrayBuffer': () => ({ [Symbol.toStringTag]: 'ArrayBuffer' }),
    'an object that inherits from ArrayBuffer': () => Object.create(ArrayBuffer.prototype),
    'an object that inherits from Uint8Array': () => Object.create(Uint8Array.prototype),
    'an object whose valueOf gives the like, without end': () => {
      const endless = () => ({ valueOf: endless });
      return endless();
    },
  };

  test.each(Object.keys(VALUES))('%s', (name) => {
    compare(makeHeap(), () => [VALUES[name]()]);
  });

  test.each(['encoding', 5, 'hex', null])('not minding %p after an array', (second) => {
    compare(makeHeap(), () => [[1, 2, 3], second, 1]);
    compare(makeHeap(), () => [Uint8Array.of(1, 2, 3), second, 1]);
  });

  test('with an encoding for what turns into a string', () => {
    const heap = makeHeap();
    for (const to of ['hex', 'latin1', 'nope', 5]) {
      compare(heap, () => [Object('6162'), to]);
      compare(heap, () => [{ valueOf: () => '6162' }, to]);
      compare(heap, () => [{ [Symbol.toPrimitive]: () => '6162' }, to]);
    }
  });
});

describe.each([
  ['an ArrayBuffer', () => Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9).buffer],
  [
    'a SharedArrayBuffer',
    () => {
      const shared = new SharedArrayBuffer(10);
      new Uint8Array(shared).set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      return shared;
    },
  ],
  ['an ArrayBuffer of another realm', () => new realm.Uint8Array(10).fill(7).buffer],
])('from %s', (_, make) => {
  const NUMBERS = [
    undefined,
    null,
    0,
    -0,
    1,
    5,
    9,
    9.5,
    10,
    10.5,
    11,
    0.5,
    2.7,
    -1,
    -0.5,
    NaN,
    Infinity,
    -Infinity,
    2 ** 32,
    2 ** 53,
    '',
    '3',
    'x',
    true,
    false,
    [],
    [4],
    {},
    { valueOf: () => 3 },
    Symbol('5'),
  ];

  test.each(NUMBERS.map((offset) => [label(offset), offset]))(
    'with the offset %s and any length',
    (_, offset) => {
      const heap = makeHeap();
      compare(heap, () => [make(), offset]);
      for (const length of NUMBERS) compare(heap, () => [make(), offset, length]);
    },
  );

  test('with a bigint for the offset or the length', () => {
    const heap = makeHeap();
    compare(heap, () => [make(), 5n]);
    compare(heap, () => [make(), 0, 5n]);
  });

  test('copies: the source can change without the buffer', () => {
    const heap = makeHeap();
    const source = make();
    const view = heap.from(source, 2, 3);
    const before = [...view];
    new Uint8Array(source).fill(99);
    expect([...view]).toEqual(before);
    expect(view.buffer).not.toBe(source);
  });
});

describe('from an ArrayBuffer', () => {
  test('that is detached', () => {
    compare(makeHeap(), () => {
      const buffer = new ArrayBuffer(5);
      structuredClone(buffer, { transfer: [buffer] });
      return [buffer];
    });
  });

  test('of a large size', () => {
    compare(makeHeap(), () => [new Uint8Array(100_000).fill(5).buffer, 100, 50_000]);
  });

  test('that can be resized', () => {
    compare(makeHeap(), () => {
      const buffer = new ArrayBuffer(5, { maxByteLength: 10 });
      new Uint8Array(buffer).fill(3);
      buffer.resize(8);
      return [buffer];
    });
  });

  test('whose byteLength is overlaid by a property', () => {
    const heap = makeHeap();
    const buffer = Uint8Array.of(1, 2, 3).buffer;
    Object.defineProperty(buffer, 'byteLength', { value: 1000 });
    // Node 20 believes it and throws, later ones do not.
    compare(heap, () => [buffer]);
  });

  test('of the heap itself', () => {
    const heap = makeHeap();
    const view = heap.from('inside');
    const copy = heap.from(view.buffer, view.byteOffset, view.length);
    expect(textOf(copy)).toBe('inside');
    expect(copy).not.toBe(view);
    view.fill(0);
    expect(textOf(copy)).toBe('inside');
  });
});

describe('from a buffer of a heap', () => {
  test('copies within the same heap', () => {
    const heap = makeHeap();
    const source = heap.from('same');
    const copy = heap.from(source);
    source.fill('x');
    expect(textOf(copy)).toBe('same');
  });

  test('copies from another heap', () => {
    const heap = makeHeap();
    const source = makeHeap().from('other');
    const copy = heap.from(source);
    expect(copy.buffer).not.toBe(source.buffer);
    expect(textOf(copy)).toBe('other');
    heap.free(copy);
  });
});

describe('from takes iterables besides', () => {
  const ITERABLES = {
    'a Set': () => new Set([1, 2, 300]),
    'an empty Set': () => new Set(),
    'the keys of a Map': () =>
      new Map([
        [5, 'a'],
        [6, 'b'],
      ]).keys(),
    'a generator': () =>
      (function* numbers() {
        yield 1;
        yield 2.9;
        yield '7';
        yield undefined;
      })(),
    'an object with an iterator': () => ({
      [Symbol.iterator]: () => [1, 2, 3][Symbol.iterator](),
    }),
    'many numbers': () => new Set(Array.from({ length: 50_000 }, (_, i) => i)),
    'a Set of another realm': () => new realm.Set([1, 2]),
  };

  test.each(Object.keys(ITERABLES))('%s, which Buffer.from refuses', (name) => {
    const heap = makeHeap();
    expect(facts(caught(() => Buffer.from(ITERABLES[name]()))).code).toBe('ERR_INVALID_ARG_TYPE');
    const expected = Buffer.from(Array.from(ITERABLES[name]()));
    expect(outcome(() => heap.from(ITERABLES[name]()))).toEqual(outcome(() => expected));
  });

  test('but not an iterator that is no function', () => {
    compare(makeHeap(), () => [{ [Symbol.iterator]: 5 }]);
  });
});

describe('from takes nothing when the source throws', () => {
  const mine = new Error('mine');
  const fail = () => {
    throw mine;
  };
  /** Length and elements as given; element 5 throws. */
  const trap = (length) =>
    Object.defineProperty({ length }, 5, { get: fail, configurable: true, enumerable: true });
  const arrayTrap = (length) =>
    Object.defineProperty(new Array(length).fill(7), 5, { get: fail, configurable: true });
  const SOURCES = {
    'an element': () => trap(10),
    'an element of a large array-like': () => trap(40_000),
    'an element of an array': () => arrayTrap(10),
    'an element of a large array': () => arrayTrap(40_000),
    'an element of Buffer JSON': () => ({ type: 'Buffer', data: arrayTrap(10) }),
    'an element that is converted': () => [1, 2, { valueOf: fail }, 4],
    'an element that is converted of a large array': () =>
      Object.assign(new Array(40_000).fill(1), { 20000: { valueOf: fail } }),
    length: () =>
      Object.defineProperty({}, 'length', {
        get: fail,
      }),
    valueOf: () => ({ valueOf: fail }),
    'valueOf, on access': () => Object.defineProperty({}, 'valueOf', { get: fail }),
    buffer: () => Object.defineProperty({}, 'buffer', { get: fail }),
    type: () => Object.defineProperty({}, 'type', { get: fail }),
    toPrimitive: () => ({ [Symbol.toPrimitive]: fail }),
    'an iterator': () => ({ [Symbol.iterator]: fail }),
    'an iterator midway': () =>
      (function* numbers() {
        yield 1;
        fail();
      })(),
    'an iterator of a large array-like midway': () => ({
      length: 40_000,
      *[Symbol.iterator]() {
        yield 1;
        fail();
      },
    }),
    'every trap of a proxy': () =>
      new Proxy([], { get: fail, has: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail }),
    'a proxy at its third element': () =>
      new Proxy([1, 2, 3, 4], {
        get: (target, key) => (key === '2' ? fail() : Reflect.get(target, key)),
      }),
  };

  test.each(Object.keys(SOURCES))('%s', (name) => {
    const heap = makeHeap();
    const kept = heap.from('kept');
    for (let round = 0; round < 3; round++) {
      const { live } = heap.stats();
      expect(caught(() => heap.from(SOURCES[name]()))).toBe(mine);
      expect(heap.stats().live).toEqual(live);
      expect(heap.check()).toEqual([]);
    }
    expect(textOf(kept)).toBe('kept');
    heap.free(kept);
    heap.trim();
    expect(heap.stats().regions[0].inUse).toBe(0);
  });

  test.each([
    ['a bigint', () => [1, 2n]],
    ['a symbol', () => [1, Symbol('s')]],
    ['a bigint far in', () => Object.assign(new Array(40_000).fill(1), { 39999: 2n })],
    ['an object without prototype', () => [Object.create(null)]],
  ])('or holds %s', (_, make) => {
    compare(makeHeap(), () => [make()]);
  });
});

test('from throws a TypeError for a valueOf that cannot be called, as Buffer.from does', () => {
  const heap = makeHeap();
  for (const from of [heap.from, Buffer.from]) {
    const error = facts(caught(() => from({ valueOf: 5, length: 1, 0: 7 })));
    expect([error.class, error.code]).toEqual(['TypeError', undefined]);
  }
});

describe('from while its source uses the heap', () => {
  test('to allocate and free', () => {
    const heap = makeHeap();
    const seen = [];
    const source = {
      length: 10,
      get 3() {
        heap.free(heap.alloc(10));
        const view = heap.alloc(10).fill(0xee);
        seen.push(view);
        heap.trim();
        return 3;
      },
      9: 9,
    };
    expect([...heap.from(source)]).toEqual([0, 0, 0, 3, 0, 0, 0, 0, 0, 9]);
    expect(seen[0].every((byte) => byte === 0xee)).toBe(true);
    expect(heap.stats().live.buffers).toBe(2);
    expect(heap.check()).toEqual([]);
  });

  test('to call from again', () => {
    const heap = makeHeap();
    let depth = 0;
    const source = () => ({
      length: 4,
      get 1() {
        return depth++ < 20 ? heap.from(source()).length : 1;
      },
      2: 5,
    });
    expect([...heap.from(source())]).toEqual([0, 4, 5, 0]);
    expect(heap.stats().live.buffers).toBe(21);
    expect(heap.check()).toEqual([]);
  });

  test('to dispose of it', () => {
    const heap = makeHeap();
    const source = {
      length: 3,
      get 1() {
        heap.dispose();
        throw new Error('mine');
      },
    };
    expect(caught(() => heap.from(source)).message).toBe('mine');
  });

  test('and grows or shrinks meanwhile', () => {
    for (const length of [10, 40_000]) {
      const heap = makeHeap();
      heap.free(heap.allocUnsafe(length).fill(0xa5));
      const shrinking = Array.from({ length }, () => 1);
      Object.defineProperty(shrinking, 0, {
        get() {
          shrinking.length = 1;
          return 7;
        },
      });
      const view = heap.from(shrinking);
      // What is gone reads as undefined, so 0: never as what an earlier tenant left.
      expect(view.includes(0xa5)).toBe(false);
      expect(view[0]).toBe(7);
      const growing = Array.from({ length }, () => 1);
      Object.defineProperty(growing, 0, {
        get() {
          growing.push(1, 2, 3);
          return 7;
        },
      });
      heap.free(view);
      expect(heap.from(growing)[0]).toBe(7);
      expect(heap.check()).toEqual([]);
    }
  });

  test.each([10, 40_000])(
    'never shows what an earlier tenant left: length read as %p first',
    (n) => {
      const heap = makeHeap();
      heap.free(heap.allocUnsafe(n).fill(0xa5));
      let reads = 0;
      const lying = {
        get length() {
          return reads++ < 3 ? n : 1;
        },
        0: 7,
      };
      expect(heap.from(lying).includes(0xa5)).toBe(false);
    },
  );

  test.each([10, 40_000])('never shows what an earlier tenant left: a false length of %p', (n) => {
    const heap = makeHeap();
    heap.free(heap.allocUnsafe(n).fill(0xa5));
    const short = Object.defineProperty(Uint8Array.of(1, 2), 'length', { value: n });
    expect(heap.from(short).includes(0xa5)).toBe(false);
  });
});

test('from refuses without changing anything', () => {
  const heap = makeHeap();
  heap.free(heap.from('x'));
  for (const value of [undefined, null, 5, {}, () => {}, Symbol('s')]) {
    expect(refusal(heap, () => heap.from(value)).code).toBe('ERR_INVALID_ARG_TYPE');
  }
  expect(refusal(heap, () => heap.from('x', 'nope')).code).toBe('ERR_UNKNOWN_ENCODING');
  expect(refusal(heap, () => heap.from(new ArrayBuffer(5), 6)).code).toBe(
    'ERR_BUFFER_OUT_OF_BOUNDS',
  );
});
