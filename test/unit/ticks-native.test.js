/** C++ and JavaScript in one queue: test/support/native_ticks.cpp. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHeapSync } from 'slabring';
import { caught, MIB } from '../support/heap.js';

const compiled = (preset) =>
  new WebAssembly.Module(
    readFileSync(new URL(`../../build/${preset}/native_ticks.wasm`, import.meta.url)),
  );
let module;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function make(options) {
  const heap = createHeapSync(module, {
    regionSize: 2 * MIB,
    maxBytes: options?.regionSize ?? 2 * MIB,
    ...options,
  });
  const buffer = heap.alloc(1);
  const kernels = heap.exportsOf(buffer);
  /** [mark, execution id, trigger id] of each tick that noted itself. */
  const notes = () =>
    Array.from({ length: kernels.note_count() }, (_, i) => [
      ...new Float64Array(buffer.buffer, kernels.notes() + i * 24, 3),
    ]);
  return { heap, kernels, notes, marks: () => notes().map(([mark]) => mark) };
}

describe.each(['wasm-release', 'wasm-debug'])('native ticks, %s', (preset) => {
  beforeAll(() => {
    module = compiled(preset);
  });

  test('are run by the host soon, though JavaScript never asked for the queue', async () => {
    const { kernels, marks } = make();
    kernels.push_note(1);
    kernels.push_note(2);
    expect(marks()).toEqual([]);
    await settled();
    expect(marks()).toEqual([1, 2]);
    kernels.push_note(3);
    await settled();
    expect(marks()).toEqual([1, 2, 3]);
  });

  test('run with JavaScript’s in the order of pushing', async () => {
    const { heap, kernels, marks } = make();
    const expected = [];
    for (let i = 0; i < 4000; i++) {
      expected.push(i);
      if ((i * 7919) % 5 < 2) kernels.push_note(i);
      else heap.nextTick(kernels.note, i);
    }
    expect(heap.ticks.size).toBe(4000);
    await settled();
    expect(marks()).toEqual(expected);
    expect(heap.ticks.size).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('push natives that come after what JavaScript pushed before', async () => {
    const { heap, kernels, marks } = make();
    kernels.push_nested(10);
    heap.nextTick(kernels.note, 20);
    heap.nextTick(() => kernels.push_nested(40));
    kernels.push_note(30);
    await settled();
    expect(marks()).toEqual([10, 20, 30, 11, 40, 41]);
  });

  test('have ids and triggers as JavaScript’s', async () => {
    const { heap, kernels, notes } = make();
    kernels.push_note(1);
    heap.nextTick(() => {
      kernels.note(2);
      kernels.push_note(3);
    });
    await settled();
    expect(notes()).toEqual([
      [1, 2, 1],
      [2, 3, 1],
      [3, 4, 3],
    ]);
    expect([heap.asyncIds.executionAsyncId(), heap.asyncIds.depth]).toEqual([1, 0]);
  });

  test('native segments before, between and after JavaScript’s', () => {
    const { heap, kernels } = make({ regionSize: 16 * MIB });
    let ran = 0;
    const tick = () => ran++;
    for (let round = 0; round < 4; round++) {
      kernels.push_counting(5000);
      for (let i = 0; i < 5000; i++) heap.nextTick(tick);
      kernels.push_counting(7000);
      for (let i = 0; i < 3; i++) heap.nextTick(tick);
      kernels.push_counting(2048);
      heap.ticks.drain();
      expect(kernels.count()).toBe((round + 1) * 14048);
      expect(ran).toBe((round + 1) * 5003);
      expect(heap.check()).toEqual([]);
    }
  });

  test('a trap comes to who drains; the rest run', () => {
    const { heap, kernels, marks } = make();
    kernels.push_note(1);
    kernels.push_trap();
    kernels.push_note(2);
    heap.nextTick(kernels.note, 3);
    expect(caught(() => heap.ticks.drain()).name).toBe('RuntimeError');
    expect([heap.asyncIds.executionAsyncId(), heap.asyncIds.depth]).toEqual([1, 0]);
    heap.ticks.drain();
    expect(marks()).toEqual([1, 2, 3]);
  });

  test('a burst of 1e6 crosses into JavaScript once, and back once', async () => {
    const { Instance } = WebAssembly;
    const calls = {};
    const counting = (functions) =>
      Object.fromEntries(
        Object.entries(functions).map(([name, value]) => [
          name,
          typeof value !== 'function'
            ? value
            : (...args) => {
                calls[name] = (calls[name] ?? 0) + 1;
                return value(...args);
              },
        ]),
      );
    WebAssembly.Instance = function counted(module, imports) {
      const wrapped = Object.fromEntries(
        Object.entries(imports).map(([name, functions]) => [name, counting(functions)]),
      );
      return { exports: counting(new Instance(module, wrapped).exports) };
    };
    try {
      const { heap, kernels } = make({ regionSize: 128 * MIB });
      for (const name of Object.keys(calls)) delete calls[name];
      expect(kernels.push_counting(1e6)).toBe(1e6);
      await settled();
      expect(kernels.count()).toBe(1e6);
      expect(calls.sr_schedule).toBe(1);
      expect(calls.sr_tick_run_native).toBe(1);
      expect(heap.stats().live.bytes).toBeLessThan(MIB);
    } finally {
      WebAssembly.Instance = Instance;
    }
  });

  test('a full heap refuses them', () => {
    const { heap, kernels } = make();
    const pushed = kernels.push_counting(1e6);
    expect(pushed).toBeLessThan(1e6);
    heap.ticks.drain();
    expect(kernels.count()).toBe(pushed);
    heap.dispose();
    expect(kernels.push_counting(1)).toBe(0);
  });
});

describe('in a region that is not the first', () => {
  beforeAll(() => {
    module = compiled('wasm-release');
  });

  test('native ticks run among JavaScript’s, where the first of them was pushed', async () => {
    const heap = createHeapSync(module, { regionSize: MIB, maxBytes: 8 * MIB });
    let far = heap.alloc(1);
    // The queue of JavaScript's ticks is in the first region.
    heap.nextTick(() => {});
    while (heap.stats().regions.length === 1) far = heap.alloc(MIB / 16);
    const kernels = heap.exportsOf(far);
    const seen = [];
    const look = () => seen.push(kernels.note_count());
    for (let round = 0; round < 2; round++) {
      heap.nextTick(look);
      kernels.push_note(1);
      kernels.push_note(2);
      heap.nextTick(look);
      await settled();
    }
    expect(seen).toEqual([0, 2, 2, 4]);
    expect(heap.check()).toEqual([]);
  });
});
