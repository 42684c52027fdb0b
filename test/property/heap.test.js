import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeap } from 'slabring';
import { bytesOf, caught, MIB, PAGE, WASM_URL } from '../support/heap.js';
import { FACTOR, times, withHeaps } from '../support/runs.js';

const LARGEST_CELL = PAGE / 2;
/** Bytes before and after a buffer in debug mode. */
const GUARD = 16;

/** `expect` is too slow to be called for every buffer after every step. */
function ensure(truth, what) {
  if (!truth) throw new Error(`${what}: not so`);
}

/** What the heap should be: every live buffer with a copy of its bytes. */
class Model {
  live = [];
  freed = [];
  poolSize = 65536;
  #next = 1;
  #debug;

  constructor(heap, { debug = false } = {}) {
    this.heap = heap;
    this.#debug = debug;
    const { sizeClasses, regions } = heap.stats();
    this.cellSizes = sizeClasses.map(({ cellSize }) => cellSize);
    this.usable = regions[0].usable;
  }

  /** Bytes that nobody may write to before a buffer, in debug mode. */
  guard(alignment) {
    return this.#debug ? Math.max(GUARD, alignment) : 0;
  }

  /** Bytes that a block takes. */
  block(length, pooled, alignment = 8) {
    if (length === 0) return 0;
    const size = this.#debug ? this.guard(alignment) + length + GUARD : length;
    const pages = Math.ceil(size / PAGE) * PAGE;
    if (!pooled || size > LARGEST_CELL || alignment > LARGEST_CELL) return pages;
    return this.cellSizes.find((cell) => cell >= size && cell % alignment === 0);
  }

  pools(size) {
    return size > 0 && size < this.poolSize >>> 1;
  }

  liveBytes() {
    return this.live.reduce((sum, { block }) => sum + block, 0);
  }

  /**
   * Makes a buffer of `length` bytes, of which `block` are to be taken, and checks all that can be
   * checked of it.
   */
  make(create, length, block, { alignment = 8, expected } = {}) {
    const before = this.heap.stats().live;
    let view;
    try {
      view = create();
    } catch (error) {
      expect(error.code).toBe('ERR_HEAP_EXHAUSTED');
      expect(this.heap.stats().live).toEqual(before);
      // With nothing live there is room for all that fits at all.
      expect(this.live.length > 0 || block > this.usable || alignment > PAGE).toBe(true);
      return;
    }
    ensure(view.length === length, 'the length is the one asked for');
    ensure(view.byteOffset % alignment === 0, 'it is aligned');
    if (expected) ensure(bytesOf(view).equals(expected), 'it holds what it should');
    const { live } = this.heap.stats();
    expect({ took: live.bytes - before.bytes, length }).toEqual({ took: block, length });
    expect(live.buffers - before.buffers).toBe(block === 0 ? 0 : 1);
    const start = view.byteOffset - (block && this.guard(alignment));
    for (const other of this.live) {
      ensure(view !== other.view, 'no two live buffers are the same object');
      const apart = start + block <= other.start || other.start + other.block <= start;
      ensure(apart || block === 0 || other.block === 0, 'no two live buffers overlap');
    }
    const bytes = Buffer.alloc(length, this.#next++ & 255);
    view.set(bytes);
    this.live.push({ view, bytes, at: view.byteOffset, start, block });
    this.freed = this.freed.filter((one) => one !== view);
  }

  write(pick, byte) {
    if (this.live.length === 0) return;
    const { view, bytes } = this.live[pick % this.live.length];
    view.fill(byte);
    bytes.fill(byte);
  }

  free(pick, byMethod) {
    if (this.live.length === 0) return;
    const [{ view }] = this.live.splice(pick % this.live.length, 1);
    if (byMethod) view.free();
    else this.heap.free(view);
    this.freed.push(view);
  }

  freeAgain(pick) {
    if (this.freed.length === 0) return;
    const view = this.freed[pick % this.freed.length];
    expect(caught(() => this.heap.free(view)).code).toBe('ERR_BUFFER_FREED');
  }

  verify() {
    for (const { view, bytes, at } of this.live) {
      ensure(view.byteOffset === at, 'a buffer stays where it is');
      ensure(bytesOf(view).equals(bytes), 'a buffer keeps its bytes');
    }
    const { live, cached, regions } = this.heap.stats();
    expect(live).toEqual({
      bytes: this.liveBytes(),
      buffers: this.live.filter(({ block }) => block > 0).length,
    });
    expect(cached.bytes + live.bytes).toBe(regions[0].live.bytes);
    expect(cached.bytes).toBeLessThan(regions[0].reserved / 4);
    expect(this.heap.check()).toEqual([]);
  }

  /** Everything freed is everything there is. */
  end() {
    while (this.live.length > 0) this.free(0, false);
    this.heap.trim();
    expect(this.heap.stats()).toMatchObject({
      live: { bytes: 0, buffers: 0 },
      cached: { bytes: 0, buffers: 0 },
      regions: [{ inUse: 0, live: { bytes: 0, blocks: 0 } }],
    });
    const most = this.usable - (this.#debug ? 2 * GUARD : 0);
    const all = this.heap.alloc(most);
    expect(bytesOf(all).equals(Buffer.alloc(most))).toBe(true);
    this.heap.free(all);
    expect(this.heap.check()).toEqual([]);
    expect(this.heap.dispose()).toEqual([]);
  }
}

const STEPS = {
  alloc: (model, size) => {
    const length = Math.trunc(size) + 0; // never -0
    model.make(() => model.heap.alloc(size), length, model.block(length, true), {
      expected: Buffer.alloc(length),
    });
  },
  filled: (model, size, fill) => {
    const length = Math.trunc(size) + 0;
    model.make(() => model.heap.alloc(size, fill), length, model.block(length, true), {
      expected: Buffer.alloc(length, fill),
    });
  },
  refused: (model, size) => {
    const before = model.heap.stats().live;
    caught(() => model.heap.alloc(size + 1, Symbol('refused')));
    caught(() => model.heap.from([1, 2, Symbol('refused')]));
    expect(model.heap.stats().live).toEqual(before);
  },
  unsafe: (model, size, alignment) => {
    const length = Math.trunc(size) + 0;
    const options = alignment === 0 ? undefined : { alignment };
    const block = model.block(length, model.pools(size), alignment || 8);
    model.make(() => model.heap.allocUnsafe(size, options), length, block, {
      alignment: Math.max(8, length && alignment),
    });
  },
  slow: (model, size, alignment) => {
    const length = Math.trunc(size) + 0;
    const options = alignment === 0 ? undefined : { alignment };
    const block = model.block(length, false, alignment || 8);
    model.make(() => model.heap.allocUnsafeSlow(size, options), length, block, {
      alignment: Math.max(8, length && alignment),
    });
  },
  text: (model, size, encoding, junk) => {
    const text = `${'6162+/é='.repeat(size / 8 + 1).slice(0, size)}${' '.repeat(junk)}`;
    const expected = Buffer.from(text, encoding);
    const block = model.block(expected.length, model.pools(Buffer.byteLength(text, encoding)));
    model.make(() => model.heap.from(text, encoding), expected.length, block, { expected });
  },
  copy: (model, size, as) => {
    const length = Math.trunc(size) + 0;
    const expected = Buffer.alloc(length, 'copy');
    const source = {
      array: [...expected],
      view: expected,
      buffer: Uint8Array.from(expected).buffer,
    };
    const block = model.block(length, model.pools(length));
    model.make(() => model.heap.from(source[as]), length, block, { expected });
  },
  write: (model, pick, byte) => model.write(pick, byte),
  free: (model, pick, byMethod) => model.free(pick, byMethod),
  freeMany: (model, pick, count) => {
    for (let i = 0; i < count; i++) model.free(pick + i, i % 2 === 0);
  },
  freeAgain: (model, pick) => model.freeAgain(pick),
  trim: (model) => model.heap.trim(),
  poolSize: (model, poolSize) => {
    model.heap.poolSize = poolSize;
    model.poolSize = poolSize;
  },
};

/** Sizes of every kind; few lengths often, so that buffers are recycled. */
const size = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1, 8, 10, 16, 17, 24, 64, 65, 100, 1000) },
  { weight: 3, arbitrary: fc.nat(300) },
  { weight: 2, arbitrary: fc.nat(40_000) },
  { weight: 1, arbitrary: fc.nat(300).map((whole) => whole + 0.5) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 0.5, 32_767, 32_768, 32_769, PAGE, PAGE + 1) },
  { weight: 1, arbitrary: fc.nat(1_200_000) },
);
const small = fc.oneof(size.filter((one) => one < 2000).map(Math.trunc), fc.nat(40_000));
const alignment = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat(18).map((shift) => 2 ** shift) },
);
const pick = fc.nat(1000);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('alloc'), size) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('filled'), size, fc.constantFrom('ab', 7, '')) },
  { weight: 5, arbitrary: fc.tuple(fc.constant('unsafe'), size, alignment) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('slow'), size, alignment) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('text'),
      small,
      fc.constantFrom('utf8', 'latin1', 'utf16le', 'hex', 'base64'),
      fc.nat(100),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant('copy'), small, fc.constantFrom('array', 'view', 'buffer')),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constant('write'), pick, fc.nat(255)) },
  { weight: 9, arbitrary: fc.tuple(fc.constant('free'), pick, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('freeMany'), pick, fc.nat(30)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('freeAgain'), pick) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('refused'), fc.nat(300)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('trim')) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('poolSize'),
      fc.constantFrom(65536, 0, 8192, 200, 201.5, -1, NaN, 2 ** 20),
    ),
  },
);

const CHECKED_URL = new URL('../../build/wasm-debug/slabring.wasm', import.meta.url);
const BUILDS = [
  ['as shipped', WASM_URL, 80, {}],
  ['with every assertion', CHECKED_URL, 30, {}],
  ['in debug mode', WASM_URL, 20, { debug: true }],
  ['in debug mode with every assertion', CHECKED_URL, 8, { debug: true, zeroOnFree: true }],
  ['with zeroOnFree', WASM_URL, 10, { zeroOnFree: true }],
].filter(([, url]) => existsSync(url));

describe.each(BUILDS)('the heap %s', (_, url, runs, options) => {
  const wasm = WebAssembly.compile(readFileSync(url));

  async function agrees(steps, regionSize) {
    const heap = await createHeap({ regionSize, maxBytes: regionSize, wasm, ...options });
    const model = new Model(heap, options);
    for (const [name, ...args] of steps) {
      STEPS[name](model, ...args);
      model.verify();
    }
    model.end();
  }

  test(
    'does what a simple model does',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 150, size: 'max' }), (steps) =>
          agrees(steps, 4 * MIB),
        ),
        withHeaps(runs),
      );
    },
    600_000 * FACTOR,
  );

  test(
    'does what a simple model does where memory is short',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), (steps) =>
          agrees(steps, MIB),
        ),
        withHeaps(runs),
      );
    },
    600_000 * FACTOR,
  );

  test(
    'is zero wherever alloc says so, in any order of sizes',
    async () => {
      const memory = { regionSize: 4 * MIB, maxBytes: 4 * MIB };
      const heap = await createHeap({ ...memory, wasm, ...options });
      fc.assert(
        fc.property(fc.array(fc.tuple(size, fc.boolean()), { maxLength: 60 }), (requests) => {
          const views = [];
          for (const [bytes, trim] of requests) {
            const view = heap.alloc(Math.min(bytes, 60_000));
            expect(bytesOf(view).equals(Buffer.alloc(view.length))).toBe(true);
            views.push(view.fill(0xff));
            if (views.length > 20) heap.free(views.shift());
            if (trim) heap.trim();
          }
          for (const view of views) heap.free(view);
        }),
        { numRuns: times(runs * 2) },
      );
      heap.trim();
      expect(heap.stats().regions[0].inUse).toBe(0);
    },
    600_000 * FACTOR,
  );
});
