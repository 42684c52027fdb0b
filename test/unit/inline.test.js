/** slabring/inline: the module is inside, and all else is slabring's own. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as slabring from 'slabring';
import * as inline from 'slabring/inline';
import { resultOf } from '../support/child.js';
import { caught, facts, MIB, WASM_URL, wasmModule } from '../support/heap.js';

const INLINE = new URL('../../dist/inline.js', import.meta.url).href;
const bytes = readFileSync(WASM_URL);

const works = (heap) => {
  expect(heap.stats().reserved).toBe(MIB);
  expect(new TextDecoder().decode(heap.from('works'))).toBe('works');
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
