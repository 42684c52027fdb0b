import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';
import { bytesOf, caught, cellSizes, facts, makeHeap, PAGE } from '../support/heap.js';

const SECRET = 'SeCrEt!~';
const { dispose } = Symbol;

/** The bytes of any view, that stay what they are when it was freed. */
const windowOn = ({ buffer, byteOffset, byteLength }) =>
  Buffer.from(buffer, byteOffset, byteLength);
const isZero = (bytes) => bytes.every((byte) => byte === 0);
/** Where in a memory there is a secret. */
const found = (memory) => Buffer.from(memory).indexOf(SECRET);

const MAKERS = {
  alloc: (heap) => heap.alloc(100),
  'alloc, large': (heap) => heap.alloc(100_000),
  'alloc, small': (heap) => heap.alloc(8),
  allocUnsafe: (heap) => heap.allocUnsafe(100),
  'allocUnsafe, large': (heap) => heap.allocUnsafe(100_000),
  'allocUnsafe, aligned': (heap) => heap.allocUnsafe(100, { alignment: 512 }),
  allocUnsafeSlow: (heap) => heap.allocUnsafeSlow(100),
  'from a string': (heap) => heap.from('x'.repeat(50)),
  'from an array': (heap) => heap.from(new Array(50).fill(1)),
  typed: (heap) => heap.typed(Float64Array, 20),
  'typed, a DataView': (heap) => heap.typed(DataView, 20),
  'typed, large': (heap) => heap.typed(Uint16Array, 50_000),
};

const FREES = {
  'heap.free': (heap, view) => heap.free(view),
  'its method': (_, view) => view.free(),
  'the end of a scope': (heap, _, make) =>
    heap.scope(() => {
      make();
    }),
  'a scope that throws': (heap, _, make) =>
    caught(() =>
      heap.scope(() => {
        make();
        throw new Error('x');
      }),
    ),
  ...(dispose && { 'the end of `using`': (_, view) => view[dispose]() }),
};

describe.each(Object.keys(FREES))('freed by %s', (way) => {
  test.each(Object.keys(MAKERS))('the bytes of %s are zero', (maker) => {
    const heap = makeHeap({ zeroOnFree: true });
    let bytes;
    const make = () => {
      const view = MAKERS[maker](heap);
      bytes = windowOn(view).fill(SECRET);
      return view;
    };
    if (way.includes('scope')) FREES[way](heap, undefined, make);
    else FREES[way](heap, make());
    expect(isZero(bytes)).toBe(true);
    expect(found(bytes.buffer)).toBe(-1);
    expect(heap.stats().live.buffers).toBe(0);
    heap.trim();
    expect(found(bytes.buffer)).toBe(-1);
    expect(heap.check()).toEqual([]);
  });
});

test('without the option they are not', () => {
  const heap = makeHeap();
  for (const options of [undefined, { zeroOnFree: false }]) {
    const other = options ? makeHeap(options) : heap;
    const view = other.alloc(100, SECRET);
    view.free();
    expect(windowOn(view).indexOf(SECRET)).toBe(0);
  }
});

test('all is as without it else: recycling, a second free, what is refused', () => {
  const heap = makeHeap({ zeroOnFree: true });
  const view = heap.alloc(100, SECRET);
  heap.free(view);
  expect(facts(caught(() => heap.free(view)))).toMatchObject({ code: 'ERR_BUFFER_FREED' });
  expect(facts(caught(() => view.free()))).toMatchObject({ code: 'ERR_BUFFER_FREED' });
  const again = heap.allocUnsafe(100);
  expect(again).toBe(view);
  expect(isZero(again)).toBe(true);
  bytesOf(view).fill(SECRET);
  const part = view.subarray(8, 16);
  const foreign = makeHeap().alloc(10, SECRET);
  for (const refused of [part, foreign, Buffer.from(SECRET), 5, undefined]) {
    expect(caught(() => heap.free(refused)).code).toMatch(/^ERR_(NOT_IN_HEAP|INVALID_ARG_TYPE)$/);
  }
  expect(bytesOf(view).equals(Buffer.alloc(100, SECRET))).toBe(true);
  expect(bytesOf(foreign).equals(Buffer.alloc(10, SECRET))).toBe(true);
  const neighbours = Array.from({ length: 20 }, () => heap.alloc(100, SECRET));
  view.free();
  for (const one of neighbours) expect(bytesOf(one).equals(Buffer.alloc(100, SECRET))).toBe(true);
});

test('what was written through a part, or another view of the buffer, is cleared', () => {
  const heap = makeHeap({ zeroOnFree: true });
  for (const size of [24, 5000, 100_000]) {
    const view = heap.alloc(size);
    const part = view.subarray(8, 16);
    bytesOf(part).write(SECRET);
    new Uint8Array(view.buffer, view.byteOffset, size).fill(0x55, 16);
    view.free();
    expect(isZero(windowOn(part))).toBe(true);
    expect(isZero(windowOn(view))).toBe(true);
  }
});

test('properties put onto a buffer save nothing', () => {
  const heap = makeHeap({ zeroOnFree: true });
  const view = heap.alloc(100, SECRET);
  const bytes = windowOn(view);
  for (const [name, value] of Object.entries({ length: 0, byteOffset: 0, fill() {} })) {
    Object.defineProperty(view, name, { value });
  }
  heap.free(view);
  expect(isZero(bytes)).toBe(true);
});

test('what was made on the way and never handed out is cleared', () => {
  const heap = makeHeap({ zeroOnFree: true });
  const { buffer } = heap.alloc(8);
  const text = Buffer.from(SECRET.repeat(20));
  for (const make of [
    // The first is estimated too large.
    () => heap.from(` ${text.toString('base64').replace(/(.{8})/g, '$1\n')}`, 'base64'),
    () => heap.from(text.toString('hex').concat('zz'), 'hex'),
    () => heap.from(` ${Buffer.from(SECRET.repeat(9000)).toString('base64')}`, 'base64'),
    () => heap.from([...text, Symbol('x')]),
    () => heap.from([...text, { valueOf: () => 0n }]),
    () => heap.alloc(100, text.toString('hex').concat('zz'), 'hex'),
  ]) {
    try {
      const view = make();
      expect(found(view)).toBe(0);
      heap.free(view);
    } catch {
      // Refused: what was written goes too.
    }
    expect(found(buffer)).toBe(-1);
    expect(heap.stats().live.buffers).toBe(1);
  }
});

test('allocUnsafe shows nothing but zero, of every size, whatever was freed before', () => {
  const heap = makeHeap({ zeroOnFree: true, regionSize: 2 ** 22 });
  const sizes = [...cellSizes(heap).flatMap((size) => [size, size - 3]), PAGE, PAGE + 9, 100_001];
  for (let round = 0; round < 3; round++) {
    const views = [];
    for (const size of sizes) {
      for (const view of [
        heap.allocUnsafe(size),
        heap.allocUnsafe(size, { alignment: 64 }),
        heap.allocUnsafe(size),
      ]) {
        expect(isZero(windowOn(view))).toBe(true);
        view.fill(SECRET);
        views.push(view);
      }
      if (views.length > 30) for (const view of views.splice(0, 25)) heap.free(view);
    }
    for (const view of views) heap.free(view);
    expect(found(views[0].buffer)).toBe(-1);
    if (round === 1) heap.trim();
  }
  heap.trim();
  const all = heap.allocUnsafeSlow(heap.stats().regions[0].usable);
  expect(isZero(bytesOf(all))).toBe(true);
  expect(heap.check()).toEqual([]);
});

test('buffers from outside of the heap are cleared', () => {
  for (const debug of [false, true]) {
    const heap = makeHeap({ zeroOnFree: true, onExhausted: 'fallback', debug });
    heap.allocUnsafeSlow(heap.stats().regions[0].usable - PAGE);
    for (const make of [
      () => heap.allocUnsafe(100_000),
      () => heap.typed(Float64Array, 10_000),
      () => heap.from(SECRET.repeat(10_000)),
    ]) {
      const view = make();
      if (view.inHeap !== undefined) expect(view.inHeap).toBe(false);
      const bytes = windowOn(view).fill(SECRET);
      view.free();
      expect(isZero(bytes)).toBe(true);
    }
  }
});

test('buffers of other regions are cleared', () => {
  const heap = makeHeap({ zeroOnFree: true, maxBytes: 2 ** 21 });
  const full = heap.allocUnsafeSlow(heap.stats().regions[0].usable);
  const views = [heap.alloc(100, SECRET), heap.alloc(100_000, SECRET), heap.alloc(100, SECRET)];
  expect(views[0].buffer).not.toBe(full.buffer);
  views[0].free();
  expect(isZero(windowOn(views[0]))).toBe(true);
  expect(bytesOf(views[2]).equals(Buffer.alloc(100, SECRET))).toBe(true);
  views[1].free();
  views[2].free();
  expect(found(views[0].buffer)).toBe(-1);
});

test('in debug mode secrets are gone at once, and all is zero when the cells are used again', () => {
  const heap = makeHeap({ zeroOnFree: true, debug: true });
  const { buffer } = heap.alloc(8);
  for (const make of Object.values(MAKERS)) {
    const view = make(heap);
    const bytes = windowOn(view).fill(SECRET);
    view.free();
    expect(found(buffer)).toBe(-1);
    heap.trim();
    expect(isZero(bytes)).toBe(true);
  }
  expect(heap.check()).toEqual([]);
});

test.each([false, true])('what was collected is cleared; in debug mode: %p', (debug) => {
  const lines = resultOf(
    `
      const heap = await createHeap({
        regionSize: 2 ** 21, maxBytes: 2 ** 21, zeroOnFree: true, debug: ${debug},
      });
      const SECRET = ${JSON.stringify(SECRET)};
      const settle = async () => {
        heap.trim(); // what is at hand keeps its slab
        for (let i = 0; i < 4; i++) { gc(); await new Promise((done) => setTimeout(done, 5)); }
        heap.trim();
        return heap.stats().live.buffers;
      };
      const kept = heap.alloc(3000, 'k'); // in a slab of its own
      const memory = Buffer.from(kept.buffer);
      // A function of its own: what is left in a frame that waits would be kept.
      const drop = () => {
        for (let i = 0; i < 50; i++) heap.alloc(200, SECRET);
        for (let i = 0; i < 10; i++) heap.alloc(5000, SECRET);
        heap.alloc(100_000, SECRET);
        heap.allocUnsafeSlow(100).fill(SECRET);
        heap.allocUnsafe(100, { alignment: 2048 }).fill(SECRET);
        heap.typed(Uint8Array, 50).set(heap.from(SECRET));
        heap.alloc(200, SECRET).subarray(5);
        return memory.indexOf(SECRET) > 0;
      };
      const lines = [];
      for (let round = 0; round < 2; round++) {
        lines.push(drop(), await settle(), memory.indexOf(SECRET), kept.toString('utf8', 2995));
      }
      const all = heap.allocUnsafeSlow(2 ** 20);
      lines.push(all.every((byte) => byte === 0));
      print(lines);
    `,
    { flags: ['--expose-gc'] },
  );
  expect(lines).toEqual([true, 1, -1, 'kkkkk', true, 1, -1, 'kkkkk', true]);
});

test.each([1, 0, 'yes', null, {}])('the option must be a boolean: %p', (zeroOnFree) => {
  const error = facts(caught(() => makeHeap({ zeroOnFree })));
  expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
  expect(error.message).toMatch(
    /^The "options.zeroOnFree" property must be of type boolean\. Received /,
  );
});
