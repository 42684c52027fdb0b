/** `onExhausted: 'fallback'`: ordinary buffers where there is no room. */

import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import { resultOf } from '../support/child.js';
import { bytesOf, caught, facts, MIB, makeHeap, PAGE, refusal, textOf } from '../support/heap.js';

const smallHeap = (options) => makeHeap({ onExhausted: 'fallback', ...options });

/** Takes all there is. */
function fill(heap) {
  const { regions } = heap.stats();
  const left = regions.reduce((sum, { usable, inUse }) => sum + usable - inUse, 0) / PAGE;
  return Array.from({ length: left }, (_, i) => heap.allocUnsafeSlow(PAGE).fill(i));
}

const intact = (views) => views.every((view, i) => bytesOf(view).equals(Buffer.alloc(PAGE, i)));

/** Every way to ask for a buffer of `size` bytes, with what Buffer gives instead. */
const KINDS = {
  alloc: [(heap, size) => heap.alloc(size), (size) => Buffer.alloc(size)],
  'alloc, filled': [(heap, size) => heap.alloc(size, 'xy'), (size) => Buffer.alloc(size, 'xy')],
  'alloc, filled with 0': [(heap, size) => heap.alloc(size, 0), (size) => Buffer.alloc(size)],
  allocUnsafe: [(heap, size) => heap.allocUnsafe(size).fill(1), (size) => Buffer.alloc(size, 1)],
  'allocUnsafe, aligned': [
    (heap, size) => heap.allocUnsafe(size, { alignment: 64 }).fill(1),
    (size) => Buffer.alloc(size, 1),
  ],
  'allocUnsafe, aligned to pages': [
    (heap, size) => heap.allocUnsafe(size, { alignment: 4 * PAGE }).fill(1),
    (size) => Buffer.alloc(size, 1),
  ],
  allocUnsafeSlow: [
    (heap, size) => heap.allocUnsafeSlow(size).fill(1),
    (size) => Buffer.alloc(size, 1),
  ],
  'from a string': [
    (heap, size) => heap.from('é'.repeat(size / 2)),
    (size) => Buffer.from('é'.repeat(size / 2)),
  ],
  'from hex': [
    (heap, size) => heap.from('ab'.repeat(size), 'hex'),
    (size) => Buffer.alloc(size, 0xab),
  ],
  'from an array': [
    (heap, size) => heap.from(new Array(size).fill(300)),
    (size) => Buffer.alloc(size, 300),
  ],
  'from a typed array': [
    (heap, size) => heap.from(new Uint16Array(size).fill(258)),
    (size) => Buffer.alloc(size, 258),
  ],
  'from an ArrayBuffer': [
    (heap, size) => heap.from(new ArrayBuffer(size)),
    (size) => Buffer.alloc(size),
  ],
  'from an iterable': [
    (heap, size) => heap.from(new Set(Array.from({ length: size }, (_, i) => i))),
    (size) => Buffer.from(Array.from({ length: size }, (_, i) => i)),
  ],
  'typed, bytes': [(heap, size) => heap.typed(Uint8Array, size), (size) => Buffer.alloc(size)],
  'typed, numbers': [
    (heap, size) => heap.typed(Float64Array, size / 8),
    (size) => Buffer.alloc(size),
  ],
  DataView: [(heap, size) => heap.typed(DataView, size), (size) => Buffer.alloc(size)],
};

const contents = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

describe.each(Object.keys(KINDS))('%s', (kind) => {
  const [make, expected] = KINDS[kind];

  test.each([8, 1000, 32_768, 100_000])('has an ordinary buffer of %p bytes', (size) => {
    const heap = smallHeap();
    const views = fill(heap);
    const before = heap.stats();
    const view = make(heap, size);
    expect(view.byteLength).toBe(size);
    expect(contents(view).equals(expected(size))).toBe(true);
    expect(view.buffer).not.toBe(views[0].buffer);
    expect(view.buffer.byteLength).toBe(size);
    const { fallbacks, ...rest } = heap.stats();
    expect(fallbacks).toBe(1);
    expect(rest).toEqual({ ...before, fallbacks: undefined });
    expect(heap.check()).toEqual([]);

    expect(view.free()).toBeUndefined();
    expect(facts(refusal(heap, () => heap.free(view)))).toMatchObject({ code: 'ERR_BUFFER_FREED' });
    expect(facts(refusal(heap, () => view.free()))).toMatchObject({ code: 'ERR_BUFFER_FREED' });
    expect(intact(views)).toBe(true);
  });

  test.each([8, 1000, 32_768, 100_000])('is in the heap again once there is room: %p', (size) => {
    const heap = smallHeap();
    const views = fill(heap);
    const outside = make(heap, size);
    for (const view of views.splice(-6)) heap.free(view);
    const inside = make(heap, size);
    expect(inside.buffer).toBe(views[0].buffer);
    expect(heap.stats().fallbacks).toBe(1);
    expect(contents(inside).equals(expected(size))).toBe(true);
    expect(contents(outside).equals(expected(size))).toBe(true);
    inside.free();
    // Not parked: an object with memory of its own is never handed out as one of the heap.
    outside.free();
    for (let i = 0; i < 5; i++) {
      const view = make(heap, size);
      expect([view.buffer, view === outside]).toEqual([views[0].buffer, false]);
    }
    expect(intact(views)).toBe(true);
    expect(heap.check()).toEqual([]);
  });
});

describe('a buffer outside', () => {
  const outside = (make = (heap) => heap.from('outside!')) => {
    const heap = smallHeap();
    fill(heap);
    const view = make(heap);
    return { heap, view };
  };

  test('is told by inHeap; buffers inside, parts and empty ones are not outside', () => {
    const { heap, view } = outside();
    const inside = smallHeap().alloc(10);
    expect([view.inHeap, view.subarray(2).inHeap, view.subarray(2).subarray(1).inHeap]).toEqual([
      false,
      false,
      false,
    ]);
    expect([inside.inHeap, inside.subarray(2).inHeap, heap.alloc(0).inHeap]).toEqual([
      true,
      true,
      true,
    ]);
    expect(heap.stats().fallbacks).toBe(1);
  });

  test('is a Buffer as any', () => {
    const { view } = outside();
    expect(Buffer.isBuffer(view)).toBe(true);
    expect(view instanceof HeapBuffer).toBe(true);
    expect([view.toString('hex'), view.length]).toEqual([
      Buffer.from('outside!').toString('hex'),
      8,
    ]);
    expect(view.equals(Buffer.from('outside!'))).toBe(true);
    expect(view.write('in', 0)).toBe(2);
    view.writeDoubleLE(0.5);
    expect(view.readDoubleLE()).toBe(0.5);
    const part = view.subarray(2, 4);
    part.fill(7);
    expect([view[2], view[3]]).toEqual([7, 7]);
    expect(part instanceof HeapBuffer).toBe(true);
    expect(view.map((byte) => byte + 1) instanceof HeapBuffer).toBe(false);
    expect(Buffer.concat([view, part]).length).toBe(10);
    expect(Buffer.from(view.toArrayBuffer()).equals(view)).toBe(true);
    expect(view.toArrayBuffer()).not.toBe(view.buffer);
  });

  test('has no exports, and keeps just itself', () => {
    const { heap, view } = outside();
    expect(facts(refusal(heap, () => heap.exportsOf(view)))).toMatchObject({
      code: 'ERR_NOT_IN_HEAP',
    });
    expect(caught(() => heap.exportsOf(view.subarray(1))).code).toBe('ERR_NOT_IN_HEAP');
    expect(heap.retained(view)).toBe(8);
    const typed = heap.typed(Int32Array, 4);
    expect(caught(() => heap.exportsOf(typed)).code).toBe('ERR_NOT_IN_HEAP');
    expect(heap.retained(typed)).toBe(16);
  });

  test('is freed by its heap only, and as a whole', () => {
    const { heap, view } = outside();
    expect(caught(() => smallHeap().free(view)).code).toBe('ERR_NOT_IN_HEAP');
    expect(caught(() => heap.free(view.subarray(1))).code).toBe('ERR_NOT_IN_HEAP');
    expect(caught(() => view.subarray(1).free()).code).toBe('ERR_NOT_IN_HEAP');
    heap.free(view);
    expect(caught(() => view.toArrayBuffer()).code).toBe('ERR_BUFFER_FREED');
    expect(caught(() => heap.exportsOf(view)).code).toBe('ERR_BUFFER_FREED');
    expect(caught(() => view.subarray(1).free()).code).toBe('ERR_BUFFER_FREED');
  });

  test('is freed at the end of a scope, or kept', () => {
    const heap = smallHeap();
    fill(heap);
    let inner;
    const [returned, kept] = heap.scope((scope) => {
      inner = heap.alloc(10);
      return [scope.alloc(10), scope.keep(heap.typed(Uint8Array, 5))];
    });
    expect(heap.stats().fallbacks).toBe(3);
    expect(caught(() => heap.free(inner)).code).toBe('ERR_BUFFER_FREED');
    heap.free(returned);
    heap.free(kept);
  });

  test('is cleared by zeroOnFree', () => {
    const heap = smallHeap({ zeroOnFree: true });
    fill(heap);
    const view = heap.from('secret');
    const bytes = bytesOf(view);
    heap.free(view);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    expect(caught(() => heap.free(view)).code).toBe('ERR_BUFFER_FREED');
  });

  test('is there in debug mode too', () => {
    const heap = smallHeap({ debug: true });
    while (heap.stats().fallbacks === 0) heap.allocUnsafeSlow(10);
    for (const kind of Object.keys(KINDS)) {
      const { fallbacks } = heap.stats();
      const view = KINDS[kind][0](heap, 4000);
      expect([kind, heap.stats().fallbacks - fallbacks]).toEqual([kind, 1]);
      expect(contents(view).equals(KINDS[kind][1](4000))).toBe(true);
      heap.free(view);
      expect(caught(() => heap.free(view)).code).toBe('ERR_BUFFER_FREED');
    }
    expect(heap.check()).toEqual([]);
  });

  test('lives on after dispose', () => {
    const { heap, view } = outside();
    heap.dispose();
    expect(textOf(view)).toBe('outside!');
    expect(caught(() => heap.free(view)).code).toBe('ERR_HEAP_DISPOSED');
  });

  test('that could not be filled is not counted as live', () => {
    const heap = smallHeap();
    fill(heap);
    const { live } = heap.stats();
    expect(caught(() => heap.alloc(10, Symbol('x'))).constructor.name).toBe('TypeError');
    expect(caught(() => heap.from([Symbol('x')])).constructor.name).toBe('TypeError');
    expect(heap.stats().live).toEqual(live);
    expect(heap.check()).toEqual([]);
  });
});

test('regions are added first, up to maxBytes', () => {
  const heap = smallHeap({ maxBytes: 3 * MIB });
  const views = [];
  while (heap.stats().fallbacks === 0) views.push(heap.allocUnsafeSlow(PAGE));
  expect(heap.stats()).toMatchObject({ reserved: 3 * MIB, fallbacks: 1 });
  expect(views.filter(({ inHeap }) => inHeap).length).toBe(views.length - 1);
  expect(views.pop().inHeap).toBe(false);
  expect(heap.check()).toEqual([]);
});

test('what is parked, and what nobody has any more, is used first', () => {
  const heap = smallHeap();
  const parked = Array.from({ length: 50 }, () => heap.alloc(1000));
  fill(heap);
  for (const view of parked) heap.free(view);
  expect(heap.alloc(40_000).inHeap).toBe(true);
  expect(heap.stats().fallbacks).toBe(0);
  expect(heap.alloc(1000).inHeap).toBe(false);
});

test('arenas, ticks and ids are in the heap or not at all', () => {
  const heap = smallHeap();
  fill(heap);
  expect(refusal(heap, () => heap.arena({ size: 100 })).code).toBe('ERR_HEAP_EXHAUSTED');
  expect(refusal(heap, () => heap.nextTick(() => {})).code).toBe('ERR_HEAP_EXHAUSTED');
  expect(refusal(heap, () => heap.asyncIds.push(5, 1)).code).toBe('ERR_HEAP_EXHAUSTED');
});

test('what no region can hold is outside, too', () => {
  const heap = smallHeap();
  const view = heap.alloc(64 * MIB);
  expect([view.inHeap, view.length, view[64 * MIB - 1]]).toEqual([false, 64 * MIB, 0]);
  expect(heap.stats()).toMatchObject({ fallbacks: 1, reserved: MIB });
});

test('ERR_HEAP_EXHAUSTED is thrown where the engine has no room either', () => {
  const result = resultOf(`
    const { ArrayBuffer: Old } = globalThis;
    const heap = await createHeap({ regionSize: ${MIB}, maxBytes: ${MIB}, onExhausted: 'fallback' });
    while (heap.alloc(65536).inHeap);
    const before = JSON.stringify(heap.stats());
    globalThis.ArrayBuffer = class extends Old {
      constructor(size, options) {
        if (size > 5e5) throw new RangeError('Array buffer allocation failed');
        super(size, options);
      }
    };
    const errors = ['alloc', 'allocUnsafe', 'allocUnsafeSlow'].map((method) => {
      try {
        return heap[method](1e6);
      } catch ({ code, message, cause }) {
        return { code, message, cause: cause.message };
      }
    });
    globalThis.ArrayBuffer = Old;
    const same = JSON.stringify(heap.stats()) === before;
    print({ errors, same, problems: heap.check(), length: heap.alloc(1e6).length });
  `);
  const error = {
    code: 'ERR_HEAP_EXHAUSTED',
    message: expect.stringMatching(/^Cannot allocate 1000000 bytes: \d+ bytes live of 1048576/),
    cause: 'Array buffer allocation failed',
  };
  expect(result).toEqual({ errors: [error, error, error], same: true, problems: [], length: 1e6 });
});

test('the option is one of two words', () => {
  for (const onExhausted of ['', 'Throw', null, 5, {}, true]) {
    expect(caught(() => makeHeap({ onExhausted })).code).toBe('ERR_INVALID_ARG_VALUE');
  }
  const heap = makeHeap({ onExhausted: 'throw' });
  fill(heap);
  expect(caught(() => heap.alloc(1)).code).toBe('ERR_HEAP_EXHAUSTED');
});

test.each([[2], [3]])(
  'from a string that was taken for longer counts once, %i pages left',
  (left) => {
    const heap = smallHeap();
    const held = fill(heap);
    for (let i = 0; i < left; i++) held.pop().free();
    const before = heap.stats().fallbacks;
    // Four bytes too many are estimated: room for three pages, where two do.
    const text = 'A'
      .repeat(Math.floor((2 * PAGE) / 3) * 4 - 4)
      .padEnd(Math.floor((8 * PAGE) / 3) + 6);
    const buffer = heap.from(text, 'base64');
    expect(bytesOf(buffer).equals(Buffer.from(text, 'base64'))).toBe(true);
    expect(heap.stats().fallbacks - before).toBe(buffer.inHeap ? 0 : 1);
  },
);

test('an empty string, and one that is refused, count nothing', () => {
  const heap = smallHeap();
  fill(heap);
  const before = heap.stats().fallbacks;
  expect(heap.from('').inHeap).toBe(true);
  expect(() => heap.alloc(PAGE, 'zz', 'hex')).toThrow();
  expect(heap.stats().fallbacks).toBe(before);
});
