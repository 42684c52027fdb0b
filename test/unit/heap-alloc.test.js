import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import {
  boundarySizes,
  bytesOf,
  caught,
  cellSizes,
  ENCODINGS,
  facts,
  label,
  MIB,
  makeHeap,
  outcome,
  PAGE,
  refusal,
} from '../support/heap.js';

const METHODS = ['alloc', 'allocUnsafe', 'allocUnsafeSlow'];

describe('alloc fills as Buffer.alloc does', () => {
  const SIZES = [0, 0.5, 1, 2, 5, 63, 64.5, 1000, 40000];

  /** `rest` makes fill and encoding: each side gets its own. */
  function compare(heap, rest, sizes = SIZES) {
    for (const size of sizes) {
      const expected = outcome(() => Buffer.alloc(size, ...rest()));
      for (const memory of ['fresh', 'recycled', 'a recycled cell']) {
        if (memory !== 'fresh') heap.free(heap.allocUnsafe(size).fill(0xa5));
        if (memory === 'a recycled cell') heap.trim();
        const actual = outcome(() => {
          const view = heap.alloc(size, ...rest());
          heap.free(view);
          return view;
        });
        expect({ size, memory, ...actual }).toEqual({ size, memory, ...expected });
      }
    }
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.check()).toEqual([]);
  }

  const FILLS = {
    undefined: () => undefined,
    0: () => 0,
    '-0': () => -0,
    null: () => null,
    false: () => false,
    true: () => true,
    NaN: () => NaN,
    1: () => 1,
    255: () => 255,
    256: () => 256,
    300: () => 300,
    '-1': () => -1,
    1.9: () => 1.9,
    '-1.9': () => -1.9,
    '2^31': () => 2 ** 31,
    '2^32 + 5': () => 2 ** 32 + 5,
    Infinity: () => Infinity,
    '-Infinity': () => -Infinity,
    'a bigint': () => 5n,
    'a symbol': () => Symbol('s'),
    'a function': () => () => 5,
    'an object': () => ({}),
    'an object with valueOf': () => ({ valueOf: () => 7 }),
    'an object whose valueOf throws': () => ({
      valueOf() {
        throw new RangeError('mine');
      },
    }),
    'an object without prototype': () => Object.create(null),
    'an empty array': () => [],
    'an array of one number': () => [5],
    'an array of two numbers': () => [5, 6],
    'a date': () => new Date(9),
    'a boxed string': () => Object('ab'),
    'an ArrayBuffer': () => new ArrayBuffer(3),
    'a SharedArrayBuffer': () => new SharedArrayBuffer(3),
    'a Buffer': () => Buffer.from('abc'),
    'a part of a Buffer': () => Buffer.from('abcdef').subarray(2, 5),
    'a Uint8Array': () => Uint8Array.of(1, 2, 255),
    'a Uint16Array': () => Uint16Array.of(1, 0x1234),
    'a Float64Array': () => Float64Array.of(Math.PI),
    'a BigInt64Array': () => BigInt64Array.of(-2n),
    'a DataView': () => new DataView(Uint8Array.of(0, 9, 8, 7, 0).buffer, 1, 3),
    'a buffer larger than the target': () => Buffer.alloc(50_000, 'xyz'),
    'an empty Buffer': () => Buffer.alloc(0),
    'an empty Uint8Array': () => new Uint8Array(0),
    'an empty Uint16Array': () => new Uint16Array(0),
    'an empty DataView': () => new DataView(new ArrayBuffer(0)),
  };

  test.each(Object.keys(FILLS))('with %s', (name) => {
    compare(makeHeap(), () => [FILLS[name]()]);
  });

  test.each(['utf8', 'hex', 'nope', 5, null])('not minding the encoding %s of a number', (to) => {
    compare(makeHeap(), () => [7, to]);
    compare(makeHeap(), () => [0, to]);
    compare(makeHeap(), () => [undefined, to]);
  });

  const STRINGS = [
    '',
    '0',
    'a',
    'abc',
    'é',
    'ÿ',
    '€',
    '😀',
    'a😀b',
    '\ud800',
    'x\udc00y',
    'abcd',
    'abc1',
    'zz',
    '0',
    'aGVsbG8=',
    'aG Vs\nbG8',
    '=',
    '-_-_',
    'é'.repeat(30_000),
  ];

  test.each(ENCODINGS.map((to) => [label(to), to]))('with a string in the encoding %s', (_, to) => {
    const heap = makeHeap();
    for (const string of STRINGS) compare(heap, () => [string, to], SIZES.slice(1));
  });

  test('not minding the encoding of a string when there is nothing to fill', () => {
    for (const to of ENCODINGS) compare(makeHeap(), () => ['a', to], [0, -0]);
  });

  test('with a buffer of the same heap', () => {
    const heap = makeHeap();
    const pattern = heap.from('heap');
    expect(bytesOf(heap.alloc(10, pattern)).toString()).toBe('heapheaphe');
    expect(bytesOf(pattern).toString()).toBe('heap');
  });

  test('and keeps no cell when the fill throws', () => {
    const heap = makeHeap();
    for (const fill of [Buffer.alloc(0), Symbol('s')]) {
      caught(() => heap.alloc(100, fill));
      caught(() => heap.alloc(100_000, fill));
    }
    caught(() => heap.alloc(100, 'zz', 'hex'));
    caught(() => heap.alloc(100, 'a', 'nope'));
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    heap.trim();
    expect(heap.stats().regions[0].inUse).toBe(0);
    expect(heap.check()).toEqual([]);
  });
});

describe('alloc', () => {
  test.each([
    ['undefined', undefined],
    ['0', 0],
    ['-0', -0],
  ])('makes nothing resident with the fill %s', (_, fill) => {
    const heap = makeHeap({ regionSize: 256 * MIB });
    const before = process.memoryUsage.rss();
    const view = heap.alloc(200 * MIB, fill);
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * MIB);
    expect([view[0], view[100 * MIB], view[view.length - 1]]).toEqual([0, 0, 0]);
  });

  test('gives a recycled buffer back zeroed, at every size class boundary', () => {
    const heap = makeHeap();
    for (const size of boundarySizes(heap)) {
      heap.free(heap.allocUnsafe(size).fill(0xff));
      const view = heap.alloc(size);
      expect([size, bytesOf(view).equals(Buffer.alloc(size))]).toEqual([size, true]);
      heap.free(view.fill(0xff));
    }
    expect(heap.check()).toEqual([]);
  });

  test('gives a recycled cell back zeroed, at every size class boundary', () => {
    const heap = makeHeap();
    for (const size of boundarySizes(heap)) {
      // The neighbour keeps the slab, so that the cell is the very same.
      const neighbour = heap.allocUnsafe(size);
      heap.free(heap.allocUnsafe(size).fill(0xff));
      heap.trim();
      const view = heap.alloc(size);
      expect([size, bytesOf(view).equals(Buffer.alloc(size))]).toEqual([size, true]);
      heap.free(view.fill(0xff));
      heap.free(neighbour);
      heap.trim();
    }
    expect(heap.stats().regions[0].inUse).toBe(0);
  });

  test('clears a cell to the end after a shorter tenant', () => {
    const heap = makeHeap();
    for (const size of cellSizes(heap)) {
      const neighbour = heap.allocUnsafe(size);
      heap.free(heap.allocUnsafe(size).fill(0xff));
      heap.trim();
      heap.free(heap.alloc(size - 3));
      heap.trim();
      const view = heap.alloc(size);
      expect([size, bytesOf(view).equals(Buffer.alloc(size))]).toEqual([size, true]);
      heap.free(view);
      heap.free(neighbour);
      heap.trim();
    }
  });

  test('gives pages back zeroed that were slabs', () => {
    const heap = makeHeap();
    const cells = Array.from({ length: 2500 }, () => heap.allocUnsafe(200).fill(0xff));
    for (const cell of cells) heap.free(cell);
    heap.trim();
    expect(heap.stats().regions[0].inUse).toBe(0);
    const { usable } = heap.stats().regions[0];
    expect(bytesOf(heap.alloc(usable)).equals(Buffer.alloc(usable))).toBe(true);
  });

  test('gives cells back zeroed that were whole pages', () => {
    const heap = makeHeap();
    const { usable } = heap.stats().regions[0];
    heap.free(heap.allocUnsafe(usable).fill(0xff));
    for (const size of [16, 300, 20_000]) {
      for (let i = 0; i < 20; i++) {
        expect(bytesOf(heap.alloc(size)).equals(Buffer.alloc(size))).toBe(true);
      }
    }
  });

  test('leaves the bytes after a recycled buffer alone', () => {
    const heap = makeHeap();
    for (const size of [1, 9, 15, 16, 17, 63, 64, 65, 100, 1000]) {
      const all = Array.from({ length: 20 }, () => heap.allocUnsafe(size).fill(0xee));
      const middle = all.splice(10, 1)[0];
      heap.free(middle);
      expect(heap.alloc(size)).toBe(middle);
      for (const view of all) expect(bytesOf(view).equals(Buffer.alloc(size, 0xee))).toBe(true);
    }
  });

  test.each(METHODS)('%s and the rest make a HeapBuffer of that length', (method) => {
    const heap = makeHeap();
    for (const size of boundarySizes(heap)) {
      const view = heap[method](size);
      expect(view).toBeInstanceOf(HeapBuffer);
      expect(view.length).toBe(size);
      expect(view.byteLength).toBe(size);
      view.free();
    }
  });
});

describe.each(METHODS)('the size of %s', (method) => {
  test.each([
    ['-0', -0, 0],
    ['0', 0, 0],
    ['0.5', 0.5, 0],
    ['the least number', Number.MIN_VALUE, 0],
    ['1.5', 1.5, 1],
    ['10.999', 10.999, 10],
    ['64.5', 64.5, 64],
    ['a hair less than 16', 16 - 2 ** -49, 15],
    ['32767.5', 32767.5, 32767],
    ['32768.5', 32768.5, 32768],
    ['65536.5', 65536.5, 65536],
  ])('is cut to whole bytes: %s', (_, size, length) => {
    const heap = makeHeap();
    for (let round = 0; round < 2; round++) {
      const view = heap[method](size);
      expect(view.length).toBe(length);
      expect(view.length).toBe(Buffer[method](size).length);
      heap.free(view);
    }
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.check()).toEqual([]);
  });

  test.each([
    ['-1', -1, '-1'],
    ['-0.5', -0.5, '-0.5'],
    ['-2^31', -(2 ** 31), '-2147483648'],
    ['NaN', NaN, 'NaN'],
    ['Infinity', Infinity, 'Infinity'],
    ['-Infinity', -Infinity, '-Infinity'],
    ['2^32 + 1', 2 ** 32 + 1, '4_294_967_297'],
    ['2^32 + 16', 2 ** 32 + 16, '4_294_967_312'],
    ['2^53', 2 ** 53, '9_007_199_254_740_992'],
  ])('is out of range: %s', (_, size, received) => {
    const heap = makeHeap();
    heap.free(heap.alloc(16));
    expect(facts(refusal(heap, () => heap[method](size)))).toEqual({
      class: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
      message: `The value of "size" is out of range. It must be >= 0 && <= 4294967296. Received ${received}`,
    });
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['a string', '8'],
    ['an empty string', ''],
    ['a bigint', 8n],
    ['a symbol', Symbol('8')],
    ['an object', {}],
    ['an array', [8]],
    ['a boxed number', Object(8)],
    ['a function', () => 8],
    ['an object without prototype', Object.create(null)],
    [
      'an object whose valueOf throws',
      {
        valueOf() {
          throw new Error('converted');
        },
      },
    ],
  ])('is refused as Buffer refuses it: %s', (_, size) => {
    const heap = makeHeap();
    heap.free(heap.alloc(8));
    expect(facts(refusal(heap, () => heap[method](size)))).toEqual(
      facts(caught(() => Buffer[method](size))),
    );
  });

  test('is not converted: nothing of an object is called', () => {
    const heap = makeHeap();
    const calls = [];
    const size = {
      valueOf: () => calls.push('valueOf'),
      toString: () => calls.push('toString'),
      [Symbol.toPrimitive]: () => calls.push('toPrimitive'),
    };
    caught(() => heap[method](size));
    expect(calls).toEqual([]);
  });

  test('may be 0: empty buffers take no memory, however many there are', () => {
    const heap = makeHeap();
    const before = heap.stats();
    const { usable } = before.regions[0];
    for (const size of [0, -0, 0.5]) {
      const views = Array.from({ length: usable / 16 + 1 }, () => heap[method](size));
      expect(views.every((view) => view.length === 0)).toBe(true);
      expect(heap.stats().live.bytes).toBe(0);
      for (const view of views) heap.free(view);
      expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    }
    expect(heap.check()).toEqual([]);
  });

  test('may be 0: an empty buffer is still freed only once', () => {
    const heap = makeHeap();
    const view = heap[method](0);
    view.free();
    expect(caught(() => view.free()).code).toBe('ERR_BUFFER_FREED');
  });
});

describe('allocUnsafe', () => {
  test('hands out nothing but bytes of this heap: fresh ones are zero', () => {
    const heap = makeHeap();
    for (const size of [1, 100, 32_767, 32_768, PAGE * 2]) {
      expect(bytesOf(heap.allocUnsafe(size)).equals(Buffer.alloc(size))).toBe(true);
      expect(bytesOf(heap.allocUnsafeSlow(size)).equals(Buffer.alloc(size))).toBe(true);
    }
  });
});
