/** C++ and JavaScript in one arena: test/support/native_arena.cpp. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHeapSync } from 'slabring';
import { MIB } from '../support/heap.js';

const compiled = (preset) =>
  new WebAssembly.Module(
    readFileSync(new URL(`../../build/${preset}/native_arena.wasm`, import.meta.url)),
  );
let module;

function make(size = 1000, regionSize = 2 * MIB) {
  const heap = createHeapSync(module, { regionSize });
  const arena = heap.arena({ size });
  return { heap, arena, kernels: arena.exports };
}

describe.each(['wasm-release', 'wasm-debug'])('C++ in an arena, %s', (preset) => {
  beforeAll(() => {
    module = compiled(preset);
  });

  test('exports are those of the instance that has the memory', () => {
    const { heap, arena } = make();
    expect(arena.exports).toBe(heap.exportsOf(heap.alloc(1)));
  });

  test('allocates in turns with JavaScript', () => {
    const { heap, arena, kernels } = make();
    const first = arena.alloc(24);
    expect(kernels.arena_alloc(arena.handle, 24, 8)).toBe(first + 24);
    expect(arena.alloc(1)).toBe(first + 48);
    expect(kernels.arena_alloc(arena.handle, 1, 1)).toBe(first + 49);
    expect(kernels.arena_alloc(arena.handle, 1, 64) % 64).toBe(0);
    expect(arena.used).toBe(kernels.arena_mark(arena.handle) - first);
    expect(heap.check()).toEqual([]);
  });

  test('is full for one when it is for the other', () => {
    const { arena, kernels } = make(100);
    arena.alloc(60);
    expect(kernels.arena_alloc(arena.handle, 40, 8)).toBe(0);
    expect(kernels.arena_alloc(arena.handle, 36, 8)).not.toBe(0);
    expect(() => arena.alloc(1)).toThrow('Cannot allocate 1 bytes in the arena: 100 bytes used');
    for (const bytes of [1, 2 ** 31, 2 ** 32 - 1]) {
      expect(kernels.arena_alloc(arena.handle, bytes, 8)).toBe(0);
    }
    expect(arena.used).toBe(100);
  });

  test('resets what JavaScript allocated, and the reverse', () => {
    const { arena, kernels } = make();
    const mark = kernels.arena_mark(arena.handle);
    arena.alloc(100);
    expect(kernels.arena_reset(arena.handle, mark)).toBe(1);
    expect(arena.used).toBe(0);
    expect(kernels.arena_reset(arena.handle, mark + 1)).toBe(0);
    const ours = arena.mark();
    kernels.arena_alloc(arena.handle, 300, 8);
    arena.reset(ours);
    expect(arena.used).toBe(0);
    expect(arena.highWater).toBe(300);
    expect(kernels.arena_high_water(arena.handle)).toBe(300);
  });

  test('works on pointers and on addresses', () => {
    const { arena, kernels } = make();
    const { f64 } = arena;
    const a = arena.alloc(24);
    const b = arena.alloc(24);
    f64.set([1, 2, 3], a >> 3);
    f64.set([10, 20, 30], b >> 3);
    const sum = kernels.add3(arena.handle, a, b);
    expect([...arena.view(Float64Array, sum, 3)]).toEqual([11, 22, 33]);
    expect(kernels.squared_length3(arena.address(sum))).toBe(11 * 11 + 22 * 22 + 33 * 33);
    arena.alloc(920);
    expect(kernels.add3(arena.handle, a, b)).toBe(0);
  });

  test('works past 2 GiB', () => {
    const { heap, arena: low } = make(8, 4096 * MIB);
    heap.allocUnsafeSlow(2500 * MIB);
    const arena = heap.arena({ size: 1000 });
    expect(arena.handle - low.handle).toBeGreaterThan(2500 * MIB);
    const a = arena.alloc(24);
    arena.f64.set([1, 2, 3], a >> 3);
    const sum = arena.exports.add3(arena.handle, a, a);
    expect([...arena.view(Float64Array, sum, 3)]).toEqual([2, 4, 6]);
    expect(arena.exports.squared_length3(arena.address(sum))).toBe(56);
  });
});

test('a build with assertions tells what is wrong with an arena', () => {
  module = compiled('wasm-debug');
  const { heap, arena } = make();
  arena.alloc(8);
  expect(heap.check()).toEqual([]);
  const words = new Int32Array(arena.u8.buffer, arena.handle, 4);
  const at = words.indexOf(arena.alloc(0));
  words[at] += 1000;
  expect(heap.check()).toEqual(["an arena's top is outside of it"]);
});
