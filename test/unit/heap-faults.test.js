/**
 * Whatever can be refused is refused in turn: each public call works, or throws an error with a code
 * and has changed nothing.
 */

import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHeapSync } from 'slabring';
import { caught, MIB, makeHeap, PAGE, WASM_URL, wasmModule } from '../support/heap.js';

/** Those exports that ask for memory; they give 0 when there is none. */
const ALLOCATING = [
  'sr_alloc_row',
  'sr_alloc_zeroed',
  'sr_alloc_run',
  'sr_arena_create',
  'sr_tick_reserve',
  'sr_async_reserve',
];

const { Memory, Instance } = WebAssembly;
const { ArrayBuffer: Plain } = globalThis;

/** Asks `fails(what)` before anything is allocated in a module, and before each Memory is made. */
function faulty(fails) {
  WebAssembly.Memory = class extends Memory {
    constructor(limits) {
      if (fails('Memory')) throw new RangeError('no room');
      super(limits);
    }
  };
  WebAssembly.Instance = function instance(module, imports) {
    if (fails('Instance')) throw new RangeError('no room');
    const exports = { ...new Instance(module, imports).exports };
    for (const name of ALLOCATING) {
      const original = exports[name];
      exports[name] = (...args) => (fails(name) ? 0 : original(...args));
    }
    return { exports };
  };
}

afterEach(() => {
  WebAssembly.Memory = Memory;
  WebAssembly.Instance = Instance;
  globalThis.ArrayBuffer = Plain;
});

const nothing = () => {};
const repeat = (count, action) => {
  for (let i = 0; i < count; i++) action(i);
};

/** Each makes ready what it needs, and gives one public call. */
const CALLS = {
  alloc: (heap) => () => heap.alloc(100),
  'alloc, filled': (heap) => () => heap.alloc(100, 'x'),
  'alloc, of pages': (heap) => () => heap.alloc(100_000),
  'alloc, of pages, filled': (heap) => () => heap.alloc(100_000, 'x'),
  'alloc, with cells at hand': (heap) => {
    heap.alloc(100);
    return () => heap.alloc(100);
  },
  'alloc, with one parked': (heap) => {
    heap.alloc(100).free();
    return () => heap.alloc(100);
  },
  allocUnsafe: (heap) => () => heap.allocUnsafe(100),
  'allocUnsafe, of pages': (heap) => () => heap.allocUnsafe(100_000),
  'allocUnsafe, aligned': (heap) => () => heap.allocUnsafe(100, { alignment: 64 }),
  'allocUnsafe, aligned to pages': (heap) => () => heap.allocUnsafe(100, { alignment: 2 * PAGE }),
  allocUnsafeSlow: (heap) => () => heap.allocUnsafeSlow(100),
  'from a string': (heap) => () => heap.from('x'.repeat(100)),
  'from a string, of pages': (heap) => () => heap.from('x'.repeat(100_000)),
  'from base64': (heap) => () => heap.from('AAAA AAAA '.repeat(100), 'base64'),
  'from base64, of pages': (heap) => () => heap.from('AAAA AAAA '.repeat(20_000), 'base64'),
  'from an array': (heap) => () => heap.from(new Array(100).fill(1)),
  'from a view': (heap) => () => heap.from(new Uint8Array(100_000)),
  'from an ArrayBuffer': (heap) => () => heap.from(new Plain(100)),
  'from an iterable': (heap) => () => heap.from(new Set([1, 2, 3])),
  typed: (heap) => () => heap.typed(Float64Array, 10),
  'typed, of pages': (heap) => () => heap.typed(Float64Array, 10_000),
  scope: (heap) => () =>
    heap.scope(() => {
      heap.alloc(100);
      heap.alloc(5000);
      heap.allocUnsafeSlow(1);
      heap.typed(DataView, 10);
      return heap.from('result');
    }),
  arena: (heap) => () => heap.arena({ size: 1000 }),
  'arena, large': (heap) => () => heap.arena({ size: 300_000 }),
  'arena.materialize': (heap) => {
    const arena = heap.arena({ size: 1000 });
    const pointer = arena.alloc(100);
    return () => arena.materialize(pointer, 100);
  },
  'nextTick, the first': (heap) => () => heap.nextTick(nothing),
  'nextTick, with a full segment': (heap) => {
    // Two of them share a slab.
    repeat(2 * 2048, () => heap.nextTick(nothing));
    return () => heap.nextTick(nothing);
  },
  'nextTick, after all ran': (heap) => {
    repeat(5000, () => heap.nextTick(nothing));
    heap.ticks.drain();
    heap.trim();
    repeat(2000, () => heap.nextTick(nothing));
    return () => repeat(2 * 2048, () => heap.nextTick(nothing));
  },
  'asyncIds.push, the first': (heap) => () => heap.asyncIds.push(5, 1),
  'asyncIds.push, past its capacity': (heap) => {
    repeat(16, (i) => heap.asyncIds.push(5 + i, 1));
    return () => heap.asyncIds.push(50, 1);
  },
  'asyncIds.push, past a larger one': (heap) => {
    repeat(48, (i) => heap.asyncIds.push(5 + i, 1));
    return () => heap.asyncIds.push(50, 1);
  },
  'ticks.drain': (heap) => {
    heap.nextTick(nothing);
    return () => heap.ticks.drain();
  },
  trim: (heap) => {
    heap.alloc(100).free();
    return () => heap.trim();
  },
};

/** All that a refused call must leave as it was. What is kept for quick use may have gone. */
function figures(heap) {
  const { live, reserved, fallbacks, regions } = heap.stats();
  return {
    live,
    reserved,
    fallbacks,
    regions: regions.length,
    ticks: heap.ticks.size,
    depth: heap.asyncIds.depth,
    id: heap.asyncIds.executionAsyncId(),
  };
}

/** Makes the call. Whether it worked; if not, that nothing was changed. */
function attempt(heap, call, dirty = false) {
  const before = figures(heap);
  let error;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  expect(heap.check()).toEqual([]);
  if (error === undefined) return true;
  expect([error.code, error.message.split(':')[0]]).toEqual([
    'ERR_HEAP_EXHAUSTED',
    expect.stringMatching(/^Cannot allocate \d+ bytes$/),
  ]);
  if (!dirty) expect(figures(heap)).toEqual(before);
  return false;
}

/** Not one request but several, or one that asks twice, though the second time there surely is room. */
const SEVERAL = ['nextTick, after all ran', 'nextTick, the first'];

/** What needs no memory. */
const NEVER = ['alloc, with cells at hand', 'ticks.drain', 'trim'];

describe.each(Object.keys(CALLS))('%s', (name) => {
  const prepare = CALLS[name];
  const several = SEVERAL.includes(name);

  describe.each([
    ['one region', 2 * MIB],
    ['three regions', 6 * MIB],
  ])('with %s at most', (_, maxBytes) => {
    test('where one request is refused', () => {
      let count;
      let at;
      faulty(() => ++count === at);
      // Until it is not reached any more.
      for (at = 1; ; at++) {
        count = -Infinity;
        const heap = makeHeap({ regionSize: 2 * MIB, maxBytes });
        const call = prepare(heap);
        count = 0;
        attempt(heap, call, several);
        if (count < at) break;
        // Once more, with nothing in the way.
        expect(attempt(heap, call)).toBe(true);
        expect(at).toBeLessThan(50);
      }
    });

    test('where all are refused from one on', () => {
      let count;
      let from;
      let refused = 0;
      faulty(() => ++count >= from);
      for (from = 1; ; from++) {
        count = -Infinity;
        const heap = makeHeap({ regionSize: 2 * MIB, maxBytes });
        const call = prepare(heap);
        count = 0;
        if (attempt(heap, call, several)) break;
        refused++;
        count = -Infinity;
        expect(attempt(heap, call)).toBe(true);
        expect(from).toBeLessThan(50);
      }
      expect(refused > 0).toBe(!NEVER.includes(name) && name !== 'alloc, with one parked');
    });

    test('where all are refused and buffers may be outside of the heap', () => {
      let fails = false;
      faulty(() => fails);
      const heap = makeHeap({ regionSize: 2 * MIB, maxBytes, onExhausted: 'fallback' });
      const call = prepare(heap);
      fails = true;
      const worked = attempt(heap, call, several);
      const never = /^(arena|arena, large|nextTick.*|asyncIds.*)$/;
      expect(worked).toBe(!never.test(name));
    });
  });

  const BUILDS = [
    ['as shipped', WASM_URL],
    ['with every assertion', new URL('../../build/wasm-debug/slabring.wasm', import.meta.url)],
  ].filter(([, url]) => existsSync(url));

  test.each(BUILDS)('where so many pages are left, %s', (_, url) => {
    const module = new WebAssembly.Module(readFileSync(url));
    let refused = 0;
    for (let left = 0; ; left++) {
      const heap = createHeapSync(module, { regionSize: 2 * MIB, maxBytes: 2 * MIB });
      const call = prepare(heap);
      heap.trim();
      const taken = [];
      caught(() => {
        for (;;) taken.push(heap.allocUnsafeSlow(PAGE));
      });
      for (const view of taken.splice(0, left)) heap.free(view);
      if (attempt(heap, call, name === SEVERAL[0])) break;
      refused++;
      // As many again as it may take.
      for (const view of taken.splice(0, 12)) heap.free(view);
      expect(attempt(heap, call)).toBe(true);
      expect(left).toBeLessThan(20);
    }
    expect(refused > 0).toBe(!NEVER.includes(name));
  });
});

describe('createHeap', () => {
  test.each([
    ['Memory', {}],
    ['Instance', {}],
    ['Memory', { regionSize: 2 * MIB }],
    ['Instance', { regionSize: 2 * MIB, maxBytes: 5 * MIB }],
  ])('where each %s is refused, with %p', (kind, options) => {
    let asked = 0;
    faulty((what) => what === kind && ++asked > 0);
    const error = caught(() => createHeapSync(wasmModule, options));
    expect([error.code, error.cause?.message]).toEqual(['ERR_HEAP_EXHAUSTED', 'no room']);
    expect(asked).toBe(options.regionSize === undefined ? 5 : 1);
    WebAssembly.Memory = Memory;
    WebAssembly.Instance = Instance;
    expect(createHeapSync(wasmModule, options).alloc(10).length).toBe(10);
  });

  test.each([1, 2, 3, 4])('where the engine has no room at first: %p times', (times) => {
    let left = times;
    faulty((what) => what === 'Memory' && left-- > 0);
    const heap = createHeapSync(wasmModule);
    expect(heap.stats().reserved).toBe((256 * MIB) / 2 ** times);
    expect(heap.check()).toEqual([]);
  });
});

test('without room for ballast all works', () => {
  globalThis.ArrayBuffer = class extends Plain {
    constructor(size, options) {
      if (size > 0) throw new RangeError('no room');
      super(size, options);
    }
  };
  const heap = makeHeap({ maxBytes: 16 * MIB });
  const views = [];
  for (let i = 0; i < 100; i++) views.push(heap.alloc(1000, i), heap.allocUnsafeSlow(10).fill(i));
  expect(heap.stats().regions.length).toBeGreaterThan(3);
  expect(views.every((view) => view.every((byte) => byte === view[0]))).toBe(true);
  for (const view of views) heap.free(view);
  expect(heap.stats().live.bytes).toBe(0);
  expect(heap.check()).toEqual([]);
});
