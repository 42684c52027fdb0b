import { createHash } from 'node:crypto';
import { inspect, types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import { Heap, HeapBuffer } from 'slabring';
import { bytesOf, caught, facts, MIB, makeHeap, textOf } from '../support/heap.js';

const TEXT = 'Hällo 😀 wörld\x00\xff, and 0123456789abcdef';

/** The same bytes as one of ours and as a plain Buffer. */
function pair(bytes = TEXT) {
  const plain = Buffer.from(bytes);
  return [makeHeap().from(bytes), plain];
}

/** What a call gives or throws, in a form that compares. */
function result(action) {
  try {
    const value = action();
    if (value instanceof Uint8Array) return { bytes: bytesOf(value).toString('hex') };
    return { value };
  } catch (error) {
    return facts(error);
  }
}

/** The same call on both: the same result, and the same bytes after it. */
function same(action, bytes) {
  const [ours, plain] = pair(bytes);
  expect(result(() => action(ours))).toEqual(result(() => action(plain)));
  expect(bytesOf(ours).toString('hex')).toBe(plain.toString('hex'));
}

const ENCODINGS = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url', 'nope'];

describe('a HeapBuffer is', () => {
  test('a Buffer', () => {
    const view = makeHeap().alloc(10);
    expect(Buffer.isBuffer(view)).toBe(true);
    expect(view instanceof Buffer).toBe(true);
  });

  test('a Uint8Array', () => {
    const view = makeHeap().alloc(10);
    expect(view instanceof Uint8Array).toBe(true);
    expect(view instanceof HeapBuffer).toBe(true);
    expect(types.isUint8Array(view)).toBe(true);
    expect(ArrayBuffer.isView(view)).toBe(true);
    expect(Object.prototype.toString.call(view)).toBe('[object Uint8Array]');
    expect(view.BYTES_PER_ELEMENT).toBe(1);
  });

  test('made by a heap only', () => {
    const memory = new ArrayBuffer(10);
    for (const args of [[], [10], [memory, 0, 10], [memory, 0, 10, {}, Symbol('slabring')]]) {
      expect(facts(caught(() => new HeapBuffer(...args)))).toEqual({
        class: 'TypeError',
        code: undefined,
        message: 'Illegal constructor: use heap.alloc() or heap.from()',
      });
    }
    expect(caught(() => HeapBuffer.from([1])).constructor.name).toBe('TypeError');
    expect(caught(() => HeapBuffer.of(1)).constructor.name).toBe('TypeError');
    expect(caught(() => HeapBuffer(1)).constructor.name).toBe('TypeError');
    expect(caught(() => Reflect.construct(HeapBuffer, [10])).constructor.name).toBe('TypeError');
    const view = makeHeap().alloc(1);
    expect(caught(() => new view.constructor(10)).constructor.name).toBe('TypeError');
  });

  test('named so', () => {
    expect(HeapBuffer.name).toBe('HeapBuffer');
    expect(makeHeap().alloc(1).constructor).toBe(HeapBuffer);
  });

  test('shown as a Buffer is', () => {
    const [ours, plain] = pair('abc');
    expect(inspect(ours)).toBe(inspect(plain).replace('Buffer', 'HeapBuffer'));
    expect(inspect(makeHeap().alloc(1000))).toMatch(/^<HeapBuffer 00 .* 950 more bytes>$/);
    expect(inspect(makeHeap().alloc(0))).toBe('<HeapBuffer >');
    expect(inspect({ deep: { view: ours } })).toContain('<HeapBuffer 61 62 63>');
  });

  test('without properties of its own', () => {
    expect(Reflect.ownKeys(makeHeap().alloc(0))).toEqual([]);
    expect(Object.keys(makeHeap().alloc(3))).toEqual(['0', '1', '2']);
  });
});

test('a Heap is made by createHeap only', () => {
  expect(facts(caught(() => new Heap()))).toEqual({
    class: 'TypeError',
    code: undefined,
    message: 'Illegal constructor: use createHeap()',
  });
  expect(makeHeap()).toBeInstanceOf(Heap);
  expect(Heap.name).toBe('Heap');
});

describe('Buffer methods give what they give on a Buffer:', () => {
  test.each(ENCODINGS)('toString, %s', (to) => {
    same((view) => view.toString(to));
    same((view) => view.toString(to.toUpperCase(), 3, 20));
    same((view) => view.toString(to, -5, 1000));
    same((view) => view.toString(to, 20, 3));
  });

  const READS = Object.keys(Buffer.prototype).filter((name) => /^read/.test(name));
  const WRITES = Object.keys(Buffer.prototype).filter((name) => /^write./.test(name));

  test.each(READS)('%s', (name) => {
    const width = /Int[LB]E$/.test(name) ? [1, 3, 6] : [undefined];
    for (const size of width) {
      for (const at of [0, 1, 7, undefined, 30, 44, 45, 46, 1000, -1, 1.5, '1', NaN]) {
        same((view) => view[name](at, size));
      }
    }
  });

  test.each(WRITES)('%s', (name) => {
    const width = /Int[LB]E$/.test(name) ? [1, 3, 6] : [undefined];
    const values = /Big/.test(name) ? [0n, 1n, 200n, 2n ** 70n] : [0, 1, -1, 100, 2.5, 2 ** 50];
    for (const size of width) {
      for (const value of values) {
        for (const at of [0, 7, undefined, 44, 46, -1, 1.5]) {
          same((view) => view[name](value, at, size));
        }
      }
    }
  });

  test.each(ENCODINGS)('write, %s', (to) => {
    for (const string of ['', 'abc', 'é€😀', '00ff', 'aGVsbG8=', 'x'.repeat(100)]) {
      same((view) => view.write(string, to));
      same((view) => view.write(string, 5, to));
      same((view) => view.write(string, 40, 4, to));
      same((view) => view.write(string, 1000, 4, to));
    }
  });

  test.each(ENCODINGS)('fill, %s', (to) => {
    for (const value of ['', 'ab', '😀', 'c3', 5, -1, Buffer.from('xy')]) {
      same((view) => view.fill(value, to));
      same((view) => view.fill(value, 3, 9, to));
      same((view) => view.fill(value, 3, 9000, to));
    }
  });

  test('equals and compare', () => {
    for (const other of [Buffer.from(TEXT), Buffer.from('a'), Buffer.alloc(0), 'a', null]) {
      same((view) => view.equals(other));
      same((view) => view.compare(other));
      same((view) => view.compare(other, 0, 1, 2, 5));
      same((view) => Buffer.compare(view, other));
      same((view) => Buffer.compare(other, view));
    }
    const [ours, plain] = pair();
    expect(ours.equals(ours) && ours.equals(plain) && plain.equals(ours)).toBe(true);
  });

  test('indexOf, lastIndexOf and includes', () => {
    for (const value of ['w', 'ö', 'zz', '', 0xff, 300, Buffer.from('0123'), new Uint8Array(0)]) {
      for (const at of [undefined, 0, 5, -10, 1000]) {
        for (const to of ['utf8', 'latin1', 'utf16le', 'hex']) {
          same((view) => view.indexOf(value, at, to));
          same((view) => view.lastIndexOf(value, at, to));
          same((view) => view.includes(value, at, to));
        }
      }
    }
  });

  test.each(['swap16', 'swap32', 'swap64'])('%s', (name) => {
    for (const size of [0, 2, 7, 8, 16, 24, 160]) {
      same((view) => view[name](), Buffer.alloc(size, '0123456789'));
    }
  });

  test('copy, to and from', () => {
    const [ours, plain] = pair();
    const target = Buffer.alloc(20);
    expect(ours.copy(target, 3, 1, 12)).toBe(11);
    expect(target.subarray(3, 14)).toEqual(plain.subarray(1, 12));
    expect(Buffer.from('over').copy(ours, 2)).toBe(4);
    expect(ours.toString('latin1', 2, 6)).toBe('over');
    same((view) => view.copy(view, 5, 0, 10));
    same((view) => view.copy(Buffer.alloc(5), 9));
    same((view) => view.copy(null));
  });

  test.each([
    ['subarray', (view, ...args) => view.subarray(...args)],
    ['slice', (view, ...args) => view.slice(...args)],
  ])('%s shares the memory and is a Buffer', (_, derive) => {
    for (const args of [[], [3], [3, 9], [-5], [-5, -2], [9, 3], [0, 1000], [NaN, '7'], [1.9]]) {
      same((view) => derive(view, ...args));
    }
    const view = makeHeap().from('0123456789');
    const part = derive(view, 2, 5);
    expect(Buffer.isBuffer(part)).toBe(true);
    expect(part).toBeInstanceOf(HeapBuffer);
    part[0] = 0x58;
    expect(textOf(view)).toBe('01X3456789');
    expect(part.buffer).toBe(view.buffer);
  });

  test('toJSON', () => {
    same((view) => view.toJSON());
    same((view) => JSON.stringify(view));
    expect(Buffer.from(JSON.parse(JSON.stringify(makeHeap().from(TEXT)))).toString()).toBe(TEXT);
  });

  test.each([
    ['map', (view) => view.map((byte) => byte + 1)],
    ['filter', (view) => view.filter((byte) => byte % 2)],
    ['Uint8Array.prototype.slice', (view) => Uint8Array.prototype.slice.call(view, 1, 9)],
  ])('%s, in ordinary memory', (_, derive) => {
    same(derive);
    const view = makeHeap().from(TEXT);
    const made = derive(view);
    expect(made.buffer).not.toBe(view.buffer);
    expect(made).not.toBeInstanceOf(HeapBuffer);
    expect(Buffer.isBuffer(made)).toBe(Buffer.isBuffer(derive(Buffer.from(TEXT))));
  });

  test('Uint8Array.prototype.subarray, in the same memory', () => {
    const view = makeHeap().from(TEXT);
    const part = Uint8Array.prototype.subarray.call(view, 1, 9);
    expect(part.buffer).toBe(view.buffer);
    expect(part.byteOffset).toBe(view.byteOffset + 1);
    expect(part).not.toBeInstanceOf(HeapBuffer);
  });

  test('what Uint8Array has', () => {
    same((view) => view.at(-1));
    same((view) => view.at(1000));
    same((view) => view.join('-'));
    same((view) => view.find((byte) => byte > 100));
    same((view) => view.findIndex((byte) => byte > 1000));
    same((view) => view.reduce((sum, byte) => sum + byte, 0));
    same((view) => view.every((byte) => byte > 0));
    same((view) => view.some((byte) => byte === 0));
    same((view) => view.reverse());
    same((view) => view.sort());
    same((view) => view.set([1, 2, 3], 4));
    same((view) => view.set([1, 2, 3], 1000));
    same((view) => view.copyWithin(0, 5, 9));
    same((view) => [...view]);
    same((view) => [...view.entries()]);
    same((view) => [...view.keys()]);
    same((view) => Array.from(view));
    same((view) => Object.entries(view));
    same((view) => view.toLocaleString());
    same((view) => view[1000]);
    same((view) => view.length);
    same((view) => view.byteLength);
    same((view) => view.parent === view.buffer);
    same((view) => view.offset === view.byteOffset);
  });

  test('what takes Buffers', () => {
    same((view) => Buffer.concat([view, view]));
    same((view) => Buffer.concat([view, Buffer.from('x')], 10));
    same((view) => Buffer.byteLength(view));
    same((view) => Buffer.from(view));
    same((view) => new Uint8Array(view));
    same((view) => Uint8Array.from(view));
    same((view) => new TextDecoder('latin1').decode(view));
    same((view) => new TextEncoder().encodeInto('hello', view).written);
    same((view) => createHash('sha256').update(view).digest('hex'));
    same((view) => structuredClone(Uint8Array.from(view)));
    same((view) => new DataView(view.buffer, view.byteOffset, view.length).getUint32(4));
    same((view) => btoa(view.latin1Slice(0, 5)));
    same((view) => crypto.getRandomValues(view.fill(0)).length && view.fill(1));
  });

  test('storing past the end or odd values', () => {
    same((view) => {
      view[3] = 300;
      view[4] = -1;
      view[5] = '7';
      view[1000] = 5;
      view['-0'] = 5;
      return view.length;
    });
  });
});

describe('buffers of a heap', () => {
  test('do not overlap', () => {
    const heap = makeHeap();
    const views = [1, 15, 16, 17, 100, 1, 5000, 70_000].map((size, i) => heap.alloc(size, i + 1));
    for (const [i, view] of views.entries()) {
      expect(view.every((byte) => byte === i + 1)).toBe(true);
    }
  });

  test('view the same memory as WebAssembly', () => {
    const heap = makeHeap();
    const view = heap.alloc(100, 'x');
    heap.exportsOf(view).sr_zero(view.byteOffset, 50);
    expect(bytesOf(view).equals(Buffer.concat([Buffer.alloc(50), Buffer.alloc(50, 'x')]))).toBe(
      true,
    );
  });

  test('never detach, whatever the heap does', () => {
    const heap = makeHeap();
    const view = heap.from('still here');
    const memory = view.buffer;
    for (let i = 0; i < 20; i++) {
      const large = heap.alloc(500_000, i);
      const small = Array.from({ length: 500 }, () => heap.alloc(i + 1));
      caught(() => heap.alloc(MIB));
      for (const one of small) heap.free(one);
      heap.free(large);
      heap.trim();
      heap.stats();
      heap.check();
    }
    heap.dispose();
    expect(view.buffer).toBe(memory);
    expect(memory.byteLength).toBe(MIB);
    expect(textOf(view)).toBe('still here');
  });

  test('are in a memory that nobody gets hold of, to grow it or not', () => {
    const heap = makeHeap();
    const exports = Object.values(heap.exportsOf(heap.from('still here')));
    expect(exports.filter((value) => value instanceof WebAssembly.Memory)).toEqual([]);
  });
});

describe('the memory of a heap cannot be taken away', () => {
  // Node 20 copies all of it instead, later ones refuse.
  const attempts = {
    'structuredClone of the memory': (buffer) => structuredClone(buffer, { transfer: [buffer] }),
    'structuredClone of something else': (buffer) => structuredClone(1, { transfer: [buffer] }),
    'a MessagePort': (buffer) => {
      const { port1, port2 } = new MessageChannel();
      try {
        port1.postMessage(buffer, [buffer]);
      } finally {
        port1.close();
        port2.close();
      }
    },
    'ArrayBuffer.prototype.transfer': (buffer) => buffer.transfer(),
    'ArrayBuffer.prototype.resize': (buffer) => buffer.resize(0),
  };

  test.each(Object.keys(attempts))('by %s', (name) => {
    const heap = makeHeap();
    const view = heap.from('still here');
    try {
      attempts[name](view.buffer);
    } catch (error) {
      expect(['DataCloneError', 'TypeError']).toContain(error.name);
    }
    expect(view.buffer.byteLength).toBe(MIB);
    expect(textOf(view)).toBe('still here');
    expect(textOf(heap.from('and works'))).toBe('and works');
    expect(heap.check()).toEqual([]);
  });
});

describe('toArrayBuffer', () => {
  test.each([0, 1, 7, 8, 100, 32_768, 100_000])('copies exactly: %p bytes', (size) => {
    const heap = makeHeap();
    const view = heap.alloc(size, '0123456789');
    const copy = view.toArrayBuffer();
    expect(Object.prototype.toString.call(copy)).toBe('[object ArrayBuffer]');
    expect(copy.byteLength).toBe(size);
    expect(Buffer.from(copy).equals(Buffer.alloc(size, '0123456789'))).toBe(true);
  });

  test('has memory of its own', () => {
    const heap = makeHeap();
    const view = heap.from('mine');
    const [one, two] = [view.toArrayBuffer(), view.toArrayBuffer()];
    expect(one).not.toBe(two);
    expect(one).not.toBe(view.buffer);
    view.fill(0x78);
    expect(Buffer.from(one).toString()).toBe('mine');
    new Uint8Array(one).fill(0);
    expect(Buffer.from(two).toString()).toBe('mine');
    expect(textOf(view)).toBe('xxxx');
  });

  test('outlives the buffer and the heap', () => {
    const heap = makeHeap();
    const view = heap.from('mine');
    const copy = view.toArrayBuffer();
    view.free();
    heap.dispose();
    expect(Buffer.from(copy).toString()).toBe('mine');
  });

  test('throws after free, and works again when handed out again', () => {
    const heap = makeHeap();
    for (const size of [0, 4, 100_000]) {
      const view = heap.alloc(size);
      view.free();
      expect(facts(caught(() => view.toArrayBuffer()))).toEqual({
        class: 'Error',
        code: 'ERR_BUFFER_FREED',
        message: 'The buffer has already been freed',
      });
    }
    const view = heap.alloc(4);
    expect(view.toArrayBuffer().byteLength).toBe(4);
  });

  test('can be cloned, transferred and posted', async () => {
    const view = makeHeap().from('to go');
    expect(Buffer.from(structuredClone(view.toArrayBuffer())).toString()).toBe('to go');
    const copy = view.toArrayBuffer();
    const moved = structuredClone(copy, { transfer: [copy] });
    expect([copy.byteLength, moved.byteLength]).toEqual([0, 5]);
    const { port1, port2 } = new MessageChannel();
    const received = new Promise((resolve) => {
      port2.onmessage = ({ data }) => resolve(data);
    });
    const posted = view.toArrayBuffer();
    port1.postMessage(posted, [posted]);
    expect(Buffer.from(await received).toString()).toBe('to go');
    port1.close();
    expect(posted.byteLength).toBe(0);
    expect(textOf(view)).toBe('to go');
  });

  test('is not fooled by properties put onto the buffer', () => {
    const view = makeHeap().from('mine');
    for (const [name, value] of Object.entries({
      length: 100,
      byteLength: 100,
      byteOffset: 0,
      buffer: new ArrayBuffer(3),
      constructor: Array,
      [Symbol.iterator]: undefined,
    })) {
      Object.defineProperty(view, name, { value });
    }
    Object.defineProperty(view, Symbol.iterator, { value: () => [][Symbol.iterator]() });
    expect(Buffer.from(view.toArrayBuffer()).toString()).toBe('mine');
  });

  test.each([
    ['undefined', undefined],
    ['a Buffer', Buffer.alloc(5)],
    ['an object that inherits from it', Object.create(HeapBuffer.prototype)],
  ])('throws a TypeError when called on %s', (_, self) => {
    expect(caught(() => HeapBuffer.prototype.toArrayBuffer.call(self)).constructor.name).toBe(
      'TypeError',
    );
  });
});
