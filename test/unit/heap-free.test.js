import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import {
  boundarySizes,
  bytesOf,
  caught,
  cellSizes,
  facts,
  KIB,
  MIB,
  makeHeap,
  PAGE,
  refusal,
  textOf,
} from '../support/heap.js';

const FREED = {
  class: 'Error',
  code: 'ERR_BUFFER_FREED',
  message: 'The buffer has already been freed',
};
const FOREIGN = {
  class: 'Error',
  code: 'ERR_NOT_IN_HEAP',
  message: 'The view was not allocated by this heap',
};

/** One buffer from each way to make them. */
const makers = (heap) => ({
  alloc: () => heap.alloc(100),
  'alloc with a fill': () => heap.alloc(100, 'x'),
  'alloc, large': () => heap.alloc(100_000),
  'alloc, empty': () => heap.alloc(0),
  allocUnsafe: () => heap.allocUnsafe(100),
  'allocUnsafe, large': () => heap.allocUnsafe(100_000),
  'allocUnsafe, empty': () => heap.allocUnsafe(0),
  'allocUnsafe, aligned': () => heap.allocUnsafe(100, { alignment: 512 }),
  allocUnsafeSlow: () => heap.allocUnsafeSlow(100),
  'from a string': () => heap.from('abc'),
  'from an array': () => heap.from([1, 2, 3]),
  'from an ArrayBuffer': () => heap.from(new ArrayBuffer(10)),
  'from nothing': () => heap.from(''),
});

const MAKERS = Object.keys(makers());

/** The same object in each of the ways to free it. */
const FREES = {
  'heap.free(buf)': (heap, view) => heap.free(view),
  'buf.free()': (_, view) => view.free(),
};

describe.each(Object.keys(FREES))('%s', (way) => {
  const free = FREES[way];

  test.each(MAKERS)('gives everything back that %s took', (maker) => {
    const heap = makeHeap();
    const view = makers(heap)[maker]();
    expect(free(heap, view)).toBeUndefined();
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    heap.trim();
    expect(heap.stats().regions[0].inUse).toBe(0);
    expect(heap.stats().cached).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.check()).toEqual([]);
  });

  test.each(MAKERS)('refuses a second time: %s', (maker) => {
    const heap = makeHeap();
    const view = makers(heap)[maker]();
    free(heap, view);
    for (let i = 0; i < 3; i++) {
      expect(facts(refusal(heap, () => free(heap, view)))).toEqual(FREED);
    }
    heap.trim();
    expect(facts(refusal(heap, () => free(heap, view)))).toEqual(FREED);
  });

  test('lets the next buffer of that length be the same object', () => {
    const heap = makeHeap();
    for (const size of [1, 16, 100, 4096, 32_767]) {
      const view = heap.allocUnsafe(size);
      free(heap, view);
      expect(heap.allocUnsafe(size)).toBe(view);
      free(heap, view);
      expect(heap.alloc(size)).toBe(view);
      free(heap, view);
      expect(heap.alloc(size, 'x')).toBe(view);
      free(heap, view);
      expect(heap.from('x'.repeat(size))).toBe(view);
      free(heap, view);
      expect(heap.from(new Array(size).fill(1))).toBe(view);
      free(heap, view);
      expect(heap.allocUnsafe(size + 0.5)).toBe(view);
      free(heap, view);
    }
    expect(heap.check()).toEqual([]);
  });

  test('never has two holders of one object', () => {
    const heap = makeHeap();
    const first = Array.from({ length: 50 }, () => heap.alloc(24));
    for (const view of first) free(heap, view);
    const second = Array.from({ length: 100 }, () => heap.alloc(24));
    expect(new Set(second).size).toBe(100);
    expect(new Set(second.map((view) => view.byteOffset)).size).toBe(100);
  });

  test('does not hand a buffer to a request of another length', () => {
    const heap = makeHeap();
    const view = heap.alloc(20);
    free(heap, view);
    for (const size of [19, 21, 24]) {
      const other = heap.alloc(size);
      expect(other).not.toBe(view);
      expect(other.length).toBe(size);
    }
  });

  test('frees again what was handed out again', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    for (let i = 0; i < 10; i++) {
      free(heap, view);
      expect(facts(refusal(heap, () => free(heap, view)))).toEqual(FREED);
      expect(heap.alloc(10)).toBe(view);
    }
  });

  test('does not touch the bytes', () => {
    const heap = makeHeap();
    const view = heap.from('a secret');
    free(heap, view);
    expect(bytesOf(view).toString()).toBe('a secret');
  });

  test('is not fooled by properties put onto the buffer', () => {
    const heap = makeHeap();
    const neighbour = heap.from('neighbour');
    for (const size of [9, 100, 40_000]) {
      const view = heap.allocUnsafe(size);
      for (const [name, value] of Object.entries({
        length: 0,
        byteLength: 5,
        byteOffset: neighbour.byteOffset,
        buffer: new ArrayBuffer(8),
        constructor: Uint8Array,
        heap: {},
      })) {
        Object.defineProperty(view, name, { value, configurable: true, writable: true });
      }
      free(heap, view);
      expect(heap.stats().live.buffers).toBe(1);
      expect(heap.check()).toEqual([]);
      heap.trim();
      expect(heap.stats().regions[0].live.blocks).toBe(1);
      expect(facts(refusal(heap, () => free(heap, view)))).toEqual(FREED);
    }
    expect(textOf(neighbour)).toBe('neighbour');
  });
});

describe('a recycled buffer with properties put onto it', () => {
  const plant = (view, properties) => {
    for (const [name, value] of Object.entries(properties)) {
      Object.defineProperty(view, name, { value, configurable: true, writable: true });
    }
  };

  test.each([0, 1, 3, 1e9, -1, NaN, 'x'])('is filled to its end: length %p', (length) => {
    const heap = makeHeap();
    for (const size of [10, 100]) {
      const view = heap.alloc(size);
      plant(view, { length, byteLength: length });
      heap.free(view);
      view.set(new Uint8Array(size).fill(0xa5));
      const zeroed = heap.alloc(size);
      expect(bytesOf(zeroed).equals(Buffer.alloc(size))).toBe(true);
      heap.free(zeroed);
      expect(bytesOf(heap.alloc(size, 'ab')).equals(Buffer.alloc(size, 'ab'))).toBe(true);
    }
  });

  test.each([0, 1, 3, 1e9, -1, NaN, 'x'])('takes a string whole: length %p', (length) => {
    const heap = makeHeap();
    for (const [string, to] of [
      ['0123456789', 'utf8'],
      ['0123456789', 'latin1'],
      ['01234', 'utf16le'],
      ['00112233445566778899', 'hex'],
      ['MDEyMzQ1Njc4OQ==', 'base64'],
    ]) {
      const view = heap.alloc(10);
      plant(view, { length, byteLength: length });
      heap.free(view);
      const expected = Buffer.from(string, to);
      expect([to, bytesOf(heap.from(string, to)).equals(expected)]).toEqual([to, true]);
      heap.trim();
    }
  });

  test.each([0, 1, 3, 1e9, -1, NaN, 'x'])('takes an array whole: length %p', (length) => {
    const heap = makeHeap();
    const view = heap.alloc(5);
    plant(view, { length, byteLength: length, byteOffset: length });
    heap.free(view);
    expect([...bytesOf(heap.from([1, 2, 3, 4, 5]))]).toEqual([1, 2, 3, 4, 5]);
  });

  test('stays where it is', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    const neighbour = heap.from('neighbour!');
    plant(view, { byteOffset: neighbour.byteOffset });
    heap.free(view);
    heap.alloc(10);
    expect(textOf(neighbour)).toBe('neighbour!');
  });
});

describe('free refuses', () => {
  const NOT_VIEWS = {
    undefined: undefined,
    null: null,
    'a number': 5,
    0: 0,
    'a string': 'x',
    'an empty string': '',
    true: true,
    'a bigint': 5n,
    'a symbol': Symbol('s'),
    'a function': () => {},
    'an object': {},
    'an array': [],
    'an ArrayBuffer': new ArrayBuffer(5),
    'an object that inherits from HeapBuffer': Object.create(HeapBuffer.prototype),
    'an object that inherits from Uint8Array': Object.create(Uint8Array.prototype),
    'the prototype of HeapBuffer': HeapBuffer.prototype,
    'HeapBuffer itself': HeapBuffer,
    'a look-alike': { length: 10, byteOffset: 65536, buffer: new ArrayBuffer(10), free() {} },
  };

  test.each(Object.keys(NOT_VIEWS))('what is no view: %s', (name) => {
    const heap = makeHeap();
    heap.free(heap.alloc(10));
    const error = facts(refusal(heap, () => heap.free(NOT_VIEWS[name])));
    expect(error.class).toBe('TypeError');
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
    expect(error.message).toMatch(
      /^The "view" argument must be an instance of HeapBuffer\. Received /,
    );
  });

  test('nothing at all', () => {
    const heap = makeHeap();
    expect(refusal(heap, () => heap.free()).code).toBe('ERR_INVALID_ARG_TYPE');
  });

  test('a proxy of a buffer', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    for (const handler of [{}, { get: (target, key) => Reflect.get(target, key, target) }]) {
      const proxy = new Proxy(view, handler);
      expect(refusal(heap, () => heap.free(proxy)).code).toBe('ERR_INVALID_ARG_TYPE');
    }
    heap.free(view);
  });

  test('an object that inherits from a buffer', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    expect(refusal(heap, () => heap.free(Object.create(view))).code).toBe('ERR_INVALID_ARG_TYPE');
    expect(refusal(heap, () => heap.free(Object.setPrototypeOf({}, view))).code).toBe(
      'ERR_INVALID_ARG_TYPE',
    );
    heap.free(view);
  });

  test.each([
    ['a Uint8Array', () => new Uint8Array(10)],
    ['an empty Uint8Array', () => new Uint8Array(0)],
    ['a Float64Array', () => new Float64Array(2)],
    ['a DataView', () => new DataView(new ArrayBuffer(5))],
    ['a Buffer', () => Buffer.alloc(10)],
    [
      'a Buffer made to look like ours',
      () => Object.setPrototypeOf(Buffer.alloc(10), HeapBuffer.prototype),
    ],
  ])('%s', (_, make) => {
    const heap = makeHeap();
    expect(facts(refusal(heap, () => heap.free(make())))).toEqual(FOREIGN);
  });

  test.each([
    ['map', (view) => view.map((byte) => byte)],
    ['Buffer.from', (view) => Buffer.from(view)],
    ['Buffer.from of its memory', (view) => Buffer.from(view.buffer, view.byteOffset, 10)],
    ['a Uint8Array of its memory', (view) => new Uint8Array(view.buffer, view.byteOffset, 10)],
    ['a DataView of its memory', (view) => new DataView(view.buffer, view.byteOffset, 10)],
  ])('what is derived from a buffer: %s', (_, derive) => {
    const heap = makeHeap();
    const view = heap.from('0123456789');
    expect(facts(refusal(heap, () => heap.free(derive(view))))).toEqual(FOREIGN);
    expect(textOf(view)).toBe('0123456789');
    heap.free(view);
  });

  test.each([
    ['subarray', (view) => view.subarray(0)],
    ['subarray further on', (view) => view.subarray(2, 5)],
    ['slice', (view) => view.slice()],
    ['a part of a part', (view) => view.subarray(2).subarray(1)],
  ])('what is part of a buffer, and says of which: %s', (_, derive) => {
    const heap = makeHeap();
    const view = heap.from('0123456789');
    const part = derive(view);
    expect(facts(refusal(heap, () => heap.free(part)))).toEqual({
      ...FOREIGN,
      message: `The view is part of a buffer: free that one, of 10 bytes at byteOffset ${view.byteOffset}`,
    });
    expect(textOf(view)).toBe('0123456789');
    heap.free(view);
    expect(refusal(heap, () => heap.free(part)).code).toBe('ERR_BUFFER_FREED');
  });

  test("another heap's buffer, live or freed", () => {
    const [heap, other] = [makeHeap(), makeHeap()];
    heap.free(heap.alloc(10));
    const view = other.from('0123456789');
    expect(facts(refusal(heap, () => heap.free(view)))).toEqual(FOREIGN);
    expect(other.stats().live.buffers).toBe(1);
    other.free(view);
    expect(facts(refusal(heap, () => heap.free(view)))).toEqual(FOREIGN);
    expect(heap.alloc(10)).not.toBe(view);
    expect(other.check()).toEqual([]);
  });

  test('every kind at once without losing anything', () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    const kept = boundarySizes(heap)
      .filter((size) => size < 5000)
      .map((size) => heap.allocUnsafe(size).fill(size));
    for (const value of [...Object.values(NOT_VIEWS), Buffer.alloc(5), kept[3].subarray(1)]) {
      refusal(heap, () => heap.free(value));
    }
    for (const view of kept) expect(view.every((byte) => byte === (view.length & 255))).toBe(true);
  });
});

describe('the method free of a buffer', () => {
  test.each([
    ['undefined', undefined],
    ['an object', {}],
    ['a Buffer', Buffer.alloc(5)],
    ['an object that inherits from it', Object.create(HeapBuffer.prototype)],
  ])('throws a TypeError when called on %s', (_, self) => {
    expect(caught(() => HeapBuffer.prototype.free.call(self)).constructor.name).toBe('TypeError');
  });

  test('frees in its own heap only', () => {
    const [one, two] = [makeHeap(), makeHeap()];
    const views = [one.alloc(10), two.alloc(10)];
    views[0].free();
    expect([one.stats().live.buffers, two.stats().live.buffers]).toEqual([0, 1]);
  });
});

const { dispose } = Symbol;

(dispose ? describe : describe.skip)('Symbol.dispose', () => {
  test.each(MAKERS)('frees what %s made', (maker) => {
    const heap = makeHeap();
    const view = makers(heap)[maker]();
    expect(view[dispose]()).toBeUndefined();
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    expect(facts(refusal(heap, () => view.free()))).toEqual(FREED);
  });

  test('does nothing the second time', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    view[dispose]();
    const before = heap.stats();
    view[dispose]();
    view[dispose]();
    expect(heap.stats()).toEqual(before);
    expect(heap.check()).toEqual([]);
  });

  test('does nothing after free', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    view.free();
    const before = heap.stats();
    view[dispose]();
    expect(heap.stats()).toEqual(before);
  });

  test('frees again what was handed out again', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    view[dispose]();
    expect(heap.alloc(10)).toBe(view);
    view[dispose]();
    expect(heap.stats().live.buffers).toBe(0);
  });

  test('is not listed among the properties', () => {
    expect(Object.keys(HeapBuffer.prototype)).toEqual([]);
    expect(Object.getOwnPropertyDescriptor(HeapBuffer.prototype, dispose)).toMatchObject({
      enumerable: false,
      configurable: true,
      writable: true,
    });
  });
});

describe('what is kept for reuse', () => {
  test('stays within a small part of the region', () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    for (const size of [16, 100, 1000, 5000, 30_000]) {
      const views = [];
      while (views.length * size < 2 * MIB) views.push(heap.allocUnsafe(size));
      for (const view of views) heap.free(view);
      expect(heap.stats().cached.bytes).toBeLessThan(MIB / 2);
      expect(heap.stats().cached.buffers).toBeGreaterThan(0);
      expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    }
    expect(heap.check()).toEqual([]);
  });

  test('follows the lengths in use', () => {
    const heap = makeHeap();
    for (let i = 0; i < 5; i++) {
      for (const size of [16, 100, 1000, 5000]) {
        const views = Array.from({ length: 40 }, () => heap.allocUnsafe(size));
        for (const view of views) heap.free(view);
        expect(views).toContain(heap.allocUnsafe(size));
        expect(heap.check()).toEqual([]);
      }
    }
  });

  test('is bounded over every length there is', () => {
    const heap = makeHeap();
    for (let size = 1; size <= 32 * KIB; size += 13) heap.free(heap.allocUnsafe(size));
    expect(heap.stats().cached.bytes).toBeLessThan(MIB / 4);
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    heap.trim();
    expect(heap.stats().cached).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.stats().regions[0].inUse).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('is given up by trim, and only that', () => {
    const heap = makeHeap();
    const kept = heap.from('kept');
    const parked = heap.alloc(5000);
    heap.free(parked);
    expect(heap.stats().cached.buffers).toBeGreaterThan(0);
    heap.trim();
    heap.trim();
    expect(heap.stats().cached).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.stats().live.buffers).toBe(1);
    expect(heap.stats().regions[0].inUse).toBe(PAGE);
    expect(textOf(kept)).toBe('kept');
    expect(facts(refusal(heap, () => heap.free(parked)))).toEqual(FREED);
  });

  test('is parked again after a trim', () => {
    const heap = makeHeap();
    for (let i = 0; i < 5; i++) {
      const view = heap.alloc(100);
      heap.free(view);
      expect(heap.alloc(100)).toBe(view);
      heap.free(view);
      heap.trim();
      expect(heap.alloc(100)).not.toBe(view);
    }
  });
});

test('memory of every size class comes back whole', () => {
  const heap = makeHeap();
  const { usable } = heap.stats().regions[0];
  for (const size of cellSizes(heap)) {
    const views = [];
    while (views.length * size < usable / 2) views.push(heap.allocUnsafe(size));
    for (const view of views.filter((_, i) => i % 2)) heap.free(view);
    for (const view of views.filter((_, i) => i % 2 === 0)) heap.free(view);
    heap.trim();
    expect([size, heap.stats().regions[0].inUse]).toEqual([size, 0]);
  }
  expect(heap.allocUnsafeSlow(usable).length).toBe(usable);
  expect(heap.check()).toEqual([]);
});

describe('exportsOf', () => {
  test('gives the functions of the instance whose memory a buffer is in', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    expect(heap.exportsOf(view).sr_usable_size(view.byteOffset)).toBe(16);
  });

  test('refuses what was freed, and takes it again when handed out again', () => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    heap.free(view);
    expect(facts(refusal(heap, () => heap.exportsOf(view)))).toEqual(FREED);
    heap.alloc(10);
    expect(heap.exportsOf(view).sr_usable_size(view.byteOffset)).toBe(16);
  });

  test('refuses what is not of this heap', () => {
    const heap = makeHeap();
    const buffer = heap.alloc(5);
    expect(heap.exportsOf(buffer.subarray(1))).toBe(heap.exportsOf(buffer));
    for (const view of [Buffer.alloc(5), makeHeap().alloc(5)]) {
      expect(facts(refusal(heap, () => heap.exportsOf(view)))).toEqual(FOREIGN);
    }
    for (const value of [undefined, null, 5, 'x', {}, Symbol('s')]) {
      expect(refusal(heap, () => heap.exportsOf(value)).code).toBe('ERR_INVALID_ARG_TYPE');
    }
  });
});
