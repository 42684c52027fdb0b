/** slabring/inline: the module is inside, and all else is slabring's own. */

import { readFileSync } from 'node:fs';
import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as slabring from 'slabring';
import * as inline from 'slabring/inline';
import { inflate } from '../../js/inflate.js';
import { resultOf } from '../support/child.js';
import { caught, facts, MIB, WASM_URL, wasmModule } from '../support/heap.js';

const INLINE = new URL('../../dist/inline.js', import.meta.url).href;
const bytes = readFileSync(WASM_URL);

const works = (heap) => {
  expect(heap.stats().reserved).toBe(MIB);
  expect(heap.from('works').toString()).toBe('works');
  expect(heap.check()).toEqual([]);
};

describe('the package', () => {
  test('exports what slabring does, the very same but for the makers of heaps', () => {
    const { createHeap, createHeapSync, ...rest } = inline;
    const { createHeap: plain, createHeapSync: plainSync, ...others } = slabring;
    expect({ ...rest }).toEqual({ ...others });
    expect([createHeap === plain, createHeapSync === plainSync]).toEqual([false, false]);
  });

  test.each([
    ['createHeapSync()', () => inline.createHeapSync(undefined, { regionSize: MIB })],
    ['createHeapSync with a module', () => inline.createHeapSync(wasmModule, { regionSize: MIB })],
    ['createHeapSync with bytes', () => inline.createHeapSync(bytes, { regionSize: MIB })],
    ['createHeap()', () => inline.createHeap({ regionSize: MIB })],
    ['createHeap with a path', () => inline.createHeap({ regionSize: MIB, wasm: WASM_URL })],
    [
      'createHeap with a promise of a module',
      () => inline.createHeap({ regionSize: MIB, wasm: Promise.resolve(wasmModule) }),
    ],
    [
      'createHeap with a promise of nothing',
      () => inline.createHeap({ regionSize: MIB, wasm: Promise.resolve() }),
    ],
  ])('%s makes a heap', async (_, make) => {
    works(await make());
  });

  test('its heaps are of the classes of slabring', () => {
    const heap = inline.createHeapSync(undefined, { regionSize: MIB });
    expect(heap).toBeInstanceOf(slabring.Heap);
    expect(heap.alloc(1)).toBeInstanceOf(slabring.HeapBuffer);
  });

  test('holds the module that is beside it, and compiles it once, from no file and no fetch', () => {
    expect(
      resultOf(`
        import fs from 'node:fs/promises';
        const { Module } = WebAssembly;
        const compiled = [];
        WebAssembly.Module = class {
          static customSections = Module.customSections;
          static [Symbol.hasInstance](value) { return value instanceof Module; }
          constructor(bytes) { compiled.push(Buffer.from(bytes).toString('base64')); return new Module(bytes); }
        };
        const inline = await import(${JSON.stringify(INLINE)});
        fs.readFile = globalThis.fetch = WebAssembly.compile = () => { throw new Error('loads'); };
        const before = compiled.length;
        inline.createHeapSync();
        inline.createHeapSync();
        await inline.createHeap();
        print({ before, compiled });
      `),
    ).toEqual({ before: 0, compiled: [bytes.toString('base64')] });
  });

  test.each([[null], [5], ['x'], [[]], [{ maxBytes: 'x' }], [{ regionSize: -1 }]])(
    'refuses options as slabring does: %j',
    async (options) => {
      const theirs = await slabring.createHeap(options).catch(facts);
      expect(await inline.createHeap(options).catch(facts)).toEqual(theirs);
      expect(facts(caught(() => inline.createHeapSync(undefined, options)))).toEqual(
        facts(caught(() => slabring.createHeapSync(wasmModule, options))),
      );
    },
  );

  test.each([[null], [5], ['x'], [{}]])(
    'refuses what is no module as slabring does: %j',
    (wasm) => {
      expect(facts(caught(() => inline.createHeapSync(wasm)))).toEqual(
        facts(caught(() => slabring.createHeapSync(wasm))),
      );
    },
  );
});

describe('inflate', () => {
  const STRATEGIES = {
    stored: { level: 0 },
    'fixed codes': { strategy: constants.Z_FIXED },
    'dynamic codes': { level: 9 },
    'codes without lengths': { strategy: constants.Z_HUFFMAN_ONLY },
    runs: { strategy: constants.Z_RLE },
  };

  test.each(Object.keys(STRATEGIES))('gives back what zlib packed: %s', (name) => {
    const packed = deflateRawSync(bytes, STRATEGIES[name]);
    expect(Buffer.from(inflate(packed, bytes.length)).equals(bytes)).toBe(true);
  });

  test('gives back anything that zlib packed', () => {
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 0, max: 3000 }))
        .map(([part, times]) =>
          Uint8Array.from({ length: times }, (_, i) => part[i % part.length]),
        ),
    );
    fc.assert(
      fc.property(data, fc.constantFrom(...Object.values(STRATEGIES)), (data, options) => {
        const unpacked = inflate(deflateRawSync(data, options), data.length);
        expect(Buffer.compare(unpacked, Buffer.from(data))).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('the longest match and the farthest', () => {
    const data = new Uint8Array(40_000);
    for (let i = 0; i < 300; i++) data[i] = (i * 7919) >> 3;
    data.copyWithin(32_768, 0, 300);
    const packed = deflateRawSync(data, { level: 9 });
    expect(Buffer.compare(inflate(packed, data.length), Buffer.from(data))).toBe(0);
  });

  test('what is broken ends in an error, never in a loop or in something else', () => {
    const packed = deflateRawSync(bytes, { level: 9 });
    for (let end = 0; end < packed.length; end += 97) {
      expect(() => inflate(packed.subarray(0, end), bytes.length)).toThrow(RangeError);
    }
    expect(() => inflate(packed, bytes.length - 1)).toThrow('longer than it should be');
    expect(() => inflate(packed, bytes.length + 1)).toThrow('shorter than it should be');
    expect(() => inflate(Uint8Array.of(0b111), 1)).toThrow('no known kind');
  });

  test('any change of any byte ends in an error or in as many bytes', () => {
    const packed = deflateRawSync(bytes.subarray(0, 3000), { level: 9 });
    for (let at = 0; at < packed.length; at += 3) {
      const changed = Uint8Array.from(packed);
      changed[at] ^= 1 << (at % 8);
      let unpacked;
      try {
        unpacked = inflate(changed, 3000);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        continue;
      }
      expect(unpacked.length).toBe(3000);
    }
  });
});
