import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createHeap, createHeapSync, Heap } from 'slabring';
import {
  bytesOf,
  caught,
  facts,
  label,
  MIB,
  makeHeap,
  PAGE,
  refusal,
  textOf,
  WASM_URL,
  wasmModule,
} from '../support/heap.js';

describe('stats', () => {
  test('of a fresh heap', () => {
    const stats = makeHeap().stats();
    expect(stats).toMatchObject({
      reserved: MIB,
      live: { bytes: 0, buffers: 0 },
      cached: { bytes: 0, buffers: 0 },
      peak: 0,
      fallbacks: 0,
      regions: [{ reserved: MIB, touched: 0, inUse: 0, live: { bytes: 0, blocks: 0 }, peak: 0 }],
    });
    const [{ usable }] = stats.regions;
    expect(usable % PAGE).toBe(0);
    expect(usable).toBeGreaterThan(MIB / 2);
    expect(usable).toBeLessThan(MIB);
    expect(stats.sizeClasses.every(({ live, slabs }) => live === 0 && slabs === 0)).toBe(true);
  });

  test('list the size classes, smallest first', () => {
    const sizes = makeHeap()
      .stats()
      .sizeClasses.map(({ cellSize }) => cellSize);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(new Set(sizes).size).toBe(sizes.length);
    expect([sizes[0], sizes.at(-1)]).toEqual([16, 32_768]);
    expect(sizes.every((size) => size % 8 === 0)).toBe(true);
  });

  test('count cells with their whole size and runs in pages', () => {
    const heap = makeHeap();
    heap.alloc(1);
    expect(heap.stats().live).toEqual({ bytes: 16, buffers: 1 });
    heap.allocUnsafe(100);
    expect(heap.stats().live).toEqual({ bytes: 16 + 112, buffers: 2 });
    heap.allocUnsafeSlow(1);
    expect(heap.stats().live).toEqual({ bytes: 16 + 112 + PAGE, buffers: 3 });
    heap.alloc(PAGE + 1);
    expect(heap.stats().live).toEqual({ bytes: 16 + 112 + 3 * PAGE, buffers: 4 });
    expect(heap.stats().regions[0].inUse).toBe(5 * PAGE);
  });

  test('tell what is kept for quick use from what is live', () => {
    const heap = makeHeap();
    const views = Array.from({ length: 10 }, () => heap.alloc(20));
    const { cached } = heap.stats();
    for (const view of views.slice(0, 4)) heap.free(view);
    expect(heap.stats()).toMatchObject({
      live: { bytes: 6 * 24, buffers: 6 },
      cached: { bytes: cached.bytes + 4 * 24, buffers: cached.buffers + 4 },
    });
    heap.alloc(20);
    expect(heap.stats()).toMatchObject({
      live: { bytes: 7 * 24, buffers: 7 },
      cached: { bytes: cached.bytes + 3 * 24, buffers: cached.buffers + 3 },
    });
    heap.trim();
    expect(heap.stats()).toMatchObject({
      live: { bytes: 7 * 24, buffers: 7 },
      cached: { bytes: 0, buffers: 0 },
      regions: [{ live: { bytes: 7 * 24, blocks: 7 } }],
    });
  });

  test('keep the peak', () => {
    const heap = makeHeap();
    const view = heap.alloc(3 * PAGE);
    heap.alloc(PAGE);
    expect(heap.stats().peak).toBe(4 * PAGE);
    heap.free(view);
    heap.trim();
    expect(heap.stats().peak).toBe(4 * PAGE);
    heap.alloc(4 * PAGE);
    expect(heap.stats().peak).toBe(5 * PAGE);
    expect(heap.stats().regions[0].peak).toBe(heap.stats().peak);
    const small = heap.alloc(10);
    expect(heap.stats().peak).toBeGreaterThanOrEqual(5 * PAGE + 16);
    const { peak } = heap.stats();
    heap.free(small);
    expect(heap.stats().peak).toBe(peak);
  });

  test('keep count of the pages ever touched', () => {
    const heap = makeHeap();
    const views = [heap.alloc(3 * PAGE), heap.alloc(2 * PAGE)];
    expect(heap.stats().regions[0]).toMatchObject({ touched: 5 * PAGE, inUse: 5 * PAGE });
    for (const view of views) heap.free(view);
    expect(heap.stats().regions[0]).toMatchObject({ touched: 5 * PAGE, inUse: 0 });
    heap.alloc(4 * PAGE);
    expect(heap.stats().regions[0]).toMatchObject({ touched: 5 * PAGE, inUse: 4 * PAGE });
  });

  test('add up after a long sequence', () => {
    const heap = makeHeap({ regionSize: 8 * MIB });
    const live = [];
    let seed = 7;
    const random = (below) => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed % below;
    };
    for (let i = 0; i < 3000; i++) {
      if (live.length > 60 || (live.length > 0 && random(3) === 0)) {
        heap.free(live.splice(random(live.length), 1)[0]);
      } else {
        const size = 1 + random(random(20) === 0 ? 200_000 : 3000);
        live.push(random(2) ? heap.alloc(size) : heap.allocUnsafe(size));
      }
      if (i % 100 !== 0) continue;
      const stats = heap.stats();
      const [region] = stats.regions;
      expect(stats.live.buffers).toBe(live.length);
      expect(stats.live.bytes + stats.cached.bytes).toBe(region.live.bytes);
      expect(stats.live.buffers + stats.cached.buffers).toBe(region.live.blocks);
      expect(stats.sizeClasses).toEqual(region.sizeClasses);
      let cells = 0;
      let slabs = 0;
      for (const one of stats.sizeClasses) {
        cells += one.live * one.cellSize;
        slabs += one.slabs;
        expect(one.live).toBeLessThanOrEqual(one.slabs * Math.floor(PAGE / one.cellSize));
      }
      expect(cells + region.inUse - slabs * PAGE).toBe(region.live.bytes);
      expect(region.inUse).toBeLessThanOrEqual(region.touched);
      expect(region.touched).toBeLessThanOrEqual(region.usable);
      expect(region.usable).toBeLessThan(region.reserved);
      expect(stats.peak).toBeGreaterThanOrEqual(region.live.bytes);
      expect(heap.check()).toEqual([]);
    }
  });

  test('are a snapshot that may be changed', () => {
    const heap = makeHeap();
    const stats = heap.stats();
    heap.alloc(10);
    expect(stats.live).toEqual({ bytes: 0, buffers: 0 });
    stats.live.bytes = 5;
    stats.sizeClasses.length = 0;
    stats.regions.length = 0;
    expect(heap.stats().live).toEqual({ bytes: 16, buffers: 1 });
    expect(heap.stats().sizeClasses.length).toBeGreaterThan(0);
  });
});

/** Everything that a heap can be asked to do with good arguments. */
const CALLS = {
  alloc: (heap) => heap.alloc(10),
  'alloc of nothing': (heap) => heap.alloc(0),
  'alloc with a fill': (heap) => heap.alloc(10, 'x'),
  'alloc, large': (heap) => heap.alloc(100_000),
  allocUnsafe: (heap) => heap.allocUnsafe(10),
  'allocUnsafe of nothing': (heap) => heap.allocUnsafe(0),
  'allocUnsafe, aligned': (heap) => heap.allocUnsafe(10, { alignment: 64 }),
  'allocUnsafe, large': (heap) => heap.allocUnsafe(100_000),
  allocUnsafeSlow: (heap) => heap.allocUnsafeSlow(10),
  'allocUnsafeSlow of nothing': (heap) => heap.allocUnsafeSlow(0),
  'from a string': (heap) => heap.from('abc'),
  'from an empty string': (heap) => heap.from(''),
  'from an array': (heap) => heap.from([1]),
  'from an empty array': (heap) => heap.from([]),
  'from an ArrayBuffer': (heap) => heap.from(new ArrayBuffer(5)),
  'from an iterable': (heap) => heap.from(new Set([1])),
  free: (heap, view) => heap.free(view),
  'free of an empty buffer': (heap, _, empty) => heap.free(empty),
  'free of an unpooled buffer': (heap, _view, _empty, large) => heap.free(large),
  'buf.free()': (_, view) => view.free(),
  exportsOf: (heap, view) => heap.exportsOf(view),
  stats: (heap) => heap.stats(),
  check: (heap) => heap.check(),
  trim: (heap) => heap.trim(),
};

describe('after dispose', () => {
  test.each(Object.keys(CALLS))('%s throws', (name) => {
    const heap = makeHeap();
    const view = heap.alloc(10);
    const empty = heap.allocUnsafe(0);
    const large = heap.allocUnsafeSlow(10);
    heap.free(heap.alloc(10));
    expect(heap.dispose()).toEqual([]);
    for (let i = 0; i < 2; i++) {
      expect(facts(caught(() => CALLS[name](heap, view, empty, large)))).toEqual({
        class: 'Error',
        code: 'ERR_HEAP_DISPOSED',
        message: 'The heap has been disposed of',
      });
    }
  });

  test.each([
    ['a size', (heap) => heap.alloc(-1), 'ERR_OUT_OF_RANGE'],
    ['a type', (heap) => heap.allocUnsafe('8'), 'ERR_INVALID_ARG_TYPE'],
    ['an encoding', (heap) => heap.from('x', 'nope'), 'ERR_UNKNOWN_ENCODING'],
    ['a source', (heap) => heap.from(5), 'ERR_INVALID_ARG_TYPE'],
  ])('a wrong argument is still what is told first: %s', (_, call, code) => {
    const heap = makeHeap();
    heap.dispose();
    expect(caught(() => call(heap)).code).toBe(code);
  });

  test('a second dispose does nothing', () => {
    const heap = makeHeap();
    heap.dispose();
    expect(heap.dispose()).toEqual([]);
    expect(heap.dispose()).toEqual([]);
  });

  test('old buffers can still be read and written', () => {
    const heap = makeHeap();
    const views = [heap.from('small'), heap.alloc(100_000, 'large'), heap.allocUnsafeSlow(5)];
    heap.dispose();
    expect(textOf(views[0])).toBe('small');
    expect(bytesOf(views[1]).equals(Buffer.alloc(100_000, 'large'))).toBe(true);
    views[2].fill(0x78);
    expect(textOf(views[2])).toBe('xxxxx');
    expect(Buffer.from(views[0].toArrayBuffer()).toString()).toBe('small');
  });

  test('other heaps go on', () => {
    const [one, two] = [makeHeap(), makeHeap()];
    one.dispose();
    expect(textOf(two.from('fine'))).toBe('fine');
    expect(two.check()).toEqual([]);
  });

  test('memory goes: heaps made and dropped do not run out of address space', () => {
    for (let i = 0; i < 150; i++) {
      const heap = makeHeap({ regionSize: 256 * MIB });
      heap.alloc(10, 'x');
      heap.dispose();
    }
  });
});

describe('methods', () => {
  test('work without their heap', () => {
    const heap = makeHeap();
    const { alloc, allocUnsafe, allocUnsafeSlow, from, free, exportsOf } = heap;
    const { stats, check, trim, dispose } = heap;
    const views = [alloc(10), allocUnsafe(10), allocUnsafeSlow(10), from('abc')];
    expect(stats().live.buffers).toBe(4);
    expect(exportsOf(views[0]).sr_usable_size(views[0].byteOffset)).toBe(16);
    for (const view of views) free(view);
    expect([...'abc'].map(from).map((view) => textOf(view))).toEqual(['a', 'b', 'c']);
    trim();
    expect(check()).toEqual([]);
    dispose();
    expect(caught(stats).code).toBe('ERR_HEAP_DISPOSED');
  });

  test('of the prototype throw a TypeError when called on anything else', () => {
    for (const name of Object.getOwnPropertyNames(Heap.prototype)) {
      if (name === 'constructor') continue;
      for (const self of [undefined, null, {}, Object.create(Heap.prototype)]) {
        expect(caught(() => Heap.prototype[name].call(self, 10)).constructor.name).toBe(
          'TypeError',
        );
      }
    }
  });
});

test('two heaps have nothing in common', () => {
  const [one, two] = [makeHeap({ poolSize: 100 }), makeHeap()];
  const views = [one.from('one'), two.from('two')];
  expect(views[0].buffer).not.toBe(views[1].buffer);
  const before = two.stats();
  one.free(one.alloc(10));
  expect(two.stats()).toEqual(before);
  expect([one.poolSize, two.poolSize]).toEqual([100, 65536]);
  one.poolSize = 0;
  expect(two.poolSize).toBe(65536);
  one.trim();
  two.trim();
  expect(views.map((view) => textOf(view))).toEqual(['one', 'two']);
  expect([...one.check(), ...two.check()]).toEqual([]);
});

/** Both ways to make a heap: with good options, or to see what they throw. */
const CREATORS = {
  createHeap: (options) => createHeap(options),
  createHeapSync: async (options) => createHeapSync(wasmModule, options),
};

/** What a promise is rejected with; a test that expects it fails when there is nothing. */
const rejection = (promise) =>
  promise.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (error) => error,
  );

describe.each(Object.keys(CREATORS))('options of %s', (name) => {
  const create = CREATORS[name];

  test.each([
    ['none', undefined],
    ['{}', {}],
    ['an object without prototype', Object.create(null)],
    ['undefined ones', { regionSize: undefined, poolSize: undefined, wasm: undefined }],
  ])('may be left out: %s', async (_, options) => {
    const heap = await create(options);
    expect(heap.stats().reserved).toBe(256 * MIB);
    expect(heap.poolSize).toBe(65536);
  });

  test.each([
    [MIB, MIB],
    [MIB + 0.5, MIB + PAGE],
    [MIB + 1, MIB + PAGE],
    [MIB + PAGE, MIB + PAGE],
    [10 * MIB - 1, 10 * MIB],
    [2 ** 31 + 1, 2 ** 31 + PAGE],
    [2 ** 32 - 1, 2 ** 32],
    [2 ** 32, 2 ** 32],
  ])('regionSize %p makes a region of %p bytes', async (regionSize, reserved) => {
    const heap = await create({ regionSize });
    expect(heap.stats().reserved).toBe(reserved);
    expect(heap.alloc(10).buffer.byteLength).toBe(reserved);
  });

  test.each([
    [MIB - 1, '1048575'],
    [MIB - 0.5, '1048575.5'],
    [0, '0'],
    [-MIB, '-1048576'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [2 ** 32 + 1, '4_294_967_297'],
  ])('regionSize %p is out of range', async (regionSize, received) => {
    expect(facts(await rejection(create({ regionSize })))).toEqual({
      class: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
      message: `The value of "options.regionSize" is out of range. It must be >= 1048576 && <= 4294967296. Received ${received}`,
    });
  });

  const NO_NUMBERS = [null, '1048576', 1048576n, true, {}, [2097152], Symbol('x'), () => 2097152];

  test.each(NO_NUMBERS.map((value) => [label(value), value]))(
    'regionSize must be a number: %s',
    async (_, regionSize) => {
      const error = await rejection(create({ regionSize }));
      expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
      expect(error.message).toMatch(/^The "options\.regionSize" property must be of type number/);
    },
  );

  test.each(NO_NUMBERS.map((value) => [label(value), value]))(
    'poolSize must be a number: %s',
    async (_, poolSize) => {
      const error = await rejection(create({ regionSize: MIB, poolSize }));
      expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
      expect(error.message).toMatch(/^The "options\.poolSize" property must be of type number/);
    },
  );

  test.each([
    ['null', null],
    ['a number', 5],
    ['a string', 'x'],
    ['true', true],
    ['a bigint', 5n],
    ['a symbol', Symbol('x')],
    ['a function', () => {}],
    ['an array', []],
  ])('must be an object: %s', async (_, options) => {
    const error = await rejection(create(options));
    expect(error.constructor.name).toBe('TypeError');
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
    expect(error.message).toMatch(/^The "options" argument must be of type object\. Received /);
  });

  test('whose getter throws have that thrown', async () => {
    const mine = new Error('mine');
    for (const key of ['regionSize', 'poolSize']) {
      const options = Object.defineProperty({}, key, {
        get() {
          throw mine;
        },
      });
      expect(await rejection(create(options))).toBe(mine);
    }
  });

  test('are not changed, and may be frozen', async () => {
    const options = Object.freeze({ regionSize: MIB + 1, poolSize: 100 });
    const heap = await create(options);
    heap.poolSize = 50;
    expect(options).toEqual({ regionSize: MIB + 1, poolSize: 100 });
  });
});

test('createHeap never throws at once: it rejects', async () => {
  for (const options of [null, 5, { regionSize: 1 }, { poolSize: null }, { wasm: 5 }]) {
    const promise = createHeap(options);
    expect(Object.prototype.toString.call(promise)).toBe('[object Promise]');
    await rejection(promise);
  }
});

test('heaps made from one module, from its bytes and from the file are alike', async () => {
  const heaps = [
    await createHeap({ regionSize: MIB }),
    createHeapSync(wasmModule, { regionSize: MIB }),
    createHeapSync(readFileSync(WASM_URL), { regionSize: MIB }),
  ];
  const [first] = heaps.map((heap) => heap.stats());
  for (const heap of heaps) {
    expect(heap.stats()).toEqual(first);
    expect(textOf(heap.from('alike'))).toBe('alike');
  }
});

test('stats and check refuse nothing and change nothing', () => {
  const heap = makeHeap();
  heap.free(heap.alloc(10));
  const before = heap.stats();
  for (const value of [undefined, null, 5, {}]) {
    heap.stats(value);
    heap.check(value);
  }
  expect(heap.stats()).toEqual(before);
  expect(refusal(heap, () => heap.free(null)).code).toBe('ERR_INVALID_ARG_TYPE');
});
