import { describe, expect, test } from '@jest/globals';
import { caught, facts, MIB, makeHeap, PAGE, placed, refusal } from '../support/heap.js';

const SIZES = [1, 10, 100, 4096, 5000, 32_767, 32_768, 100_000];

/** 1, 2, 4, ... 2^20 */
const POWERS = Array.from({ length: 21 }, (_, shift) => 2 ** shift);

describe.each(['allocUnsafe', 'allocUnsafeSlow'])('%s', (method) => {
  test.each(POWERS)('aligns to %p', (alignment) => {
    const heap = makeHeap({ regionSize: 16 * MIB });
    for (const size of SIZES) {
      const views = [];
      // The second of a kind is not where the first happened to fit.
      for (let i = 0; i < 3; i++) {
        const view = heap[method](size, { alignment }).fill(i + 1);
        expect([size, view.byteOffset % alignment]).toEqual([size, 0]);
        expect(view.length).toBe(size);
        views.push(view);
      }
      for (const [i, view] of views.entries()) {
        expect(view.every((byte) => byte === i + 1)).toBe(true);
        heap.free(view);
      }
    }
    expect(heap.check()).toEqual([]);
    heap.trim();
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.stats().regions[0].inUse).toBe(0);
  });

  test('aligns to 8 when nothing is said', () => {
    const heap = makeHeap();
    for (let size = 1; size < 10; size++) {
      expect(heap[method](size).byteOffset % 8).toBe(0);
    }
  });

  test('serves typed arrays of every element size', () => {
    const heap = makeHeap();
    heap[method](3);
    for (const Type of [Uint16Array, Float32Array, Float64Array, BigInt64Array]) {
      const bytes = heap[method](10 * Type.BYTES_PER_ELEMENT);
      const view = new Type(bytes.buffer, bytes.byteOffset, 10);
      view[9] = Type === BigInt64Array ? 1n : 1;
      expect(bytes.some((byte) => byte !== 0)).toBe(true);
    }
  });

  test.each([undefined, {}, { alignment: undefined }, Object.create(null)])(
    'takes the options %p for none',
    (options) => {
      const heap = makeHeap();
      expect(heap[method](10, options).length).toBe(10);
    },
  );

  test.each([
    ['null', null],
    ['a number', 8],
    ['a string', '8'],
    ['true', true],
    ['a bigint', 8n],
    ['a symbol', Symbol('8')],
    ['a function', () => {}],
    ['an array', [8]],
  ])('refuses options that are %s', (_, options) => {
    const heap = makeHeap();
    heap.free(heap.allocUnsafe(10));
    const error = facts(refusal(heap, () => heap[method](10, options)));
    expect(error.class).toBe('TypeError');
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
    expect(error.message).toMatch(/^The "options" argument must be of type object\. Received /);
  });

  test.each([
    ['0', 0, '0'],
    ['-0', -0, '-0'],
    ['-8', -8, '-8'],
    ['0.5', 0.5, '0.5'],
    ['NaN', NaN, 'NaN'],
    ['Infinity', Infinity, 'Infinity'],
    ['2^32', 2 ** 32, '4294967296'],
    ['2^53', 2 ** 53, '9_007_199_254_740_992'],
  ])('refuses an alignment out of range: %s', (_, alignment, received) => {
    const heap = makeHeap();
    expect(facts(refusal(heap, () => heap[method](10, { alignment })))).toEqual({
      class: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
      message: `The value of "options.alignment" is out of range. It must be >= 1 && <= 2147483648. Received ${received}`,
    });
  });

  test.each([3, 6, 1.5, 7.999, 12, 2 ** 31 - 1, 2 ** 20 + 1, 1 + 2 ** -52])(
    'refuses an alignment that is no power of two: %p',
    (alignment) => {
      const heap = makeHeap();
      expect(facts(refusal(heap, () => heap[method](10, { alignment })))).toEqual({
        class: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: `The property 'options.alignment' must be a power of two. Received ${alignment}`,
      });
    },
  );

  test.each([
    ['a string', '8'],
    ['null', null],
    ['a bigint', 8n],
    ['an object', {}],
    ['a boxed number', Object(8)],
    ['a symbol', Symbol('8')],
    ['true', true],
  ])('refuses an alignment of the wrong type: %s', (_, alignment) => {
    const heap = makeHeap();
    const error = refusal(heap, () => heap[method](10, { alignment }));
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
    expect(error.message).toMatch(
      /^The "options\.alignment" property must be of type number\. Received /,
    );
  });

  test('passes on what a getter throws', () => {
    const heap = makeHeap();
    const mine = new Error('mine');
    const options = {
      get alignment() {
        throw mine;
      },
    };
    expect(refusal(heap, () => heap[method](10, options))).toBe(mine);
  });

  test('reads the alignment once', () => {
    const heap = makeHeap();
    let reads = 0;
    const options = {
      get alignment() {
        reads++;
        return reads === 1 ? 64 : 3;
      },
    };
    expect(heap[method](10, options).byteOffset % 64).toBe(0);
    expect(reads).toBe(1);
  });

  test('says that there is no room where no address fits', () => {
    const heap = makeHeap();
    for (const alignment of [2 ** 21, 2 ** 31]) {
      const error = refusal(heap, () => heap[method](10, { alignment }));
      expect(error.code).toBe('ERR_HEAP_EXHAUSTED');
    }
  });

  test('checks the size before the options', () => {
    const heap = makeHeap();
    expect(caught(() => heap[method](-1, null)).code).toBe('ERR_OUT_OF_RANGE');
  });

  test('aligns an empty buffer too', () => {
    const heap = makeHeap();
    const view = heap[method](0, { alignment: 4096 });
    expect([view.length, view.byteOffset % 4096]).toEqual([0, 0]);
    heap.free(view);
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  });
});

describe('an aligned buffer', () => {
  test('takes a cell while its alignment is within a slab, whole pages after', () => {
    const heap = makeHeap();
    expect(placed(heap, () => heap.allocUnsafe(10, { alignment: 32 })).cellSize).toBe(32);
    expect(placed(heap, () => heap.allocUnsafe(10, { alignment: 4096 })).cellSize).toBe(4096);
    expect(placed(heap, () => heap.allocUnsafe(10, { alignment: PAGE })).pages).toBe(1);
  });

  test('is not mixed up with parked ones of its length', () => {
    const heap = makeHeap();
    // Twenty-four bytes are cells that are not aligned to 64.
    const views = Array.from({ length: 10 }, () => heap.allocUnsafe(20));
    for (const view of views) heap.free(view);
    for (let i = 0; i < 10; i++) {
      const aligned = heap.allocUnsafe(20, { alignment: 64 });
      expect(aligned.byteOffset % 64).toBe(0);
      heap.free(aligned);
    }
    expect(heap.check()).toEqual([]);
  });

  test.each([{}, { alignment: 1 }, { alignment: 8 }, { alignment: 64 }])(
    'leaves parked ones of its length in place: options %p',
    (options) => {
      const heap = makeHeap();
      for (const count of [1, 2, 20]) {
        const views = Array.from({ length: count }, () => heap.alloc(20));
        for (const view of views) heap.free(view);
        const made = [heap.allocUnsafe(20, options)];
        expect(heap.stats().live.buffers).toBe(1);
        for (let i = 0; i < count; i++) made.push(heap.alloc(20));
        expect(new Set(made).size).toBe(count + 1);
        expect(views.every((view) => made.includes(view))).toBe(true);
        for (const view of made) heap.free(view);
        expect(heap.stats().live.buffers).toBe(0);
        heap.trim();
        expect(heap.stats().regions[0].inUse).toBe(0);
        expect(heap.check()).toEqual([]);
      }
    },
  );

  test('leaves the pages before it usable', () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    heap.allocUnsafeSlow(1);
    const aligned = heap.allocUnsafe(MIB, { alignment: MIB });
    const { usable, inUse } = heap.stats().regions[0];
    expect(inUse).toBe(MIB + PAGE);
    const rest = [];
    for (let left = usable - inUse; left > 0; left -= PAGE) rest.push(heap.allocUnsafeSlow(PAGE));
    expect(caught(() => heap.allocUnsafeSlow(1)).code).toBe('ERR_HEAP_EXHAUSTED');
    for (const view of rest) {
      const apart =
        view.byteOffset >= aligned.byteOffset + MIB || view.byteOffset < aligned.byteOffset;
      expect(apart).toBe(true);
    }
    expect(heap.check()).toEqual([]);
  });
});
