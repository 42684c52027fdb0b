import { describe, expect, test } from '@jest/globals';
import {
  bytesOf,
  caught,
  facts,
  KIB,
  MIB,
  makeHeap,
  PAGE,
  refusal,
  textOf,
} from '../support/heap.js';

const exhausted = (size, live, reserved = MIB) => ({
  class: 'RangeError',
  code: 'ERR_HEAP_EXHAUSTED',
  message: `Cannot allocate ${size} bytes: ${live} bytes live of ${reserved} reserved`,
});

/** A heap of 1 MiB that has `left` pages left. */
function almostFull(left = 0) {
  const heap = makeHeap();
  const { usable } = heap.stats().regions[0];
  const views = Array.from({ length: usable / PAGE - left }, (_, i) =>
    heap.allocUnsafeSlow(PAGE).fill(i + 1),
  );
  return { heap, views, live: usable - left * PAGE };
}

/** Every way to ask for `size` bytes. */
const REQUESTS = {
  alloc: (heap, size) => heap.alloc(size),
  'alloc with a fill': (heap, size) => heap.alloc(size, 'x'),
  allocUnsafe: (heap, size) => heap.allocUnsafe(size),
  'allocUnsafe, aligned': (heap, size) => heap.allocUnsafe(size, { alignment: 64 }),
  allocUnsafeSlow: (heap, size) => heap.allocUnsafeSlow(size),
  'from a string': (heap, size) => heap.from('x'.repeat(size)),
  'from hex': (heap, size) => heap.from('ab'.repeat(size), 'hex'),
  'from an array': (heap, size) => heap.from(new Array(size).fill(1)),
  'from a typed array': (heap, size) => heap.from(new Uint8Array(size)),
  'from an ArrayBuffer': (heap, size) => heap.from(new ArrayBuffer(size)),
  'from an iterable': (heap, size) => heap.from(new Set(Array.from({ length: size }, (_, i) => i))),
};

describe.each(Object.keys(REQUESTS))('%s', (name) => {
  const request = REQUESTS[name];

  test.each([1, 100, 32_767, 32_768, 100_000])('is refused in a full region: %p bytes', (size) => {
    const { heap, views, live } = almostFull();
    expect(facts(refusal(heap, () => request(heap, size)))).toEqual(exhausted(size, live));
    for (const [i, view] of views.entries()) {
      expect(view.every((byte) => byte === i + 1)).toBe(true);
    }
  });

  test.each([MIB - 1, MIB + 1])(
    'is refused when it is larger than the region: %p bytes',
    (size) => {
      const heap = makeHeap();
      expect(facts(refusal(heap, () => request(heap, size)))).toEqual(exhausted(size, 0));
    },
  );

  test('works again after something was freed', () => {
    const { heap, views } = almostFull();
    caught(() => request(heap, 100));
    heap.free(views.pop());
    const view = request(heap, 100);
    expect(view.length).toBe(100);
    expect(heap.check()).toEqual([]);
    heap.free(view);
    for (const one of views) heap.free(one);
    heap.trim();
    expect(heap.stats().regions[0].inUse).toBe(0);
  });

  // Of other size classes than the request, so that there is no page but the parked one's.
  test.each([10, 1000, 5000, 32_768])('has parked buffers given up first: of %p bytes', (size) => {
    const { heap } = almostFull(1);
    const parked = heap.alloc(size);
    heap.free(parked);
    const view = request(heap, 100);
    expect(view.length).toBe(100);
    expect(facts(refusal(heap, () => heap.free(parked))).code).toBe('ERR_BUFFER_FREED');
    expect(heap.check()).toEqual([]);
  });

  test('has empty slabs given up first', () => {
    const { heap } = almostFull(1);
    heap.free(heap.allocUnsafe(5000, { alignment: 16 }));
    expect(heap.stats().regions[0].inUse).toBe(heap.stats().regions[0].usable);
    expect(request(heap, 100).length).toBe(100);
    expect(heap.check()).toEqual([]);
  });
});

describe.each(['alloc', 'allocUnsafe', 'allocUnsafeSlow'])('%s', (method) => {
  test.each([2 ** 31, 2 ** 32 - PAGE, 2 ** 32 - 1, 2 ** 32])('is refused for %p bytes', (size) => {
    const heap = makeHeap();
    expect(facts(refusal(heap, () => heap[method](size)))).toEqual(exhausted(size, 0));
  });

  test('names whole bytes', () => {
    const { heap, live } = almostFull();
    expect(caught(() => heap[method](100.9)).message).toBe(exhausted(100, live).message);
  });

  test('serves all of the region, to the last byte', () => {
    const heap = makeHeap();
    const { usable } = heap.stats().regions[0];
    expect(caught(() => heap[method](usable + 1)).code).toBe('ERR_HEAP_EXHAUSTED');
    const view = heap[method](usable);
    view.fill(0xff);
    expect(view.byteOffset + usable).toBe(MIB);
    expect(caught(() => heap[method](1)).code).toBe('ERR_HEAP_EXHAUSTED');
    heap.free(view);
    expect(heap[method](usable - 1).length).toBe(usable - 1);
    expect(heap.check()).toEqual([]);
  });

  test('still makes empty buffers', () => {
    const { heap } = almostFull();
    expect(heap[method](0).length).toBe(0);
    expect(heap[method](0.9).length).toBe(0);
    expect(heap.from('').length).toBe(0);
    expect(heap.from([]).length).toBe(0);
  });
});

test('from does not read an array-like that cannot fit', () => {
  const heap = makeHeap();
  for (const length of [MIB, 2 ** 31, 2 ** 32]) {
    const source = {
      length,
      get 0() {
        throw new Error('read');
      },
    };
    expect(facts(refusal(heap, () => heap.from(source)))).toEqual(exhausted(length, 0));
  }
  for (const length of [2 ** 32 + 1, 2 ** 53, Infinity]) {
    expect(refusal(heap, () => heap.from({ length })).constructor.name).toBe('RangeError');
  }
});

test.each([
  ['once and not twice', `${'QUJD'.repeat(100_000)} `],
  ['and the estimate does not', `aGVsbG8=${' '.repeat(2 * MIB)}`],
])('from leaves nothing behind where the bytes fit %s', (_, string) => {
  const { heap, live } = almostFull(8);
  try {
    const view = heap.from(string, 'base64');
    expect(bytesOf(view).equals(Buffer.from(string, 'base64'))).toBe(true);
    heap.free(view);
  } catch (error) {
    expect(error.code).toBe('ERR_HEAP_EXHAUSTED');
  }
  expect(heap.stats().live.bytes).toBe(live);
  expect(heap.check()).toEqual([]);
});

test('an error in the middle of many small ones leaves all of them intact', () => {
  const heap = makeHeap();
  const views = [];
  const error = caught(() => {
    for (let i = 0; ; i++) views.push(heap.alloc(100 + (i % 7) * 300, i));
  });
  expect(error.code).toBe('ERR_HEAP_EXHAUSTED');
  expect(heap.stats().live.buffers).toBe(views.length);
  for (const [i, view] of views.entries()) {
    expect(bytesOf(view).equals(Buffer.alloc(view.length, i))).toBe(true);
  }
  for (const view of views) heap.free(view);
  heap.trim();
  expect(heap.stats().regions[0].inUse).toBe(0);
});

test('a region full of cells frees up page by page', () => {
  const heap = makeHeap();
  const views = [];
  caught(() => {
    for (;;) views.push(heap.allocUnsafe(KIB, { alignment: 8 }));
  });
  expect(caught(() => heap.allocUnsafeSlow(1)).code).toBe('ERR_HEAP_EXHAUSTED');
  const page = (view) => Math.floor(view.byteOffset / PAGE);
  for (const view of views.filter((one) => page(one) === page(views[0]))) heap.free(view);
  expect(heap.allocUnsafeSlow(PAGE).length).toBe(PAGE);
  expect(heap.check()).toEqual([]);
});

test('the smallest and the largest region work', () => {
  for (const regionSize of [MIB, 4096 * MIB]) {
    const heap = makeHeap({ regionSize });
    const { usable, reserved } = heap.stats().regions[0];
    expect(reserved).toBe(regionSize);
    const view = heap.alloc(usable);
    view[usable - 1] = 7;
    expect(view.byteOffset + usable).toBe(regionSize);
    expect(heap.stats().live.bytes).toBe(usable);
    expect(facts(refusal(heap, () => heap.alloc(1)))).toEqual(exhausted(1, usable, regionSize));
    heap.free(view);
    expect(heap.alloc(16)[15]).toBe(0);
    expect(heap.check()).toEqual([]);
  }
});

test('addresses past 2 GiB are as good as any', () => {
  const heap = makeHeap({ regionSize: 4096 * MIB });
  const low = heap.allocUnsafeSlow(2500 * MIB);
  for (const size of [10, 100, 5000, 32_768, 100_000]) {
    for (const make of [heap.alloc, heap.allocUnsafe, heap.allocUnsafeSlow]) {
      const view = make(size);
      expect(view.byteOffset).toBeGreaterThan(2500 * MIB);
      view.fill(0xff);
      heap.free(view);
      expect(heap.alloc(size).every((byte) => byte === 0)).toBe(true);
    }
  }
  expect(textOf(heap.from('high up'))).toBe('high up');
  heap.free(low);
  expect(heap.check()).toEqual([]);
});
