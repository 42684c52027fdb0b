import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import { PACKAGE, resultOf } from '../support/child.js';
import {
  bytesOf,
  caught,
  comparable,
  facts,
  label,
  makeHeap,
  PAGE,
  refusal,
  textOf,
} from '../support/heap.js';
import { HOSTILE } from '../support/hostile.js';

const TEXT = '0123456789abcdef';
const { dispose } = Symbol;

/** All that can be told of a part, or of the error. */
function result(whole, action) {
  try {
    const part = action(whole);
    return { at: part.byteOffset - whole.byteOffset, bytes: bytesOf(part).toString('hex') };
  } catch (error) {
    return comparable(error);
  }
}

const INDICES = [
  undefined,
  null,
  0,
  -0,
  1,
  5,
  15,
  16,
  17,
  -1,
  -15,
  -16,
  -17,
  1.5,
  -1.5,
  0.9,
  -0.9,
  NaN,
  Infinity,
  -Infinity,
  2 ** 31,
  2 ** 32 + 1,
  -(2 ** 53),
  '3',
  ' 4 ',
  '',
  'x',
  '0x5',
  true,
  false,
  [],
  [2],
  [1, 2],
  {},
  new Date(3),
  { valueOf: () => 3 },
  3n,
  Symbol('s'),
];

describe.each(['subarray', 'slice'])('%s', (method) => {
  test.each(INDICES.map((index) => [label(index), index]))(
    'is that of Buffer, from and to %s',
    (_, first) => {
      const heap = makeHeap();
      for (const bytes of [TEXT, '', 'a']) {
        const [ours, plain] = [heap.from(bytes), Buffer.from(bytes)];
        const same = (action) => expect(result(ours, action)).toEqual(result(plain, action));
        same((view) => view[method](first));
        for (const second of INDICES) {
          same((view) => view[method](first, second));
          same((view) => view[method](second, first));
          same((view) => view[method](1, -1)[method](first, second));
        }
      }
    },
  );

  test('is that of Buffer without and with too many arguments', () => {
    const [ours, plain] = [makeHeap().from(TEXT), Buffer.from(TEXT)];
    for (const action of [(view) => view[method](), (view) => view[method](2, 9, 1)]) {
      expect(result(ours, action)).toEqual(result(plain, action));
    }
  });

  test('asks each argument once, the start first', () => {
    const log = [];
    const asks = (name, number) => ({ valueOf: () => log.push(name) && number });
    const whole = makeHeap().from(TEXT);
    expect(textOf(whole[method](asks('start', 2), asks('end', 5)))).toBe('234');
    expect(log).toEqual(['start', 'end']);
  });

  test('survives every hostile value', () => {
    const heap = makeHeap();
    const whole = heap.from(TEXT);
    const plain = Buffer.from(TEXT);
    for (const make of Object.values(HOSTILE)) {
      // Two values: some are different at each use.
      expect(result(whole, (view) => view[method](make(), 9))).toEqual(
        result(plain, (view) => view[method](make(), 9)),
      );
      expect(result(whole, (view) => view[method](2, make()))).toEqual(
        result(plain, (view) => view[method](2, make())),
      );
    }
    expect(heap.stats().live.buffers).toBe(1);
    expect(textOf(whole)).toBe(TEXT);
  });

  test('is a HeapBuffer that shares the bytes', () => {
    const whole = makeHeap().from(TEXT);
    const part = whole[method](4, 8);
    expect(part).toBeInstanceOf(HeapBuffer);
    expect(Buffer.isBuffer(part)).toBe(Buffer.isBuffer(whole));
    expect(part.inHeap).toBe(true);
    bytesOf(part).write('WXYZ');
    expect(textOf(whole)).toBe('0123WXYZ89abcdef');
    bytesOf(whole).fill('.');
    expect(textOf(part)).toBe('....');
  });

  test('is not fooled by properties put onto the buffer', () => {
    const whole = makeHeap().from(TEXT);
    for (const [name, value] of Object.entries({
      length: 5,
      byteLength: 5,
      byteOffset: 0,
      buffer: new ArrayBuffer(8),
      constructor: Array,
    })) {
      Object.defineProperty(whole, name, { value });
    }
    expect(textOf(whole[method](2, 12))).toBe('23456789ab');
  });

  test('takes nothing, and is no buffer more', () => {
    const heap = makeHeap();
    const whole = heap.from(TEXT);
    const before = heap.stats();
    const parts = Array.from({ length: 50 }, (_, i) => whole[method](i % 16));
    expect(heap.stats()).toEqual(before);
    expect(heap.check()).toEqual([]);
    whole.free();
    expect(heap.stats().live.buffers).toBe(0);
    expect(parts.length).toBe(50);
  });
});

const PARTS = {
  'the whole': (whole) => whole.subarray(),
  'its start': (whole) => whole.subarray(0, 5),
  'its middle': (whole) => whole.subarray(3, 9),
  'a slice': (whole) => whole.slice(3, 9),
  'an empty one': (whole) => whole.subarray(4, 4),
  'a part of a part': (whole) => whole.subarray(2).subarray(1, 6),
  'a part of a part of a part': (whole) => whole.slice(1).subarray(1).slice(1, 4),
};

describe.each(Object.keys(PARTS))('a part that is %s', (name) => {
  const partOf = PARTS[name];

  const withText = (view) => {
    bytesOf(view).write(TEXT);
    return view;
  };
  const WHOLES = {
    'a cell': (heap) => heap.from(TEXT),
    'pages of its own': (heap) => withText(heap.allocUnsafeSlow(16)),
    'an aligned one': (heap) => withText(heap.allocUnsafe(16, { alignment: 512 })),
  };

  test.each(Object.keys(WHOLES))('is refused by free, by the name of its buffer: %s', (kind) => {
    const heap = makeHeap();
    const whole = WHOLES[kind](heap);
    const part = partOf(whole);
    for (const free of [() => heap.free(part), () => part.free()]) {
      expect(facts(refusal(heap, free))).toEqual({
        class: 'Error',
        code: 'ERR_NOT_IN_HEAP',
        message: `The view is part of a buffer: free that one, of 16 bytes at byteOffset ${whole.byteOffset}`,
      });
    }
    expect(textOf(whole)).toBe(TEXT);
    whole.free();
    for (const free of [() => heap.free(part), () => part.free()]) {
      expect(refusal(heap, free).code).toBe('ERR_BUFFER_FREED');
    }
    expect(heap.check()).toEqual([]);
  });

  test('says of which buffer, whatever properties that has', () => {
    const heap = makeHeap();
    const whole = heap.from(TEXT);
    const { byteOffset } = whole;
    const part = partOf(whole);
    for (const key of ['length', 'byteOffset']) Object.defineProperty(whole, key, { value: 1 });
    expect(refusal(heap, () => heap.free(part)).message).toMatch(
      new RegExp(`of 16 bytes at byteOffset ${byteOffset}$`),
    );
  });

  (dispose ? test : test.skip)('is left alone by `using`', () => {
    const heap = makeHeap();
    const whole = heap.from(TEXT);
    const part = partOf(whole);
    const before = heap.stats();
    expect(part[dispose]()).toBeUndefined();
    expect(heap.stats()).toEqual(before);
    expect(textOf(whole)).toBe(TEXT);
    whole[dispose]();
    part[dispose]();
    expect(heap.stats().live.buffers).toBe(0);
    const next = heap.alloc(16);
    expect(next).toBe(whole);
    part[dispose]();
    expect(heap.stats().live.buffers).toBe(1);
  });

  test('is copied exactly by toArrayBuffer, until its buffer is freed', () => {
    const heap = makeHeap();
    const whole = heap.from(TEXT);
    const part = partOf(whole);
    const expected = partOf(Buffer.from(TEXT)).toString();
    const copy = part.toArrayBuffer();
    expect(copy.byteLength).toBe(expected.length);
    expect(Buffer.from(copy).toString()).toBe(expected);
    whole.free();
    expect(facts(caught(() => part.toArrayBuffer()))).toEqual({
      class: 'Error',
      code: 'ERR_BUFFER_FREED',
      message: 'The buffer has already been freed',
    });
  });

  test('knows its heap', () => {
    const heap = makeHeap();
    const whole = heap.from(TEXT);
    const part = partOf(whole);
    expect(heap.exportsOf(part)).toBe(heap.exportsOf(whole));
    expect(heap.retained(part)).toBe(PAGE);
    expect(heap.keep(part)).toBe(part);
    const slow = heap.allocUnsafeSlow(PAGE + 1);
    expect(heap.retained(partOf(slow))).toBe(2 * PAGE);
  });
});

test('parts of what is outside of the heap', () => {
  const heap = makeHeap({ onExhausted: 'fallback' });
  heap.allocUnsafeSlow(heap.stats().regions[0].usable);
  const whole = heap.from(TEXT);
  expect(whole.inHeap).toBe(false);
  const part = whole.subarray(3, 9).subarray(1);
  expect(textOf(part)).toBe('45678');
  expect(part.inHeap).toBe(false);
  expect(part.buffer).toBe(whole.buffer);
  expect(heap.retained(part)).toBe(16);
  expect(refusal(heap, () => heap.exportsOf(part)).code).toBe('ERR_NOT_IN_HEAP');
  expect(refusal(heap, () => heap.free(part)).message).toBe(
    'The view is part of a buffer: free that one, of 16 bytes at byteOffset 0',
  );
  whole.free();
  expect(refusal(heap, () => heap.free(part)).code).toBe('ERR_BUFFER_FREED');
});

test('parts of a buffer in another region', () => {
  const heap = makeHeap({ maxBytes: 2 ** 21 });
  const full = heap.allocUnsafeSlow(heap.stats().regions[0].usable);
  const whole = heap.from(TEXT);
  expect(whole.buffer).not.toBe(full.buffer);
  const part = whole.subarray(3, 9);
  expect(part.buffer).toBe(whole.buffer);
  expect(textOf(part)).toBe('345678');
  expect(heap.exportsOf(part)).toBe(heap.exportsOf(whole));
  expect(heap.exportsOf(part)).not.toBe(heap.exportsOf(full));
  whole.free();
  expect(heap.check()).toEqual([]);
});

test('a part keeps its buffer from being collected, and nothing keeps it once that is gone', () => {
  const lines = resultOf(
    `
      const heap = await createHeap({ regionSize: 2 ** 20, maxBytes: 2 ** 20 });
      const settle = async () => {
        heap.trim(); // what is parked keeps its slab
        for (let i = 0; i < 4; i++) { gc(); await new Promise((done) => setTimeout(done, 5)); }
        heap.trim();
        return heap.stats().live.buffers;
      };
      const lines = [];
      // Functions of their own: what is left in a frame that waits would be kept.
      const filled = (make, partOf) => partOf(make().fill('p'));
      const isIntact = (part) => {
        const others = Array.from({ length: 100 }, () => heap.alloc(1000).fill('x'));
        for (const one of others) one.free();
        return part.every((byte) => byte === 0x70);
      };
      for (const make of [
        () => heap.alloc(1000),
        () => heap.alloc(100_000),
        () => heap.allocUnsafeSlow(1000),
        () => heap.allocUnsafe(1000, { alignment: 2048 }),
      ]) {
        for (const partOf of [
          (whole) => whole.subarray(990),
          (whole) => whole.slice(10).subarray(5).subarray(1),
          (whole) => whole.subarray(5, 5),
        ]) {
          let part = filled(make, partOf);
          const kept = await settle();
          const intact = isIntact(part);
          part = undefined;
          lines.push([kept, intact, await settle(), heap.check()]);
        }
      }
      print(lines);
    `,
    { flags: ['--expose-gc'] },
  );
  expect(lines).toEqual(new Array(12).fill([1, true, 0, []]));
});

test('without Buffer, slice copies and subarray does not', () => {
  const lines = resultOf(`
    const node = globalThis.process;
    globalThis.process = undefined;
    const other = await import(${JSON.stringify(`${PACKAGE}?without-buffer`)});
    globalThis.process = node;
    const heap = await other.createHeap({ regionSize: 2 ** 20, maxBytes: 2 ** 20 });
    const whole = heap.from('0123456789');
    const [part, copy] = [whole.subarray(2, 5), whole.slice(2, 5)];
    whole.fill(0x2e);
    const code = (action) => { try { action(); } catch (error) { return error.code; } };
    print([
      Buffer.isBuffer(whole),
      String.fromCharCode(...part), part.constructor.name, part.buffer === whole.buffer,
      String.fromCharCode(...copy), copy.constructor.name, copy.buffer === whole.buffer,
      code(() => heap.free(part)), code(() => heap.free(copy)), heap.stats().live.buffers,
    ]);
  `);
  expect(lines).toEqual([
    false,
    ...['...', 'HeapBuffer', true],
    ...['234', 'Uint8Array', false],
    ...['ERR_NOT_IN_HEAP', 'ERR_NOT_IN_HEAP', 1],
  ]);
});
