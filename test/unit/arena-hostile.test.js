import { describe, expect, test } from '@jest/globals';
import { Arena } from 'slabring';
import { bytesOf, caught, facts, MIB, makeHeap } from '../support/heap.js';
import { HOSTILE, INDICES, INSIDE, planted } from '../support/hostile.js';

const LENGTH = 200;

/** Every public function with a hostile value in each place, the rest of the arguments good. */
const CALLS = {
  'heap.arena(options)': (_, value, heap) => heap.arena(value).dispose(),
  'heap.arena({ size })': (_, value, heap) => heap.arena({ size: value }).dispose(),
  'alloc(bytes)': (arena, value) => arena.alloc(value),
  'alloc(bytes, alignment)': (arena, value) => arena.alloc(8, value),
  'alloc(all)': (arena, value) => arena.alloc(value, value),
  'allocZeroed(bytes)': (arena, value) => arena.allocZeroed(value),
  'allocZeroed(bytes, alignment)': (arena, value) => arena.allocZeroed(8, value),
  'view(Type)': (arena, value) => arena.view(value, 16, 8),
  'view(Type, pointer)': (arena, value) => arena.view(Uint8Array, value, 8),
  'view(Type, pointer, length)': (arena, value) => arena.view(Float64Array, 16, value),
  'view(all)': (arena, value) => arena.view(value, value, value),
  'copyContents(pointer)': (arena, value) => arena.copyContents(value, 8, new Uint8Array(8)),
  'copyContents(pointer, length)': (arena, value) =>
    arena.copyContents(16, value, new Uint8Array(8)),
  'copyContents(pointer, length, target)': (arena, value) => arena.copyContents(16, 8, value),
  'copyContents(pointer, length, target, at)': (arena, value) =>
    arena.copyContents(16, 8, new Uint8Array(16), value),
  'copyContents(all)': (arena, value) => arena.copyContents(value, value, value, value),
  'materialize(pointer)': (arena, value) => arena.materialize(value, 8).free(),
  'materialize(pointer, length)': (arena, value) => arena.materialize(16, value).free(),
  'reset(mark)': (arena, value) => arena.reset(value),
  'address(pointer)': (arena, value) => arena.address(value),
};

const CODE = /^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE|HEAP_EXHAUSTED)$/;

describe.each(Object.keys(CALLS))('%s', (name) => {
  test('survives every hostile value: done, or refused with a code and nothing changed', () => {
    const heap = makeHeap();
    const arena = heap.arena({ size: 1000 });
    const pointer = arena.alloc(LENGTH);
    arena.u8.fill(7, pointer, pointer + LENGTH);
    const contents = bytesOf(arena.u8);
    const mark = arena.mark();
    const { live } = heap.stats();
    let refused = 0;
    for (const value of Object.keys(HOSTILE)) {
      const hostile = HOSTILE[value]();
      const own = ArrayBuffer.isView(hostile) && name.includes('copy');
      let error;
      try {
        CALLS[name](arena, hostile, heap);
      } catch (thrown) {
        error = thrown;
      }
      if (error !== undefined) {
        refused++;
        expect([value, arena.mark()]).toEqual([value, mark]);
        const itsOwn = error.message === 'touched' || value === 'a revoked proxy';
        if (!(itsOwn && /options|Type|all/.test(name))) {
          expect([value, facts(error)]).toEqual([
            value,
            { ...facts(error), code: expect.stringMatching(CODE) },
          ]);
          expect(error.message).not.toMatch(INSIDE);
        }
      }
      if (arena.used === 0) arena.alloc(LENGTH);
      arena.reset(mark);
      if (!own && !name.includes('Zeroed')) expect(bytesOf(arena.u8).equals(contents)).toBe(true);
      expect([value, heap.stats().live]).toEqual([value, live]);
      expect([value, heap.check()]).toEqual([value, []]);
    }
    expect(refused).toBeGreaterThan(20);
  });
});

test.each(Object.getOwnPropertyNames(Arena.prototype).filter((name) => name !== 'constructor'))(
  '%s of something else is a TypeError',
  (name) => {
    const { value, get } = Object.getOwnPropertyDescriptor(Arena.prototype, name);
    for (const key of Object.keys(HOSTILE)) {
      const error = facts(caught(() => (value ?? get).call(HOSTILE[key](), 16, 8)));
      expect([key, error.class === 'TypeError' || error.message === 'touched']).toEqual([
        key,
        true,
      ]);
    }
  },
);

/** A bit of everything. */
function exercise(heap, log) {
  const arena = heap.arena({ size: 10_000 });
  const target = new Uint8Array(600);
  for (let round = 0; round < 3; round++) {
    const mark = arena.mark();
    for (let i = 1; i < 40; i++) {
      const pointer = arena.allocZeroed(i);
      if (arena.u8[pointer] !== 0 || arena.u8[pointer + i - 1] !== 0) log.wrong = 'not zero';
      arena.u8[pointer] = i;
      arena.copyContents(pointer, i, target);
      if (target[0] !== i) log.wrong = `a copy of ${i}`;
      if (arena.view(Uint8Array, pointer, i)[0] !== i) log.wrong = `a view of ${i}`;
    }
    const large = arena.alloc(500);
    arena.u8[large + 499] = round;
    arena.copyContents(large, 500, target, 100);
    if (target[599] !== round) log.wrong = 'a large copy';
    const doubles = new Float64Array(2);
    arena.f64[large >> 3] = 1.5;
    arena.copyContents(large, 8, doubles, 8);
    if (doubles[1] !== 1.5) log.wrong = 'a double';
    const buffer = arena.materialize(large, 500);
    if (buffer[499] !== round) log.wrong = 'a buffer';
    buffer.free();
    arena.reset(mark);
  }
  arena.dispose();
}

describe('prototypes that were tampered with', () => {
  test.each([
    ['indices of Array.prototype', Array.prototype, INDICES],
    ['indices of Object.prototype', Object.prototype, INDICES],
    [
      'names of Object.prototype',
      Object.prototype,
      ['buffer', 'byteOffset', 'BYTES_PER_ELEMENT', 'length', 'region', 'Uint8Array', 'u8'],
    ],
  ])('%s do not matter', (_, prototype, keys) => {
    const heap = makeHeap();
    const log = {};
    const touched = planted(prototype, keys, () => exercise(heap, log));
    expect(log.wrong).toBeUndefined();
    expect(touched.filter((name) => name.startsWith('set'))).toEqual([]);
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  });

  test('methods of typed arrays that were replaced are not called', () => {
    const heap = makeHeap({ regionSize: 2 * MIB });
    const shared = Object.getPrototypeOf(Uint8Array.prototype);
    const keys = ['set', 'subarray', 'fill', 'copyWithin', 'slice', 'constructor'];
    const kept = keys.map((key) => [key, Object.getOwnPropertyDescriptor(shared, key)]);
    const calls = [];
    const log = {};
    for (const [key, descriptor] of kept) {
      Object.defineProperty(shared, key, { ...descriptor, value: () => calls.push(key) });
    }
    try {
      exercise(heap, log);
    } finally {
      for (const [key, descriptor] of kept) Object.defineProperty(shared, key, descriptor);
    }
    expect([log.wrong, calls]).toEqual([undefined, []]);
  });
});

describe('views that would be larger than what was asked for', () => {
  class Liar extends Float64Array {
    static BYTES_PER_ELEMENT = 1;
  }
  class Longer extends Uint8Array {
    constructor(buffer, at, length) {
      super(buffer, at, length + 1);
    }
  }
  function Other() {
    return {};
  }
  Other.BYTES_PER_ELEMENT = 1;

  test.each([[Liar], [Longer], [Other]])('%p is refused', (Type) => {
    const arena = makeHeap().arena({ size: 1000 });
    const pointer = arena.alloc(8);
    expect(facts(caught(() => arena.view(Type, pointer, 8)))).toEqual({
      class: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringMatching(
        /^The "Type" argument must be the constructor of a typed array/,
      ),
    });
  });

  test('a class of somebody that is as it says is taken', () => {
    class Mine extends Float64Array {}
    const arena = makeHeap().arena({ size: 1000 });
    expect(arena.view(Mine, arena.alloc(16), 2)).toBeInstanceOf(Mine);
  });
});

test('allocZeroed clears what it has taken itself, wherever a replaced alloc points', () => {
  const heap = makeHeap();
  const arena = heap.arena({ size: 1000 });
  const kept = heap.alloc(3000, 'k');
  arena.alloc = () => kept.byteOffset - arena.address(16) + 16;
  const pointer = arena.allocZeroed(200);
  expect(pointer).toBe(16);
  expect(bytesOf(kept).equals(Buffer.alloc(3000, 'k'))).toBe(true);
});

test('a region that is added while the arena is copied out may reset it: nothing is left', () => {
  const heap = makeHeap({ maxBytes: 3 * MIB });
  const arena = heap.arena({ size: 700_000 });
  const pointer = arena.alloc(600_000);
  const { live } = heap.stats();
  let told = 0;
  heap.onRegion(() => {
    told++;
    arena.reset();
  });
  expect(caught(() => arena.materialize(pointer, 600_000)).code).toBe('ERR_OUT_OF_RANGE');
  expect(told).toBeGreaterThan(0);
  expect(heap.stats().live).toEqual(live);
  expect(heap.stats().regions).toHaveLength(1);
});

describe('code of the caller in the middle of a call', () => {
  const acts = {
    'to reset': (arena) => arena.reset(),
    'to dispose': (arena) => arena.dispose(),
    'to dispose of the heap': (_, heap) => heap.dispose(),
  };

  test.each(Object.keys(acts))('a getter of the type, %s', (name) => {
    const heap = makeHeap();
    const arena = heap.arena({ size: 1000 });
    const pointer = arena.alloc(8);
    class Sly extends Uint8Array {
      static get BYTES_PER_ELEMENT() {
        acts[name](arena, heap);
        return 1;
      }
    }
    expect(() => arena.view(Sly, pointer, 8)).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^ERR_(OUT_OF_RANGE|HEAP_DISPOSED)$/),
      }),
    );
  });

  test('a getter of the options, to dispose of the heap', () => {
    const heap = makeHeap();
    const options = {
      get size() {
        heap.dispose();
        return 10;
      },
    };
    expect(() => heap.arena(options)).toThrow(
      expect.objectContaining({ code: 'ERR_HEAP_DISPOSED' }),
    );
  });
});
