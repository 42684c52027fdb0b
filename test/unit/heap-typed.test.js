import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import { resultOf } from '../support/child.js';
import {
  ARRAYS,
  bytesOf,
  caught,
  facts,
  KIB,
  MIB,
  makeHeap,
  PAGE,
  refusal,
} from '../support/heap.js';
import { HOSTILE, INSIDE, thorn } from '../support/hostile.js';
import { realm } from '../support/realm.js';

const TYPES = [...ARRAYS, 'DataView'];

const { dispose } = Symbol;

const widthOf = (name) => globalThis[name].BYTES_PER_ELEMENT ?? 1;
const value = (name, number) => (name.startsWith('Big') ? BigInt(number) : number);

/** The bytes that any view is of, read from its memory. */
const rawBytes = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

const FREED = {
  class: 'Error',
  code: 'ERR_BUFFER_FREED',
  message: 'The buffer has already been freed',
};
const FOREIGN = {
  class: 'Error',
  code: 'ERR_NOT_IN_HEAP',
  message: 'The view was not allocated by this heap',
};

describe.each(TYPES)('typed(%s)', (name) => {
  const Type = globalThis[name];
  const width = widthOf(name);

  test('is one, in the memory of the heap', () => {
    const heap = makeHeap();
    const view = heap.typed(Type, 6);
    expect(view).toBeInstanceOf(Type);
    expect(Object.prototype.toString.call(view)).toBe(`[object ${name}]`);
    expect(view.constructor.name).toBe(`Heap${name}`);
    expect(view.byteLength).toBe(6 * width);
    if (name !== 'DataView') expect(view.length).toBe(6);
    expect(view.buffer).toBe(heap.alloc(1).buffer);
    expect(heap.stats().live.buffers).toBe(2);
  });

  test.each([0, 1, 2, 3, 7, 100, 1000, 4096, 32_768, 32_769])('has %p elements', (length) => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    for (let i = 0; i < 3; i++) {
      const view = heap.typed(Type, length);
      expect(view.byteLength).toBe(length * width);
      expect(view.byteOffset % 8).toBe(0);
      expect(rawBytes(view).every((byte) => byte === 0)).toBe(true);
      expect(heap.stats().live.buffers).toBe(length === 0 ? 0 : i + 1);
      rawBytes(view).fill(0xff);
    }
    expect(heap.check()).toEqual([]);
  });

  test('is aligned between buffers of odd lengths', () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    for (let i = 1; i < 40; i++) {
      heap.alloc(i, 'x');
      const view = heap.typed(Type, i);
      expect(view.byteOffset % 8).toBe(0);
      expect(rawBytes(view).every((byte) => byte === 0)).toBe(true);
    }
  });

  test('is zeroed and the same object when it is handed out again', () => {
    const heap = makeHeap();
    for (const length of [1, 5, 64, 1000]) {
      const view = heap.typed(Type, length);
      for (let i = 0; i < 3; i++) {
        rawBytes(view).fill(0xab);
        if (i % 2) heap.free(view);
        else view.free();
        expect(heap.typed(Type, length)).toBe(view);
        expect(rawBytes(view).every((byte) => byte === 0)).toBe(true);
      }
    }
    expect(heap.check()).toEqual([]);
  });

  test('is written to its own bytes, and those only', () => {
    const heap = makeHeap();
    const before = heap.alloc(6 * width, 'b');
    const view = heap.typed(Type, 6);
    const after = heap.alloc(6 * width, 'a');
    if (name === 'DataView') for (let i = 0; i < 6; i++) view.setUint8(i, 0x55);
    else view.fill(value(name, 3)).set([value(name, 9)], 5);
    const plain = new Type(new ArrayBuffer(6 * width));
    if (name === 'DataView') for (let i = 0; i < 6; i++) plain.setUint8(i, 0x55);
    else plain.fill(value(name, 3)).set([value(name, 9)], 5);
    expect(rawBytes(view).equals(rawBytes(plain))).toBe(true);
    expect(bytesOf(before).equals(Buffer.alloc(6 * width, 'b'))).toBe(true);
    expect(bytesOf(after).equals(Buffer.alloc(6 * width, 'a'))).toBe(true);
  });

  describe.each([
    ['heap.free(view)', (heap, view) => heap.free(view)],
    ['view.free()', (_, view) => view.free()],
  ])('%s', (_, free) => {
    test.each([0, 1, 100, 10_000])('gives everything back: %p elements', (length) => {
      const heap = makeHeap();
      const view = heap.typed(Type, length);
      expect(free(heap, view)).toBeUndefined();
      expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
      heap.trim();
      expect(heap.stats().regions[0].inUse).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test.each([0, 1, 100, 10_000])('refuses a second time: %p elements', (length) => {
      const heap = makeHeap();
      const view = heap.typed(Type, length);
      free(heap, view);
      for (let i = 0; i < 2; i++) {
        expect(facts(refusal(heap, () => heap.free(view)))).toEqual(FREED);
        expect(facts(refusal(heap, () => view.free()))).toEqual(FREED);
        expect(facts(refusal(heap, () => heap.keep(view)))).toEqual(FREED);
        expect(facts(refusal(heap, () => heap.exportsOf(view)))).toEqual(FREED);
        expect(facts(refusal(heap, () => heap.retained(view)))).toEqual(FREED);
      }
      heap.trim();
      expect(facts(refusal(heap, () => free(heap, view)))).toEqual(FREED);
    });
  });

  (dispose ? test : test.skip)('is freed by `using`, once', () => {
    const heap = makeHeap();
    const view = heap.typed(Type, 100);
    expect(view[dispose]()).toBeUndefined();
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    const before = heap.stats();
    view[dispose]();
    expect(heap.stats()).toEqual(before);
    expect(facts(refusal(heap, () => view.free()))).toEqual(FREED);
    expect(heap.typed(Type, 100)).toBe(view);
    view.free();
    view[dispose]();
    expect(heap.stats().live.buffers).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test("is not another heap's", () => {
    const [heap, other] = [makeHeap(), makeHeap()];
    const view = other.typed(Type, 5);
    for (const call of ['free', 'keep', 'exportsOf', 'retained']) {
      expect(facts(refusal(heap, () => heap[call](view)))).toEqual(FOREIGN);
    }
    view.free();
    expect(other.stats().live.buffers).toBe(0);
    expect(facts(refusal(heap, () => heap.free(view)))).toEqual(FOREIGN);
  });

  test('is not what a program made itself', () => {
    const heap = makeHeap();
    const view = heap.typed(Type, 8);
    const { constructor: Class } = view;
    const made = [
      new Type(new ArrayBuffer(8 * width)),
      new Type(view.buffer, view.byteOffset, 8),
      new Class(new ArrayBuffer(8 * width)),
      new Class(view.buffer, view.byteOffset, 8),
    ];
    for (const one of made) {
      expect(facts(refusal(heap, () => heap.free(one)))).toEqual(FOREIGN);
      if (!(one instanceof Class)) continue;
      expect(facts(refusal(heap, () => one.free()))).toEqual(FOREIGN);
      if (dispose) one[dispose]();
    }
    expect(heap.stats().live.buffers).toBe(1);
    heap.free(view);
  });

  test('tells what it keeps, and whose exports work on it', () => {
    const heap = makeHeap();
    const view = heap.typed(Type, 16);
    expect(heap.retained(view)).toBe(PAGE);
    expect(heap.exportsOf(view)).toBe(heap.exportsOf(heap.alloc(1)));
    expect(heap.exportsOf(view).sr_usable_size(view.byteOffset)).toBe(16 * width);
    heap.exportsOf(view).sr_zero(view.byteOffset, 8);
    const large = heap.typed(Type, (2 * PAGE) / width + 1);
    expect(heap.retained(large)).toBe(3 * PAGE);
    expect(heap.retained(heap.typed(Type, 0))).toBe(0);
    expect(heap.exportsOf(heap.typed(Type, 0))).toBe(heap.exportsOf(view));
  });

  test('has the errors of Buffer.alloc for its length', () => {
    const heap = makeHeap();
    const most = 2 ** 32 / width;
    const range = (received) => ({
      class: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
      message: `The value of "length" is out of range. It must be >= 0 && <= ${most}. Received ${received}`,
    });
    const refused = (length) => facts(refusal(heap, () => heap.typed(Type, length)));
    expect(refused(-1)).toEqual(range('-1'));
    expect(refused(-0.5)).toEqual(range('-0.5'));
    expect(refused(NaN)).toEqual(range('NaN'));
    expect(refused(Infinity)).toEqual(range('Infinity'));
    expect(refused(most + 0.5).code).toBe('ERR_OUT_OF_RANGE');
    expect(refused(most + 1).code).toBe('ERR_OUT_OF_RANGE');
    expect(refused(2 ** 53).code).toBe('ERR_OUT_OF_RANGE');
    for (const wrong of [undefined, null, '5', true, 5n, {}, [5], Symbol('s'), () => 5]) {
      const error = facts(caught(() => Buffer.alloc(wrong)));
      expect(refused(wrong)).toEqual({
        ...error,
        message: error.message.replace('"size"', '"length"'),
      });
    }
  });

  test('takes lengths up to what fits, and fractions as their whole part', () => {
    const heap = makeHeap();
    const { usable } = heap.stats().regions[0];
    expect(refusal(heap, () => heap.typed(Type, 2 ** 32 / width)).code).toBe('ERR_HEAP_EXHAUSTED');
    expect(refusal(heap, () => heap.typed(Type, usable / width + 1)).code).toBe(
      'ERR_HEAP_EXHAUSTED',
    );
    const all = heap.typed(Type, usable / width);
    expect(all.byteLength).toBe(usable);
    expect(rawBytes(all).every((byte) => byte === 0)).toBe(true);
    expect(refusal(heap, () => heap.typed(Type, 1)).code).toBe('ERR_HEAP_EXHAUSTED');
    all.free();
    expect(heap.typed(Type, 2.9).byteLength).toBe(2 * width);
    expect(heap.typed(Type, 0.9).byteLength).toBe(0);
    expect(heap.typed(Type, -0).byteLength).toBe(0);
  });

  test('is refused after dispose, and so is its end', () => {
    const heap = makeHeap();
    const view = heap.typed(Type, 5);
    heap.free(heap.typed(Type, 5));
    heap.dispose();
    for (const action of [
      () => heap.typed(Type, 5),
      () => heap.free(view),
      () => view.free(),
      () => heap.retained(view),
    ]) {
      expect(caught(action).code).toBe('ERR_HEAP_DISPOSED');
    }
  });

  test('falls back to ordinary memory where that is asked for', () => {
    const heap = makeHeap({ onExhausted: 'fallback' });
    const all = heap.allocUnsafe(heap.stats().regions[0].usable);
    const view = heap.typed(Type, 10);
    expect(view).toBeInstanceOf(Type);
    expect(view.buffer).not.toBe(all.buffer);
    expect(view.buffer.byteLength).toBe(10 * width);
    expect(heap.stats().fallbacks).toBe(1);
    expect(heap.retained(view)).toBe(10 * width);
    expect(facts(refusal(heap, () => heap.exportsOf(view)))).toEqual(FOREIGN);
    view.free();
    expect(facts(refusal(heap, () => view.free()))).toEqual(FREED);
    all.free();
    expect(heap.typed(Type, 10).buffer).toBe(all.buffer);
    expect(heap.check()).toEqual([]);
  });
});

describe.each(ARRAYS)('a part of a typed %s', (name) => {
  const Type = globalThis[name];
  const numbers = Array.from({ length: 10 }, (_, i) => value(name, i));
  const make = (heap) => {
    const view = heap.typed(Type, 10);
    view.set(numbers);
    return view;
  };

  test.each([
    [[]],
    [[0]],
    [[3]],
    [[3, 7]],
    [[-3]],
    [[-5, -2]],
    [[7, 3]],
    [[0, 100]],
    [[100]],
    [[-100, 5]],
    [[NaN, '7']],
    [[1.9, 3.9]],
    [[undefined, 4]],
    [[null, null]],
    [[Infinity]],
    [[-Infinity, Infinity]],
  ])('is the one that typed arrays give: subarray(%j)', (args) => {
    const view = make(makeHeap());
    const plain = Type.from(numbers);
    const [part, expected] = [view.subarray(...args), plain.subarray(...args)];
    expect([...part]).toEqual([...expected]);
    expect(part.byteOffset - view.byteOffset).toBe(expected.byteOffset);
    expect(part.constructor).toBe(view.constructor);
    expect(part.buffer).toBe(view.buffer);
    expect([...part.subarray(1)]).toEqual([...expected.subarray(1)]);
  });

  test('is refused by free, with the words that name the whole', () => {
    const heap = makeHeap();
    const view = make(heap);
    for (const part of [view.subarray(), view.subarray(2, 5), view.subarray(2).subarray(1)]) {
      for (const free of [() => heap.free(part), () => part.free()]) {
        expect(facts(refusal(heap, free))).toEqual({
          ...FOREIGN,
          message: `The view is part of a buffer: free that one, of ${view.byteLength} bytes at byteOffset ${view.byteOffset}`,
        });
      }
      const before = heap.stats();
      if (dispose) part[dispose]();
      expect(heap.stats()).toEqual(before);
      expect(heap.retained(part)).toBe(PAGE);
      expect(heap.exportsOf(part)).toBe(heap.exportsOf(view));
      expect(heap.keep(part)).toBe(part);
    }
    expect([...view]).toEqual(numbers);
    const part = view.subarray(1);
    view.free();
    for (const call of ['free', 'retained', 'exportsOf', 'keep']) {
      expect(refusal(heap, () => heap[call](part)).code).toBe('ERR_BUFFER_FREED');
    }
    if (dispose) part[dispose]();
  });

  test.each([
    ['map', (view) => view.map((one) => one)],
    ['filter', (view) => view.filter(() => true)],
    ['slice', (view) => view.slice()],
  ])('made by %s is an ordinary array', (_, derive) => {
    const heap = makeHeap();
    const view = make(heap);
    const made = derive(view);
    expect(made.constructor).toBe(Type);
    expect(made.buffer).not.toBe(view.buffer);
    expect([...made]).toEqual(numbers);
    expect(facts(refusal(heap, () => heap.free(made)))).toEqual(FOREIGN);
    expect(heap.stats().live.buffers).toBe(1);
  });
});

describe('views of other types on the same bytes', () => {
  test('never free what is not theirs any more', () => {
    const heap = makeHeap();
    const first = heap.typed(Float64Array, 2);
    first.free();
    const second = heap.typed(Int32Array, 4);
    expect(second.byteOffset).toBe(first.byteOffset);
    expect(facts(refusal(heap, () => first.free()))).toEqual(FREED);
    expect(facts(refusal(heap, () => heap.exportsOf(first)))).toEqual(FREED);
    if (dispose) first[dispose]();
    expect(heap.stats().live.buffers).toBe(1);
    second.free();
    const third = heap.typed(Float64Array, 2);
    expect(third).not.toBe(second);
    expect(facts(refusal(heap, () => second.free()))).toEqual(FREED);
    third.free();
    expect(heap.stats().live.buffers).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('that a scope freed are freed', () => {
    const heap = makeHeap();
    let first;
    heap.scope(() => {
      first = heap.typed(Float64Array, 2);
    });
    const taken = [heap.alloc(16), heap.typed(Int32Array, 4)];
    expect(taken[0].byteOffset).toBe(first.byteOffset);
    expect(facts(refusal(heap, () => first.free()))).toEqual(FREED);
    if (dispose) first[dispose]();
    expect(heap.stats().live.buffers).toBe(2);
    const part = first.subarray(1);
    expect(facts(refusal(heap, () => heap.free(part)))).toEqual(FREED);
  });

  test('share cells with buffers of as many bytes', () => {
    const heap = makeHeap();
    const view = heap.typed(Uint32Array, 4);
    view.fill(-1);
    view.free();
    const buffer = heap.alloc(16);
    expect(buffer).toBeInstanceOf(HeapBuffer);
    expect(buffer.byteOffset).toBe(view.byteOffset);
    expect(buffer.every((byte) => byte === 0)).toBe(true);
    buffer.fill(0xff).free();
    const again = heap.typed(Uint32Array, 4);
    expect(again.byteOffset).toBe(view.byteOffset);
    expect([...again]).toEqual([0, 0, 0, 0]);
  });
});

describe('typed refuses', () => {
  class Mine extends Float64Array {}

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a name', 'Float64Array'],
    ['a number', 8],
    ['Array', Array],
    ['ArrayBuffer', ArrayBuffer],
    ['Buffer', Buffer],
    ['HeapBuffer', HeapBuffer],
    ['TypedArray', Object.getPrototypeOf(Uint8Array)],
    ['a subclass', Mine],
    ['a view', new Float64Array(1)],
    ['a prototype', Float64Array.prototype],
    ['a look-alike', { BYTES_PER_ELEMENT: 8, name: 'Float64Array' }],
    ['a proxy', new Proxy(Float64Array, {})],
    ['the class of its own views', makeHeap().typed(Int8Array, 1).constructor],
    ["another realm's", realm.Float32Array],
  ])('%s for a Type', (_, Type) => {
    const heap = makeHeap();
    const error = facts(refusal(heap, () => heap.typed(Type, 5)));
    expect({ ...error, message: '' }).toEqual({
      class: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: '',
    });
    expect(error.message).toMatch(
      /^The "Type" argument must be an ArrayBufferView constructor\. Received /,
    );
  });

  test('every hostile value, for the Type and for the length', () => {
    const heap = makeHeap();
    for (const [name, make] of Object.entries(HOSTILE)) {
      const error = facts(refusal(heap, () => heap.typed(make(), 5)));
      expect([name, error.code]).toEqual([name, 'ERR_INVALID_ARG_TYPE']);
      let refused;
      try {
        heap.typed(Float64Array, make()).free();
      } catch (thrown) {
        refused = thrown;
      }
      if (refused === undefined) continue;
      expect([name, refused.code]).toEqual([
        name,
        expect.stringMatching(/^ERR_(INVALID_ARG_TYPE|OUT_OF_RANGE|HEAP_EXHAUSTED)$/),
      ]);
      expect(refused.message).not.toMatch(INSIDE);
    }
    expect(heap.stats().live.buffers).toBe(0);
  });
});

describe('typed views that were tampered with', () => {
  test.each([
    ['a prototype that throws at everything', (view) => Object.setPrototypeOf(view, thorn)],
    ['no prototype', (view) => Object.setPrototypeOf(view, null)],
    ['a frozen object', (view) => Object.preventExtensions(view)],
    [
      'properties that lie',
      (view) => {
        for (const key of ['length', 'byteOffset', 'byteLength', 'buffer', 'constructor']) {
          Object.defineProperty(view, key, { value: 1 });
        }
      },
    ],
    [
      'a constructor that throws',
      (view) =>
        Object.defineProperty(view, 'constructor', {
          get() {
            throw new Error('touched');
          },
        }),
    ],
  ])('with %s are freed, and their cells given out', (_, tamper) => {
    const heap = makeHeap();
    for (const length of [3, 100, 20_000]) {
      const view = heap.typed(Float64Array, length);
      tamper(view);
      heap.free(view);
      expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
      heap.free(heap.typed(Float64Array, length));
      heap.free(heap.typed(BigInt64Array, length));
      heap.free(heap.alloc(length * 8));
      expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
      expect(heap.check()).toEqual([]);
    }
  });

  test('are not told apart by properties of a prototype', () => {
    const heap = makeHeap();
    for (const value of [heap.typed(Int8Array, 5), heap.typed(DataView, 5)]) {
      const proxy = new Proxy(value, {});
      expect(refusal(heap, () => heap.free(proxy)).code).toBe('ERR_INVALID_ARG_TYPE');
      expect(refusal(heap, () => heap.free(Object.create(value))).code).toBe(
        'ERR_INVALID_ARG_TYPE',
      );
      heap.free(value);
    }
  });

  test('methods of ours called on something else throw or do nothing', () => {
    const heap = makeHeap();
    const view = heap.typed(Float64Array, 3);
    const { free } = view;
    for (const self of [undefined, null, 5, {}, new Float64Array(3), heap.alloc(3)]) {
      expect(facts(caught(() => free.call(self))).code).toBe('ERR_NOT_IN_HEAP');
      if (dispose) view[dispose].call(self);
    }
    expect(heap.stats().live.buffers).toBe(2);
  });
});

test('typed is bound', () => {
  const { typed, free } = makeHeap();
  free(typed(Float64Array, 3));
});

test('typed views are in any region, and free and recycle there', () => {
  const heap = makeHeap({ regionSize: MIB, maxBytes: 4 * MIB });
  const views = Array.from({ length: 14 }, (_, i) => heap.typed(Float64Array, (12 + i) * KIB));
  expect(new Set(views.map((view) => view.buffer)).size).toBeGreaterThan(1);
  for (const [i, view] of views.entries()) view.fill(i);
  for (const [i, view] of views.entries()) {
    expect(view.every((one) => one === i)).toBe(true);
    expect(heap.retained(view)).toBe(Math.ceil(view.byteLength / PAGE) * PAGE);
    view.free();
  }
  heap.trim();
  expect(heap.stats().regions.length).toBe(1);
  expect(heap.check()).toEqual([]);
});

test('typed views that nobody refers to are collected, those of which there is a part are not', () => {
  const lines = resultOf(
    `
      const heap = await createHeap({ regionSize: 2 ** 20, maxBytes: 2 ** 20 });
      const settle = async () => {
        for (let i = 0; i < 4; i++) { gc(); await new Promise((done) => setTimeout(done, 5)); }
        heap.trim();
        return heap.stats().live.buffers;
      };
      const lines = [];
      for (const length of [100, 20_000]) {
        let part = heap.typed(Float64Array, length).fill(7).subarray(5, 9).subarray(1);
        lines.push([await settle(), [...part]]);
        part = undefined;
        lines.push(await settle());
        let whole = heap.typed(DataView, length);
        lines.push(await settle());
        whole = undefined;
        lines.push(await settle());
      }
      print(lines);
    `,
    { flags: ['--expose-gc'] },
  );
  const each = [[1, [7, 7, 7]], 0, 1, 0];
  expect(lines).toEqual([...each, ...each]);
});
