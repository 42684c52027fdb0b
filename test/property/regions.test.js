import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeapSync } from 'slabring';
import { MIB, PAGE, WASM_URL } from '../support/heap.js';
import { FACTOR, withHeaps } from '../support/runs.js';

const MAX_BYTES = 4 * MIB;

/** `expect` is too slow to be called for every buffer after every step. */
function ensure(truth, what) {
  if (!truth) throw new Error(`${what}: not so`);
}

/** A heap of small regions, and every live buffer with the one byte that it is full of. */
class Model {
  live = [];
  freed = [];
  events = [];
  regions = 1;
  reserved = MIB;
  #mark = 0;

  constructor(heap, fallback) {
    this.heap = heap;
    this.fallback = fallback;
    const first = heap.alloc(1);
    this.home = first.buffer;
    heap.free(first);
    heap.onRegion((event) => {
      this.regions += event.type === 'added' ? 1 : -1;
      this.reserved += event.type === 'added' ? event.size : -event.size;
      ensure(event.regions === this.regions, 'an event counts the regions');
      ensure(event.reserved === this.reserved, 'an event counts their bytes');
      ensure(this.reserved <= MAX_BYTES, 'all regions are within maxBytes');
    });
  }

  /** @param {() => any} make makes a view, or an arena */
  make(make, size, { zero = false, alignment = 1 } = {}) {
    const before = this.heap.stats();
    let made;
    try {
      made = make();
    } catch (error) {
      ensure(
        error.code === 'ERR_HEAP_EXHAUSTED',
        `a request is refused for want of room: ${error}`,
      );
      const { live, reserved, fallbacks } = this.heap.stats();
      expect({ live, fallbacks }).toEqual({ live: before.live, fallbacks: before.fallbacks });
      ensure(reserved === this.reserved, 'the regions are those of the events');
      return;
    }
    const view = made.u8 ?? made;
    const bytes = new Uint8Array(view.buffer, view.byteOffset, size);
    const outside = this.heap.stats().fallbacks > before.fallbacks;
    ensure(view.byteOffset % alignment === 0, 'it is aligned');
    if (zero) ensure(Buffer.compare(bytes, Buffer.alloc(size)) === 0, 'it is zero');
    this.#mark = (this.#mark + 1) & 0xff;
    bytes.fill(this.#mark);
    this.live.push({ made, bytes, outside, copy: Buffer.alloc(size, this.#mark) });
    ensure(!outside || this.fallback, 'a buffer outside is what was asked for');
    ensure((made.inHeap ?? !outside) === !outside, 'a buffer knows where it is');
  }

  free(pick) {
    if (this.live.length === 0) return;
    const [{ made }] = this.live.splice(pick % this.live.length, 1);
    if (made.dispose) made.dispose();
    else if (pick % 2) made.free();
    else this.heap.free(made);
    if (!made.dispose) this.freed = [made];
  }

  freeAgain() {
    for (const view of this.freed) {
      // Unless it was handed out again, under a typed view maybe.
      const { buffer, byteOffset } = view;
      const again = ({ bytes }) => bytes.buffer === buffer && bytes.byteOffset === byteOffset;
      if (this.live.some(again)) continue;
      let code;
      try {
        this.heap.free(view);
      } catch (error) {
        code = error.code;
      }
      ensure(code === 'ERR_BUFFER_FREED', 'a second free is refused');
    }
  }

  verify() {
    const spans = new Map();
    for (const { bytes, copy } of this.live) {
      ensure(Buffer.compare(bytes, copy) === 0, 'a buffer keeps its bytes');
      if (bytes.length === 0) continue;
      const list = spans.get(bytes.buffer) ?? [];
      list.push([bytes.byteOffset, bytes.byteOffset + bytes.length]);
      spans.set(bytes.buffer, list);
    }
    for (const list of spans.values()) {
      list.sort(([a], [b]) => a - b);
      for (let i = 1; i < list.length; i++) {
        ensure(list[i - 1][1] <= list[i][0], 'no two live buffers overlap');
      }
    }
    const { regions, reserved, live, cached } = this.heap.stats();
    ensure(regions.length === this.regions, 'the regions are as many as the events tell');
    ensure(reserved === this.reserved, 'and as large');
    const blocks = this.live.filter(({ outside, bytes }) => !outside && bytes.length > 0);
    expect(live.buffers).toBe(blocks.length);
    expect(regions.reduce((sum, region) => sum + region.live.bytes, 0)).toBe(
      live.bytes + cached.bytes,
    );
    const used = new Set(blocks.map(({ bytes }) => bytes.buffer));
    used.delete(this.home);
    ensure(used.size === this.regions - 1, 'no region but home is without a live buffer');
    expect(this.heap.check()).toEqual([]);
  }

  end() {
    while (this.live.length > 0) this.free(this.live.length >> 1);
    this.heap.trim();
    const { live, cached, regions } = this.heap.stats();
    expect({ live, cached }).toEqual({
      live: { bytes: 0, buffers: 0 },
      cached: { bytes: 0, buffers: 0 },
    });
    expect(regions.map(({ inUse }) => inUse)).toEqual([0]);
    expect([this.regions, this.reserved]).toEqual([1, MIB]);
  }
}

const STEPS = {
  alloc: (model, size) => model.make(() => model.heap.alloc(size), size, { zero: true }),
  several: (model, size, count) => {
    for (let i = 0; i < count; i++) {
      const bytes = Math.max(1, Math.min(size, 5000));
      model.make(() => model.heap.alloc(bytes), bytes, { zero: true });
    }
  },
  unsafe: (model, size) => model.make(() => model.heap.allocUnsafe(size), size),
  aligned: (model, size, alignment) =>
    model.make(() => model.heap.allocUnsafe(size, { alignment }), size, {
      alignment: size > 0 ? alignment : 1,
    }),
  slow: (model, size) => model.make(() => model.heap.allocUnsafeSlow(size), size),
  copy: (model, size) =>
    model.make(() => model.heap.from(Buffer.alloc(size)), size, { zero: true }),
  base64: (model, size) => {
    const text = `${Buffer.alloc(size).toString('base64')}  `;
    model.make(() => model.heap.from(text, 'base64'), size, { zero: true });
  },
  typed: (model, size) => {
    const length = size >>> 3;
    model.make(() => model.heap.typed(Float64Array, length), length * 8, {
      zero: true,
      alignment: size > 7 ? 8 : 1,
    });
  },
  arena: (model, size) => model.make(() => model.heap.arena({ size: size + 1 }), size + 1),
  free: (model, pick) => model.free(pick),
  freeMany: (model, pick, count) => {
    for (let i = 0; i < count; i++) model.free(pick + i);
  },
  freeAgain: (model) => model.freeAgain(),
  trim: (model) => model.heap.trim(),
};

const size = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(1, 10, 100, 1000, 5000, 32_768) },
  { weight: 2, arbitrary: fc.nat(2000) },
  { weight: 4, arbitrary: fc.nat(400_000) },
  { weight: 1, arbitrary: fc.nat(1_500_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, PAGE, PAGE + 1, MIB, 3 * MIB, 5 * MIB) },
);
const alignment = fc.nat(20).map((shift) => 2 ** shift);
const pick = fc.nat(1000);

const one = (name, ...args) => fc.tuple(fc.constant(name), ...args);
const step = fc.oneof(
  { weight: 4, arbitrary: one('alloc', size) },
  { weight: 3, arbitrary: one('several', size, fc.nat(60)) },
  { weight: 2, arbitrary: one('unsafe', size) },
  { weight: 2, arbitrary: one('aligned', size, alignment) },
  { weight: 2, arbitrary: one('slow', size) },
  { weight: 1, arbitrary: one('copy', size) },
  { weight: 1, arbitrary: one('base64', size) },
  { weight: 1, arbitrary: one('typed', size) },
  { weight: 1, arbitrary: one('arena', size) },
  { weight: 9, arbitrary: one('free', pick) },
  { weight: 2, arbitrary: one('freeMany', pick, fc.nat(80)) },
  { weight: 1, arbitrary: one('freeAgain') },
  { weight: 1, arbitrary: one('trim') },
);

const BUILDS = [
  ['as shipped', WASM_URL, 40],
  ['with every assertion', new URL('../../build/wasm-debug/slabring.wasm', import.meta.url), 15],
].filter(([, url]) => existsSync(url));

describe.each(BUILDS)('a heap of small regions, %s', (_, url, runs) => {
  const module = new WebAssembly.Module(readFileSync(url));

  test.each([
    ['throws at the end', 'throw'],
    ['falls back at the end', 'fallback'],
  ])(
    'that %s does what a simple model does',
    async (_name, onExhausted) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }),
          async (steps) => {
            const heap = createHeapSync(module, {
              regionSize: MIB,
              maxBytes: MAX_BYTES,
              onExhausted,
            });
            const model = new Model(heap, onExhausted === 'fallback');
            for (const [name, ...args] of steps) {
              STEPS[name](model, ...args);
              model.verify();
            }
            model.end();
            heap.dispose();
          },
        ),
        withHeaps(runs),
      );
    },
    600_000 * FACTOR,
  );
});
