import { describe, expect, test } from '@jest/globals';
import { bytesOf, MIB, makeHeap, PAGE, placed } from '../support/heap.js';

/** What `from` can make of `size` bytes by way of each of its paths. */
const SOURCES = {
  'a string': (size) => 'x'.repeat(size),
  'an array': (size) => new Array(size).fill(120),
  'a typed array': (size) => new Uint8Array(size).fill(120),
  'an ArrayBuffer': (size) => new Uint8Array(size).fill(120).buffer,
  'an array-like': (size) => ({ length: size }),
  'Buffer JSON': (size) => ({ type: 'Buffer', data: new Array(size).fill(120) }),
  'an iterable': (size) => new Set(new Array(size).fill().map((_, i) => i)),
};

describe('the pool takes sizes below half of poolSize', () => {
  test.each([
    // poolSize, the first size that is not pooled; all are below what a slab can hold
    [65536, 32768],
    [8192, 4096],
    [201, 100],
    [200.9, 100],
    [4, 2],
    [3, 1],
    [2, 1],
    [1, 1],
    [0, 1],
    [-0, 1],
    [NaN, 1],
    [Infinity, 1],
    [-Infinity, 1],
    ['8192', 4096],
    ['0x200', 256],
    ['nonsense', 1],
    ['', 1],
    [null, 1],
    [undefined, 1],
    [false, 1],
    [2 ** 32, 1],
    [2 ** 32 + 200, 100],
    [2 ** 53, 1],
  ])('when it is %p', (poolSize, first) => {
    const heap = makeHeap();
    heap.poolSize = poolSize;
    for (const size of [first - 1, first - 0.5, first, first + 0.5, first + 1]) {
      if (size < 1) continue;
      const { view, from } = placed(heap, () => heap.allocUnsafe(size));
      // As in Node: compared as asked for, before it is cut to whole bytes.
      expect([size, from]).toEqual([size, size < first ? 'cell' : 'run']);
      if (from === 'run') expect(view.byteOffset % PAGE).toBe(0);
      heap.free(view);
      heap.trim();
    }
    expect(heap.check()).toEqual([]);
  });

  test.each([-1, 2 ** 31, 2 ** 32 - 1, '1e9'])('as far as slabs go when it is %p', (poolSize) => {
    const heap = makeHeap();
    heap.poolSize = poolSize;
    expect(placed(heap, () => heap.allocUnsafe(32_767)).from).toBe('cell');
    expect(placed(heap, () => heap.allocUnsafe(32_768)).from).toBe('cell');
    expect(placed(heap, () => heap.allocUnsafe(32_769)).from).toBe('run');
    expect(placed(heap, () => heap.allocUnsafe(100_000)).pages).toBe(2);
  });

  test('when it was given as an option', () => {
    const heap = makeHeap({ poolSize: 200 });
    expect(heap.poolSize).toBe(200);
    expect(placed(heap, () => heap.allocUnsafe(99)).from).toBe('cell');
    expect(placed(heap, () => heap.allocUnsafe(100)).from).toBe('run');
  });

  test('and 65536 is the default', () => {
    expect(makeHeap().poolSize).toBe(65536);
  });

  test('read anew at each call', () => {
    const heap = makeHeap();
    for (const [poolSize, from] of [
      [8192, 'cell'],
      [0, 'run'],
      [8192, 'cell'],
      [NaN, 'run'],
      [65536, 'cell'],
    ]) {
      heap.poolSize = poolSize;
      expect(placed(heap, () => heap.allocUnsafe(1000)).from).toBe(from);
    }
  });

  test('with an alignment as without', () => {
    const heap = makeHeap();
    heap.poolSize = 2000;
    for (const alignment of [1, 8, 64, 1024]) {
      expect(placed(heap, () => heap.allocUnsafe(999, { alignment })).from).toBe('cell');
      expect(placed(heap, () => heap.allocUnsafe(1000, { alignment })).from).toBe('run');
    }
  });

  test.each(Object.keys(SOURCES))('of %s given to from', (name) => {
    const heap = makeHeap();
    heap.poolSize = 2000;
    expect(placed(heap, () => heap.from(SOURCES[name](999))).from).toBe('cell');
    expect(placed(heap, () => heap.from(SOURCES[name](1000))).from).toBe('run');
    heap.poolSize = 0;
    expect(placed(heap, () => heap.from(SOURCES[name](1))).from).toBe('run');
  });
});

describe('unpooled', () => {
  test.each([0.5, 0, 1, 15, 100, 32_767, 32_768, PAGE, PAGE + 1, 5 * PAGE - 1])(
    'allocUnsafeSlow always takes whole pages of its own: %p bytes',
    (size) => {
      const heap = makeHeap();
      for (const poolSize of [65536, -1, 0]) {
        heap.poolSize = poolSize;
        const { view, from, pages } = placed(heap, () => heap.allocUnsafeSlow(size));
        expect([from, pages]).toEqual(
          size < 1 ? ['none', undefined] : ['run', Math.ceil(size / PAGE)],
        );
        expect(view.byteOffset % PAGE).toBe(0);
        heap.free(view);
        expect(heap.stats().regions[0].inUse).toBe(0);
      }
    },
  );

  test('buffers of allocUnsafeSlow are not kept for reuse', () => {
    const heap = makeHeap();
    const view = heap.allocUnsafeSlow(100);
    heap.free(view);
    expect(heap.stats().cached).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.allocUnsafe(100)).not.toBe(view);
    expect(heap.alloc(100)).not.toBe(view);
  });

  test('buffers larger than a slab holds are not kept for reuse', () => {
    const heap = makeHeap();
    heap.free(heap.alloc(32_769));
    heap.free(heap.allocUnsafe(PAGE));
    heap.free(heap.from('x'.repeat(40_000)));
    expect(heap.stats().cached).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.stats().regions[0].inUse).toBe(0);
  });

  test('allocUnsafe does not hand out a parked buffer', () => {
    const heap = makeHeap();
    const parked = heap.allocUnsafe(100);
    heap.free(parked);
    heap.poolSize = 200;
    const other = placed(heap, () => heap.allocUnsafe(100));
    expect(other.from).toBe('run');
    expect(other.view).not.toBe(parked);
    heap.poolSize = 201.5;
    expect(heap.allocUnsafe(99.5)).not.toBe(parked);
    expect(heap.allocUnsafe(100)).not.toBe(parked);
    heap.poolSize = 202;
    expect(heap.allocUnsafe(100)).toBe(parked);
  });

  test('allocUnsafeSlow does not hand out a parked buffer', () => {
    const heap = makeHeap();
    const parked = heap.allocUnsafe(100);
    heap.free(parked);
    expect(heap.allocUnsafeSlow(100)).not.toBe(parked);
    expect(heap.allocUnsafe(100)).toBe(parked);
  });

  test.each(Object.keys(SOURCES))('from does not put %s into a parked buffer', (name) => {
    const heap = makeHeap();
    const parked = heap.allocUnsafe(100);
    heap.free(parked);
    heap.poolSize = 0;
    expect(heap.from(SOURCES[name](100))).not.toBe(parked);
    heap.poolSize = 65536;
    expect(heap.from(SOURCES[name](100))).toBe(parked);
  });

  test('alloc takes a parked buffer all the same: the rule is not for zeroed ones', () => {
    const heap = makeHeap();
    heap.poolSize = 0;
    const parked = heap.alloc(100);
    heap.free(parked);
    expect(heap.alloc(100)).toBe(parked);
    heap.free(parked);
    expect(heap.alloc(100, 'x')).toBe(parked);
    expect(placed(heap, () => heap.alloc(32_768)).from).toBe('cell');
  });

  test('what is freed by from on the way is not kept', () => {
    const heap = makeHeap();
    heap.poolSize = 0;
    const { pages } = placed(heap, () => heap.from(`aGVsbG8${' '.repeat(300_000)}`, 'base64'));
    expect(pages).toBe(1);
    expect(heap.stats().live).toEqual({ bytes: PAGE, buffers: 1 });
    expect(heap.stats().regions[0].inUse).toBe(PAGE);
  });
});

describe('the pool advances by the bytes written', () => {
  test.each([
    ['base64', `aGVsbG8=${' '.repeat(2000)}`, 5],
    ['base64', `a G\tV\ns b G 8${'\n'.repeat(500)}`, 5],
    ['base64url', `aGVsbG8${'\r\n'.repeat(999)}`, 5],
    ['base64', `${'='.repeat(400)}`, 0],
    ['base64', `${'!'.repeat(400)}`, 0],
    ['hex', `68656c6c6f${'zz'.repeat(1000)}`, 5],
    ['hex', 'x'.repeat(1000), 0],
    ['hex', '686', 1],
    ['hex', `${'ab'.repeat(700)}g${'ab'.repeat(700)}`, 700],
    ['base64', `${'QUJD'.repeat(700)}${' '.repeat(9000)}`, 2100],
  ])('of %s', (encoding, string, length) => {
    const heap = makeHeap();
    const expected = Buffer.from(string, encoding);
    expect(expected.length).toBe(length);
    const view = heap.from(string, encoding);
    expect(bytesOf(view).equals(expected)).toBe(true);
    const fitting = heap.stats().sizeClasses.find((one) => one.cellSize >= length).cellSize;
    expect(heap.stats().live).toEqual(
      length === 0 ? { bytes: 0, buffers: 0 } : { bytes: fitting, buffers: 1 },
    );
    heap.free(view);
    heap.trim();
    expect(heap.stats().regions[0].inUse).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('of UTF-8 with characters of every width', () => {
    const heap = makeHeap();
    for (const string of ['a', 'é', '€', '😀', '\ud800', 'aé€😀'.repeat(20)]) {
      const expected = Buffer.from(string);
      const { view, cellSize } = placed(heap, () => heap.from(string));
      expect(bytesOf(view).equals(expected)).toBe(true);
      expect(cellSize).toBe(
        heap.stats().sizeClasses.find((one) => one.cellSize >= expected.length).cellSize,
      );
    }
  });

  test('even past the pool: pages for the bytes written', () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    const string = `${'QUJD'.repeat(30_000)}${' '.repeat(1_000_000)}`;
    const { view, pages } = placed(heap, () => heap.from(string, 'base64'));
    expect(view.length).toBe(90_000);
    expect(pages).toBe(2);
    expect(heap.stats().regions[0].inUse).toBe(2 * PAGE);
  });
});
