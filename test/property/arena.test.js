import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeapSync } from 'slabring';
import { bytesOf, caught, MIB, PAGE } from '../support/heap.js';
import { FACTOR, withHeaps } from '../support/runs.js';

function ensure(truth, what) {
  if (!truth) throw new Error(`${what}: not so`);
}

/** What an arena should be: a list of blocks with a copy of their bytes. */
class Model {
  blocks = [];
  marks = [];
  kept = [];
  used = 0;
  most = 0;
  #next = 1;

  constructor(heap, size) {
    this.heap = heap;
    this.size = size;
    this.arena = heap.arena({ size });
    this.first = this.arena.alloc(0, 1);
  }

  alloc(bytes, alignment, how) {
    const { arena, first } = this;
    const { handle, exports } = arena;
    const from = Math.ceil((first + this.used) / alignment) * alignment - first;
    const fits = from + bytes <= this.size;
    let pointer;
    if (how === 'native') {
      pointer = exports.arena_alloc(handle, bytes, alignment);
      ensure(fits === (pointer !== 0), 'C++ gets a pointer where there is room');
      if (!fits) return;
    } else {
      const call = () => arena[how](bytes, alignment);
      if (!fits) {
        expect(caught(call).code).toBe('ERR_HEAP_EXHAUSTED');
        return;
      }
      pointer = call();
    }
    ensure(pointer === first + from, 'the pointer is the next one');
    ensure(arena.address(pointer) % alignment === 0, 'the address is aligned');
    if (how === 'allocZeroed') {
      const zeroed = arena.u8.subarray(pointer, pointer + bytes);
      ensure(
        zeroed.every((byte) => byte === 0),
        'it is zero',
      );
    }
    this.used = from + bytes;
    this.most = Math.max(this.most, this.used);
    const content = Buffer.alloc(bytes, this.#next++ & 255);
    arena.u8.set(content, pointer);
    this.blocks.push({ pointer, content });
  }

  pick(number) {
    return this.blocks[number % this.blocks.length];
  }

  mark() {
    this.marks.push({ mark: this.arena.mark(), blocks: this.blocks.length, used: this.used });
  }

  reset(number) {
    // One past the last is no mark: everything.
    const which = number % (this.marks.length + 1);
    const { mark, blocks, used } = this.marks[which] ?? { blocks: 0, used: 0 };
    this.arena.reset(mark);
    if (mark === undefined) this.marks = [];
    else this.marks.length = which + 1;
    // A later mark is none any more, unless it is as far.
    this.blocks.length = blocks;
    this.used = used;
  }

  staleMark() {
    const mark = this.arena.mark() + 1;
    expect(caught(() => this.arena.reset(mark)).code).toBe('ERR_OUT_OF_RANGE');
  }

  materialize(number) {
    if (this.blocks.length === 0) return;
    const { pointer, content } = this.pick(number);
    const buffer = this.arena.materialize(pointer, content.length);
    this.kept.push({ buffer, content: Buffer.from(content) });
  }

  copy(number, at) {
    if (this.blocks.length === 0) return;
    const { pointer, content } = this.pick(number);
    const target = new Uint8Array(at + content.length + 2).fill(0xee);
    this.arena.copyContents(pointer, content.length, target, at);
    const expected = Buffer.alloc(at + content.length + 2, 0xee);
    content.copy(expected, at);
    ensure(bytesOf(target).equals(expected), 'the copy is exact');
  }

  write(number, byte) {
    if (this.blocks.length === 0) return;
    const { pointer, content } = this.pick(number);
    this.arena.view(Uint8Array, pointer, content.length).fill(byte);
    content.fill(byte);
  }

  beyond(number) {
    const past = this.first + this.used + 1 + number;
    expect(caught(() => this.arena.view(Uint8Array, past, 0)).code).toBe('ERR_OUT_OF_RANGE');
    if (this.blocks.length === 0) return;
    const { pointer } = this.pick(number);
    const length = this.first + this.used - pointer + 1;
    expect(caught(() => this.arena.materialize(pointer, length)).code).toBe('ERR_OUT_OF_RANGE');
  }

  verify() {
    const { arena, heap } = this;
    expect([arena.used, arena.highWater, arena.size]).toEqual([this.used, this.most, this.size]);
    for (const { pointer, content } of this.blocks) {
      const bytes = arena.u8.subarray(pointer, pointer + content.length);
      ensure(bytesOf(bytes).equals(content), 'a block keeps its bytes');
    }
    for (const { buffer, content } of this.kept) {
      ensure(bytesOf(buffer).equals(content), 'a copy outlives resets');
    }
    expect(heap.check()).toEqual([]);
  }

  end() {
    this.arena.dispose();
    for (const { buffer, content } of this.kept) {
      ensure(bytesOf(buffer).equals(content), 'a copy outlives the arena');
      this.heap.free(buffer);
    }
    this.heap.trim();
    expect(this.heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    expect(this.heap.stats().regions[0].inUse).toBe(0);
    expect(this.heap.check()).toEqual([]);
  }
}

const bytes = fc.oneof(
  { weight: 5, arbitrary: fc.nat(40) },
  { weight: 1, arbitrary: fc.nat(700) },
  { weight: 1, arbitrary: fc.constantFrom(PAGE, 2 ** 31, 2 ** 32 - 1) },
);
const alignment = fc.oneof(
  { weight: 3, arbitrary: fc.constant(8) },
  { weight: 2, arbitrary: fc.nat(8).map((shift) => 2 ** shift) },
);
const pick = fc.nat(1000);
const how = fc.constantFrom('alloc', 'alloc', 'allocZeroed', 'native');

const step = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(fc.constant('alloc'), bytes, alignment, how) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('mark')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('reset'), pick) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('staleMark')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('materialize'), pick) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('copy'), pick, fc.nat(20)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('write'), pick, fc.nat(255)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('beyond'), pick) },
);

describe.each(['wasm-release', 'wasm-debug'])('an arena, %s', (preset) => {
  const wasm = new WebAssembly.Module(
    readFileSync(new URL(`../../build/${preset}/native_arena.wasm`, import.meta.url)),
  );

  test(
    'does what a simple model does',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 100, size: 'max' }),
          fc.integer({ min: 1, max: 2000 }),
          async (steps, size) => {
            const heap = createHeapSync(wasm, { regionSize: MIB });
            const model = new Model(heap, size);
            for (const [name, ...args] of steps) {
              model[name](...args);
              model.verify();
            }
            model.end();
            heap.dispose();
          },
        ),
        withHeaps(100),
      );
    },
    600_000 * FACTOR,
  );
});
