import { describe, expect, test } from '@jest/globals';
import { Arena, HeapBuffer } from 'slabring';
import { resultOf } from '../support/child.js';
import { bytesOf, caught, facts, MIB, makeHeap, PAGE } from '../support/heap.js';

const KINDS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];
const FIELDS = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
};

function make(size = 1000, options = {}) {
  const heap = makeHeap(options);
  return { heap, arena: heap.arena({ size }) };
}

/** What can be told of an arena from outside. */
const state = (arena) => [arena.used, arena.highWater, arena.size];

/** The facts of an error of a call that changes nothing. */
function refused(arena, action) {
  const before = state(arena);
  const bytes = arena.u8.slice();
  const error = facts(caught(action));
  expect(state(arena)).toEqual(before);
  expect(bytesOf(arena.u8).equals(bytes)).toBe(true);
  return error;
}

const range = (name, must, received) => ({
  class: 'RangeError',
  code: 'ERR_OUT_OF_RANGE',
  message: `The value of "${name}" is out of range. It must be ${must}. Received ${received}`,
});
const type = (name, must, received) => ({
  class: 'TypeError',
  code: 'ERR_INVALID_ARG_TYPE',
  message: `The "${name}" ${name.includes('.') ? 'property' : 'argument'} must be ${must}. Received ${received}`,
});
const value = (name, reason, received) => ({
  class: 'TypeError',
  code: 'ERR_INVALID_ARG_VALUE',
  message: `The argument '${name}' ${reason}. Received ${received}`,
});
const full = (bytes, used, size) => ({
  class: 'RangeError',
  code: 'ERR_HEAP_EXHAUSTED',
  message: `Cannot allocate ${bytes} bytes in the arena: ${used} bytes used of ${size}`,
});
const disposed = (what) => ({
  class: 'Error',
  code: 'ERR_HEAP_DISPOSED',
  message: `The ${what} has been disposed of`,
});

describe('heap.arena', () => {
  test('gives an empty arena of exactly that size', () => {
    const { arena } = make(1000);
    expect(arena).toBeInstanceOf(Arena);
    expect(state(arena)).toEqual([0, 0, 1000]);
  });

  test('gives 1 MiB when nothing is said', () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    expect(heap.arena().size).toBe(MIB);
    expect(heap.arena({}).size).toBe(MIB);
    expect(heap.arena({ size: undefined }).size).toBe(MIB);
  });

  test('is bound', () => {
    const { arena } = makeHeap();
    expect(arena({ size: 5 }).size).toBe(5);
  });

  test('takes one block of the heap, and touches little of it', () => {
    const heap = makeHeap();
    heap.arena({ size: 3 * PAGE });
    expect(heap.stats().live).toEqual({ bytes: 4 * PAGE, buffers: 1 });
    expect(heap.check()).toEqual([]);
  });

  test('has what is kept for reuse given up first', () => {
    const heap = makeHeap();
    const { usable } = heap.stats().regions[0];
    const views = Array.from({ length: usable / PAGE - 1 }, () => heap.allocUnsafeSlow(PAGE));
    heap.free(heap.alloc(10));
    expect(heap.stats().regions[0].inUse).toBe(usable);
    expect(heap.arena({ size: 10 }).alloc(10)).toBeGreaterThan(0);
    expect(views.length).toBeGreaterThan(0);
  });

  test.each([
    [0, range('options.size', '>= 1 && <= 536870912', '0')],
    [-1, range('options.size', '>= 1 && <= 536870912', '-1')],
    [2 ** 29 + 1, range('options.size', '>= 1 && <= 536870912', '536870913')],
    [2 ** 32 + 8, range('options.size', '>= 1 && <= 536870912', '4_294_967_304')],
    [1.5, range('options.size', 'an integer', '1.5')],
    [NaN, range('options.size', 'an integer', 'NaN')],
    [Infinity, range('options.size', 'an integer', 'Infinity')],
    ['8', type('options.size', 'of type number', "type string ('8')")],
    [null, type('options.size', 'of type number', 'null')],
    [8n, type('options.size', 'of type number', 'type bigint (8n)')],
  ])('refuses a size of %p', (size, error) => {
    const heap = makeHeap();
    expect(facts(caught(() => heap.arena({ size })))).toEqual(error);
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  });

  test('refuses what the heap has no room for', () => {
    const heap = makeHeap();
    for (const size of [MIB, 2 ** 29]) {
      expect(facts(caught(() => heap.arena({ size })))).toEqual({
        class: 'RangeError',
        code: 'ERR_HEAP_EXHAUSTED',
        // What it takes besides is counted in.
        message: expect.stringMatching(
          new RegExp(
            `^Cannot allocate ${`${size}`.slice(0, 2)}\\d+ bytes: 0 bytes live of ${MIB} reserved$`,
          ),
        ),
      });
    }
    expect(heap.check()).toEqual([]);
  });

  test('an arena that a whole region just does not hold leaves none behind', () => {
    const { usable } = makeHeap().stats().regions[0];
    for (const size of [usable - 5000, usable - 4096, usable - 100, usable]) {
      const heap = makeHeap({ maxBytes: 4 * MIB });
      const arena = heap.arena({ size });
      expect(arena.size).toBe(size);
      arena.dispose();
      expect(heap.stats().regions.length).toBe(1);
    }
  });

  test('is the only way to make one', () => {
    expect(() => new Arena()).toThrow('Illegal constructor: use heap.arena()');
    expect(() => new Arena(1, 2, 3, Symbol('slabring'))).toThrow(TypeError);
  });
});

describe('alloc', () => {
  test('gives numbers, one after another, never 0', () => {
    const { arena } = make();
    const first = arena.alloc(24);
    expect(first).toBeGreaterThan(0);
    expect(arena.alloc(8)).toBe(first + 24);
    expect(arena.alloc(1)).toBe(first + 32);
    expect(arena.alloc(1, 1)).toBe(first + 33);
    expect(arena.alloc(1)).toBe(first + 40);
    expect(arena.used).toBe(41);
  });

  test('aligns pointers and addresses', () => {
    const { arena } = make(3 * PAGE);
    for (let alignment = 1; alignment <= 65536; alignment *= 2) {
      arena.alloc(1, 1);
      const pointer = arena.alloc(1, alignment);
      expect([pointer % alignment, arena.address(pointer) % alignment]).toEqual([0, 0]);
    }
  });

  test('serves every byte, and not one more', () => {
    for (const size of [1, 7, 8, 9, 1000, 1001, PAGE, PAGE + 1]) {
      const { arena } = make(size);
      expect(refused(arena, () => arena.alloc(size + 1))).toEqual(full(size + 1, 0, size));
      const pointer = arena.alloc(size);
      arena.u8.fill(0xff, pointer, pointer + size);
      expect(refused(arena, () => arena.alloc(1, 1))).toEqual(full(1, size, size));
      expect(arena.alloc(0, 1)).toBe(pointer + size);
      expect(state(arena)).toEqual([size, size, size]);
    }
  });

  test('is refused where alignment leaves no room', () => {
    const { arena } = make(100);
    arena.alloc(99);
    expect(refused(arena, () => arena.alloc(1))).toEqual(full(1, 99, 100));
    expect(refused(arena, () => arena.alloc(0, 64))).toEqual(full(0, 99, 100));
    expect(arena.alloc(1, 1)).toBeGreaterThan(99);
  });

  test.each([
    ...[1001, 2 ** 29, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 8, 2 ** 32].map((n) => [
      n,
      full(n, 0, 1000),
    ]),
    [2 ** 32 + 8, range('bytes', '>= 0 && <= 4294967296', '4_294_967_304')],
    [2 ** 53, range('bytes', '>= 0 && <= 4294967296', '9_007_199_254_740_992')],
    [-1, range('bytes', '>= 0 && <= 4294967296', '-1')],
    [-8, range('bytes', '>= 0 && <= 4294967296', '-8')],
    [0.5, range('bytes', 'an integer', '0.5')],
    [8.5, range('bytes', 'an integer', '8.5')],
    [NaN, range('bytes', 'an integer', 'NaN')],
    [Infinity, range('bytes', 'an integer', 'Infinity')],
    ['8', type('bytes', 'of type number', "type string ('8')")],
    [undefined, type('bytes', 'of type number', 'undefined')],
    [null, type('bytes', 'of type number', 'null')],
    [8n, type('bytes', 'of type number', 'type bigint (8n)')],
    [[8], type('bytes', 'of type number', 'an instance of Array')],
  ])('refuses %p bytes', (bytes, error) => {
    const { arena } = make();
    expect(refused(arena, () => arena.alloc(bytes))).toEqual(error);
    expect(refused(arena, () => arena.alloc(bytes, 1))).toEqual(error);
    expect(refused(arena, () => arena.allocZeroed(bytes))).toEqual(error);
  });

  test.each([
    [0, range('alignment', '>= 1 && <= 65536', '0')],
    [-8, range('alignment', '>= 1 && <= 65536', '-8')],
    [131072, range('alignment', '>= 1 && <= 65536', '131072')],
    [2 ** 32 + 8, range('alignment', '>= 1 && <= 65536', '4_294_967_304')],
    [1.5, range('alignment', 'an integer', '1.5')],
    [NaN, range('alignment', 'an integer', 'NaN')],
    [3, value('alignment', 'must be a power of two', '3')],
    [24, value('alignment', 'must be a power of two', '24')],
    [65535, value('alignment', 'must be a power of two', '65535')],
    ['8', type('alignment', 'of type number', "type string ('8')")],
    [null, type('alignment', 'of type number', 'null')],
  ])('refuses an alignment of %p', (alignment, error) => {
    const { arena } = make();
    expect(refused(arena, () => arena.alloc(8, alignment))).toEqual(error);
    expect(refused(arena, () => arena.allocZeroed(8, alignment))).toEqual(error);
  });
});

describe('allocZeroed', () => {
  test('clears those bytes and no others', () => {
    for (const alignment of [1, 2, 4, 8, 16]) {
      for (const before of [0, 1, 8, 13]) {
        for (const bytes of [0, 1, 7, 8, 9, 63, 64, 65, 200]) {
          const { arena } = make(400);
          arena.u8.fill(0xff);
          arena.alloc(before, 1);
          const pointer = arena.allocZeroed(bytes, alignment);
          expect(arena.u8.subarray(0, pointer).every((byte) => byte === 0xff)).toBe(true);
          expect(arena.u8.subarray(pointer, pointer + bytes).every((b) => b === 0)).toBe(true);
          // Up to the next word it is nobody's.
          const next = Math.ceil((pointer + bytes) / 8) * 8;
          expect(arena.u8.subarray(next).every((byte) => byte === 0xff)).toBe(true);
        }
      }
    }
  });

  test('what alloc gives is as it was', () => {
    const { arena } = make();
    const first = arena.alloc(8);
    arena.f64[first >> 3] = 1.5;
    arena.reset();
    expect(arena.f64[arena.alloc(8) >> 3]).toBe(1.5);
  });
});

describe('the arrays of an arena', () => {
  test.each(Object.keys(FIELDS))('%s shows what is at a pointer', (name) => {
    const { heap, arena } = make();
    const Type = FIELDS[name];
    arena.alloc(3, 1);
    const pointer = arena.alloc(8);
    const shift = Math.log2(Type.BYTES_PER_ELEMENT);
    const sample = name.endsWith('64') && name[0] !== 'f' ? 77n : 77;
    arena[name][pointer >> shift] = sample;
    expect(arena.view(Type, pointer, 1)[0]).toBe(sample);
    const all = new Type(arena[name].buffer, arena.address(pointer), 1);
    expect(all[0]).toBe(sample);
    expect(heap.check()).toEqual([]);
  });

  test('show the arena and nothing else', () => {
    for (const size of [1, 8, 1000, 1001]) {
      const { heap, arena } = make(size);
      const first = arena.alloc(0);
      const start = arena.address(first) - first;
      for (const name of Object.keys(FIELDS)) {
        const { byteOffset, byteLength } = arena[name];
        expect(byteOffset).toBe(start);
        expect(byteLength - (first + size)).toBeGreaterThanOrEqual(0);
        expect(byteLength - (first + size)).toBeLessThan(8);
        arena[name].fill(arena[name][0]);
      }
      arena.u8.fill(0xff);
      expect(heap.check()).toEqual([]);
      expect(state(arena)).toEqual([0, 0, size]);
    }
  });

  test('other things in their place do not matter', () => {
    const { arena } = make();
    for (const name of Object.keys(FIELDS)) arena[name] = undefined;
    const pointer = arena.allocZeroed(16);
    const target = new Uint8Array(16).fill(1);
    arena.copyContents(pointer, 16, target);
    expect([...target]).toEqual(new Array(16).fill(0));
    arena.copyContents(pointer, 8, target.fill(2));
    expect([...target.subarray(0, 9)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 2]);
    expect(arena.materialize(pointer, 3).length).toBe(3);
  });
});

describe('view', () => {
  test.each([...KINDS, DataView])('%p', (Type) => {
    const { arena } = make();
    const unit = Type.BYTES_PER_ELEMENT ?? 1;
    arena.alloc(1, 1);
    const pointer = arena.alloc(8 * unit, 8);
    const view = arena.view(Type, pointer, 8);
    expect(view.constructor).toBe(Type);
    expect([view.byteOffset, view.byteLength]).toEqual([arena.address(pointer), 8 * unit]);
    arena.u8[pointer] = 0x11;
    expect(new Uint8Array(view.buffer, view.byteOffset, 1)[0]).toBe(0x11);
    expect(arena.view(Type, pointer + 4 * unit, 4).byteLength).toBe(4 * unit);
    expect(arena.view(Type, pointer, 0).byteLength).toBe(0);
    expect(arena.view(Type, pointer + 8 * unit, 0).byteLength).toBe(0);
    const error = range('length', '>= 0 && <= 8', '9');
    expect(refused(arena, () => arena.view(Type, pointer, 9))).toEqual(error);
    if (unit > 1) {
      expect(refused(arena, () => arena.view(Type, pointer + 1, 1))).toEqual(
        value('pointer', `must be a multiple of ${unit}`, `${pointer + 1}`),
      );
    }
  });

  test('of a class of the caller’s', () => {
    class Vector extends Float64Array {}
    const { arena } = make();
    expect(arena.view(Vector, arena.alloc(24), 3)).toBeInstanceOf(Vector);
  });

  test('refuses what is not allocated, or no longer', () => {
    const { arena } = make();
    const first = arena.alloc(0);
    expect(refused(arena, () => arena.view(Uint8Array, first, 1))).toEqual(
      range('length', '>= 0 && <= 0', '1'),
    );
    const pointer = arena.alloc(100);
    const must = `>= ${first} && <= ${first + 100}`;
    for (const bad of [0, first - 1, first + 101, -1, -8, 2 ** 32 + first]) {
      const error = refused(arena, () => arena.view(Uint8Array, bad, 1));
      expect(error.message).toContain(`The value of "pointer" is out of range. It must be ${must}`);
      expect(error.code).toBe('ERR_OUT_OF_RANGE');
    }
    for (const bad of [-1, 101, 2 ** 32, 2 ** 53]) {
      const error = refused(arena, () => arena.view(Uint8Array, pointer, bad));
      expect(error.message).toContain('The value of "length" is out of range. It must be >= 0');
    }
    arena.reset();
    expect(refused(arena, () => arena.view(Uint8Array, pointer, 1)).code).toBe('ERR_OUT_OF_RANGE');
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['Uint8Array', "type string ('Uint8Array')"],
    [Array, 'function Array'],
    [ArrayBuffer, 'function ArrayBuffer'],
    [() => 8, 'function '],
    [{ BYTES_PER_ELEMENT: 8 }, 'an instance of Object'],
    [Object.assign(() => {}, { BYTES_PER_ELEMENT: 3 }), 'function '],
    [Object.assign(() => {}, { BYTES_PER_ELEMENT: '8' }), 'function '],
  ])('refuses %p for a type', (Type, received) => {
    const { arena } = make();
    const pointer = arena.alloc(8);
    expect(refused(arena, () => arena.view(Type, pointer, 1))).toEqual(
      type('Type', 'the constructor of a typed array or data view', received),
    );
  });

  test('shows what comes next, after a reset', () => {
    const { arena } = make();
    const view = arena.view(Float64Array, arena.alloc(8), 1);
    arena.reset();
    arena.f64[arena.alloc(8) >> 3] = 4.5;
    expect(view[0]).toBe(4.5);
  });
});

describe('copyContents', () => {
  /** An arena with 10,000 bytes allocated at an odd pointer. */
  function filled() {
    const { heap, arena } = make(20_000);
    arena.alloc(1, 1);
    const pointer = arena.alloc(10_000, 1);
    for (let i = 0; i < 10_000; i++) arena.u8[pointer + i] = i * 7 + (i >> 8);
    return { heap, arena, pointer, bytes: arena.u8.slice(pointer, pointer + 10_000) };
  }
  const LENGTHS = [
    ...[0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 100, 127, 128, 511, 512, 513, 1000],
    ...[2047, 2048, 4095, 4096, 4097, 8191, 8192, 8193, 9995],
  ];
  const TARGETS = {
    'a Uint8Array': (n) => new Uint8Array(n),
    'an Int8Array': (n) => new Int8Array(n),
    'a Uint8ClampedArray': (n) => new Uint8ClampedArray(n),
    'a Buffer': (n) => Buffer.alloc(n),
    'a part of an array': (n) => new Uint8Array(n + 11).subarray(11),
    'shared memory': (n) => new Uint8Array(new SharedArrayBuffer(n)),
    'a buffer of the heap': (n, heap) => heap.alloc(n),
    'a buffer of another heap': (n) => makeHeap().alloc(n),
  };

  test.each(Object.keys(TARGETS))('into %s', (name) => {
    const { heap, arena, pointer, bytes } = filled();
    for (const length of LENGTHS) {
      for (const [skip, at] of [
        [0, 0],
        [0, 5],
        [5, 0],
        [3, 1],
      ]) {
        const target = TARGETS[name](length + at + 3, heap).fill(0x55);
        expect(arena.copyContents(pointer + skip, length, target, at)).toBeUndefined();
        const expected = Buffer.alloc(length + at + 3, 0x55);
        expected.set(bytes.subarray(skip, skip + length), at);
        expect(bytesOf(target).equals(expected)).toBe(true);
        if (target instanceof HeapBuffer && name.includes('the heap')) target.free();
      }
    }
    expect(bytesOf(arena.u8.subarray(pointer, pointer + 10_000)).equals(bytes)).toBe(true);
    expect(heap.check()).toEqual([]);
  });

  test('begins at 0 when nothing is said', () => {
    const { arena, pointer, bytes } = filled();
    const target = new Uint8Array(4);
    arena.copyContents(pointer, 4, target);
    expect([...target]).toEqual([...bytes.subarray(0, 4)]);
  });

  test.each(KINDS.filter(({ BYTES_PER_ELEMENT }) => BYTES_PER_ELEMENT > 1))('into %p', (Type) => {
    const { arena } = make();
    const unit = Type.BYTES_PER_ELEMENT;
    const pointer = arena.alloc(64, 8);
    for (let i = 0; i < 64; i++) arena.u8[pointer + i] = i + 1;
    const target = new Type(10);
    arena.copyContents(pointer + unit, 4 * unit, target, 2 * unit);
    const expected = new Uint8Array(10 * unit);
    expected.set(arena.u8.subarray(pointer + unit, pointer + 5 * unit), 2 * unit);
    expect(bytesOf(new Uint8Array(target.buffer)).equals(expected)).toBe(true);
    const multiple = (name, received) => value(name, `must be a multiple of ${unit}`, received);
    expect(refused(arena, () => arena.copyContents(pointer + 1, unit, target))).toEqual(
      multiple('pointer', `${pointer + 1}`),
    );
    expect(refused(arena, () => arena.copyContents(pointer, unit + 1, target))).toEqual(
      multiple('length', `${unit + 1}`),
    );
    expect(refused(arena, () => arena.copyContents(pointer, unit, target, 1))).toEqual(
      multiple('at', '1'),
    );
    expect(bytesOf(new Uint8Array(target.buffer)).equals(expected)).toBe(true);
  });

  test.each([
    [0, 3],
    [3, 0],
    [0, 700],
    [700, 0],
  ])('within the arena, from %p to %p', (from, to) => {
    for (const length of [1, 10, 100, 1000, 5000]) {
      const { arena, pointer, bytes } = filled();
      const target = arena.view(Uint8Array, pointer, 10_000);
      arena.copyContents(pointer + from, length, target, to);
      const expected = Buffer.from(bytes);
      expected.copyWithin(to, from, from + length);
      expect(bytesOf(target).equals(expected)).toBe(true);
    }
  });

  test('refuses what does not fit', () => {
    const { arena, pointer } = filled();
    const target = new Uint8Array(10);
    const copy = (...args) => refused(arena, () => arena.copyContents(...args));
    expect(copy(pointer, 11, target)).toEqual(range('length', '>= 0 && <= 10', '11'));
    expect(copy(pointer, 6, target, 5)).toEqual(range('length', '>= 0 && <= 5', '6'));
    expect(copy(pointer, 0, target, 11)).toEqual(range('at', '>= 0 && <= 10', '11'));
    expect(copy(pointer, 1, target, -1)).toEqual(range('at', '>= 0 && <= 10', '-1'));
    expect(copy(pointer, 1, target, 0.5)).toEqual(range('at', 'an integer', '0.5'));
    expect(copy(pointer, 1, target, null)).toEqual(type('at', 'of type number', 'null'));
    expect(copy(pointer, 10_001, target)).toEqual(range('length', '>= 0 && <= 10000', '10001'));
    expect(copy(pointer + 10_001, 0, target).code).toBe('ERR_OUT_OF_RANGE');
    expect([...target]).toEqual(new Array(10).fill(0));
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [[1, 2], 'an instance of Array'],
    [new DataView(new ArrayBuffer(8)), 'an instance of DataView'],
    [new ArrayBuffer(8), 'an instance of ArrayBuffer'],
    [{ length: 8, byteLength: 8 }, 'an instance of Object'],
  ])('refuses %p for a target', (target, received) => {
    const { arena } = make();
    const pointer = arena.alloc(8);
    expect(refused(arena, () => arena.copyContents(pointer, 1, target))).toEqual(
      type('target', 'an instance of TypedArray', received),
    );
  });

  test('is deceived by no property of the target', () => {
    const { arena, pointer, bytes } = filled();
    for (const length of [5, 500]) {
      const target = new Uint8Array(length);
      for (const key of ['length', 'byteLength', 'byteOffset', 'buffer', 'set', 'constructor']) {
        Object.defineProperty(target, key, { value: 1e6 });
      }
      arena.copyContents(pointer, length, target);
      expect(bytesOf(target).equals(bytes.subarray(0, length))).toBe(true);
    }
  });

  // V8 keeps a small array's bytes with the object until somebody asks for its buffer.
  test.each([5, 24, 60])('makes no buffer for an array of %p bytes', (length) => {
    const { arena, pointer } = filled();
    const targets = Array.from({ length: 20_000 }, () => new Uint8Array(length));
    const before = process.memoryUsage().arrayBuffers;
    for (const target of targets) arena.copyContents(pointer, length, target);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(length * 1000);
    expect(targets.every((target) => target[4] === arena.u8[pointer + 4])).toBe(true);
  });
});

describe('materialize', () => {
  test('gives a buffer that survives the reset', () => {
    const { heap, arena } = make(20_000);
    for (const length of [0, 1, 24, 1000, 9000]) {
      const pointer = arena.alloc(length, 1);
      arena.u8.fill(length + 3, pointer, pointer + length);
      const buffer = arena.materialize(pointer, length);
      expect(buffer).toBeInstanceOf(HeapBuffer);
      arena.reset();
      arena.u8.fill(0);
      expect(bytesOf(buffer).equals(Buffer.alloc(length, length + 3))).toBe(true);
      arena.alloc(1, 1);
      buffer.free();
    }
    arena.dispose();
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  });

  test('refuses what is not allocated, and what the heap has no room for', () => {
    const { heap, arena } = make(500_000);
    const pointer = arena.alloc(500_000);
    const { live } = heap.stats();
    expect(refused(arena, () => arena.materialize(pointer, 500_001)).code).toBe('ERR_OUT_OF_RANGE');
    expect(refused(arena, () => arena.materialize(pointer, -1)).code).toBe('ERR_OUT_OF_RANGE');
    expect(refused(arena, () => arena.materialize(pointer, 1.5)).code).toBe('ERR_OUT_OF_RANGE');
    expect(refused(arena, () => arena.materialize(0, 1)).code).toBe('ERR_OUT_OF_RANGE');
    expect(refused(arena, () => arena.materialize(pointer, 500_000)).code).toBe(
      'ERR_HEAP_EXHAUSTED',
    );
    expect(heap.stats().live).toEqual(live);
  });
});

describe('mark and reset', () => {
  test('take back what came since', () => {
    const { arena } = make();
    arena.alloc(10);
    const outer = arena.mark();
    const second = arena.alloc(10);
    const inner = arena.mark();
    arena.alloc(10);
    expect(arena.reset(inner)).toBeUndefined();
    expect(arena.used).toBe(26);
    arena.reset(inner);
    arena.reset(outer);
    expect(arena.used).toBe(10);
    expect(arena.alloc(10)).toBe(second);
    arena.reset(undefined);
    expect(arena.used).toBe(0);
    expect(arena.highWater).toBe(42);
  });

  test('the high-water mark is the most that ever was', () => {
    const { arena } = make();
    arena.alloc(500);
    expect(arena.highWater).toBe(500);
    arena.reset();
    arena.alloc(100);
    arena.reset();
    expect(arena.highWater).toBe(500);
    arena.alloc(501);
    expect(arena.highWater).toBe(501);
  });

  test('refuse what is no mark of this arena, or one that is past its top', () => {
    const { heap, arena } = make();
    const other = heap.arena({ size: 1000 });
    other.alloc(8);
    const start = arena.mark();
    const pointer = arena.alloc(100);
    const end = arena.mark();
    const must = 'a mark of this arena, not past its top';
    const bad = [0, -1, 1.5, NaN, Infinity, 2 ** 53, pointer, pointer + 8, other.mark()];
    for (const mark of [...bad, start - 1, start + 0.5, end + 1, end + 2 ** 32]) {
      const error = refused(arena, () => arena.reset(mark));
      expect(error.code).toBe('ERR_OUT_OF_RANGE');
      expect(error.message).toContain(`The value of "mark" is out of range. It must be ${must}`);
    }
    for (const [mark, received] of [
      ['1', "type string ('1')"],
      [null, 'null'],
      [8n, 'type bigint (8n)'],
    ]) {
      expect(refused(arena, () => arena.reset(mark))).toEqual(
        type('mark', 'of type number', received),
      );
    }
    arena.reset(start);
    expect(refused(arena, () => arena.reset(end)).code).toBe('ERR_OUT_OF_RANGE');
  });
});

describe('dispose', () => {
  const CALLS = {
    alloc: (arena) => arena.alloc(8),
    'alloc of nothing': (arena) => arena.alloc(0, 1),
    allocZeroed: (arena) => arena.allocZeroed(8),
    view: (arena, pointer) => arena.view(Uint8Array, pointer, 1),
    'view of nothing': (arena, pointer) => arena.view(Uint8Array, pointer, 0),
    copyContents: (arena, pointer) => arena.copyContents(pointer, 1, new Uint8Array(8)),
    materialize: (arena, pointer) => arena.materialize(pointer, 1),
    mark: (arena) => arena.mark(),
    reset: (arena) => arena.reset(),
    'reset to a mark': (arena, _, mark) => arena.reset(mark),
    address: (arena, pointer) => arena.address(pointer),
    handle: (arena) => arena.handle,
    exports: (arena) => arena.exports,
  };
  const WAYS = {
    'of the arena': ({ arena }) => arena.dispose(),
    'of the heap': ({ heap }) => heap.dispose(),
  };
  if (Symbol.dispose) WAYS['by using'] = ({ arena }) => arena[Symbol.dispose]();

  test.each(Object.keys(WAYS))('%s: nothing works any more', (way) => {
    const { heap, arena } = make();
    const pointer = arena.alloc(8);
    const mark = arena.mark();
    WAYS[way]({ heap, arena });
    for (const [name, call] of Object.entries(CALLS)) {
      expect([name, facts(caught(() => call(arena, pointer, mark)))]).toEqual([
        name,
        disposed('arena'),
      ]);
    }
    expect(state(arena)).toEqual([0, 0, 0]);
    for (const name of Object.keys(FIELDS)) {
      expect(arena[name]).toBeInstanceOf(FIELDS[name]);
      expect([arena[name].length, arena[name].buffer.byteLength]).toEqual([0, 0]);
    }
    expect(arena.dispose()).toBeUndefined();
    if (Symbol.dispose) arena[Symbol.dispose]();
  });

  test('gives the memory back', () => {
    const { heap, arena } = make();
    const other = heap.arena({ size: 10 });
    arena.dispose();
    expect(heap.stats().live).toEqual({ bytes: PAGE, buffers: 1 });
    expect(other.alloc(10)).toBeGreaterThan(0);
    other.dispose();
    heap.trim();
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.stats().regions[0].inUse).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('a disposed heap makes none', () => {
    const heap = makeHeap();
    heap.dispose();
    expect(facts(caught(() => heap.arena()))).toEqual(disposed('heap'));
  });

  test('an arena keeps nothing of the memory of a heap that is gone', () => {
    const collected = resultOf(
      `
        const heap = await createHeap({ regionSize: 2 ** 20 });
        const arena = heap.arena({ size: 1000 });
        const memory = new WeakRef(arena.u8.buffer);
        heap.dispose();
        for (let i = 0; i < 10 && memory.deref(); i++) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          globalThis.gc();
        }
        print({ gone: memory.deref() === undefined, size: arena.size });
      `,
      { flags: ['--expose-gc'] },
    );
    expect(collected).toEqual({ gone: true, size: 0 });
  });
});

test('pointers are small where memory is past 2 GiB', () => {
  const heap = makeHeap({ regionSize: 4096 * MIB });
  heap.allocUnsafeSlow(2500 * MIB);
  const arena = heap.arena({ size: MIB });
  const pointer = arena.alloc(24);
  expect(pointer).toBeLessThan(100);
  expect(arena.address(pointer)).toBeGreaterThan(2500 * MIB);
  expect(arena.handle).toBeGreaterThan(2500 * MIB);
  arena.f64[pointer >> 3] = 2.5;
  expect(arena.view(Float64Array, pointer, 3)[0]).toBe(2.5);
  const target = new Uint8Array(1000);
  arena.copyContents(arena.allocZeroed(1000), 1000, target.fill(1));
  expect(target.every((byte) => byte === 0)).toBe(true);
  const buffer = arena.materialize(pointer, 24);
  expect(bytesOf(buffer).readDoubleLE(0)).toBe(2.5);
  arena.copyContents(pointer, 8, heap.alloc(8));
  arena.dispose();
  expect(heap.check()).toEqual([]);
});

test('the largest arena works to its last byte', () => {
  const heap = makeHeap({ regionSize: 1024 * MIB });
  const arena = heap.arena({ size: 2 ** 29 });
  const pointer = arena.alloc(2 ** 29 - 8);
  const last = arena.alloc(8);
  expect(last - pointer).toBe(2 ** 29 - 8);
  arena.f64[last >> 3] = 1.25;
  expect(arena.view(DataView, last, 8).getFloat64(0, true)).toBe(1.25);
  expect(caught(() => arena.alloc(1, 65536)).code).toBe('ERR_HEAP_EXHAUSTED');
  expect(heap.check()).toEqual([]);
});
