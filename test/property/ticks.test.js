/**
 * Random programs of ticks that push, drain from within and throw, JavaScript's and C++'s mixed over
 * many segments: whatever a program does, it notes the same marks, with the same ids, as on a plain
 * array.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeapSync } from 'slabring';
import { MIB } from '../support/heap.js';
import { FACTOR, times, withHeaps } from '../support/runs.js';

const RUNS = 300;

/** What the queue should be. */
class Model {
  #queue = [];
  #last = 1;
  #current = { id: 1, trigger: 0 };
  marks = [];

  note(mark) {
    this.marks.push([mark, this.#current.id, this.#current.trigger]);
  }
  #add(native, callback, args) {
    const tick = { id: ++this.#last, trigger: this.#current.id, native, callback, args };
    this.#queue.push(tick);
  }
  push(callback, ...args) {
    this.#add(false, callback, args);
  }
  pushNote(mark) {
    this.#add(true, () => this.note(mark), []);
  }
  pushMany(count, native) {
    for (let i = 0; i < count; i++) this.#add(native, () => {}, []);
  }
  #runWhile(goesOn) {
    const outer = this.#current;
    try {
      while (this.#queue.length > 0 && goesOn(this.#queue[0])) {
        this.#current = this.#queue.shift();
        this.#current.callback(...this.#current.args);
      }
    } finally {
      this.#current = outer;
    }
  }
  drain() {
    this.#runWhile(() => true);
  }
  runNative() {
    this.#runWhile(({ native }) => native);
  }
  get size() {
    return this.#queue.length;
  }
}

class Real {
  constructor(module) {
    this.heap = createHeapSync(module, { regionSize: 2 * MIB });
    this.buffer = this.heap.alloc(1);
    this.kernels = this.heap.exportsOf(this.buffer);
    this.push = this.heap.nextTick;
  }
  note(mark) {
    this.kernels.note(mark);
  }
  pushNote(mark) {
    this.kernels.push_note(mark);
  }
  pushMany(count, native) {
    if (native) this.kernels.push_counting(count);
    else for (let i = 0; i < count; i++) this.push(() => {});
  }
  drain() {
    this.heap.ticks.drain();
  }
  runNative() {
    this.kernels.sr_tick_run_native();
  }
  get size() {
    return this.heap.ticks.size;
  }
  get marks() {
    const { buffer } = this.buffer;
    const at = this.kernels.notes();
    return Array.from({ length: this.kernels.note_count() }, (_, i) => [
      ...new Float64Array(buffer, at + i * 24, 3),
    ]);
  }
}

/** Does the steps of one tick; marks count up as they are met. */
function perform(queue, steps, counter) {
  for (const step of steps) {
    const mark = ++counter.mark;
    switch (step.do) {
      case 'tick':
        queue.push(
          (...args) => {
            queue.note(8 * mark + args.length);
            perform(queue, step.steps, counter);
          },
          ...Array(step.args).fill(mark),
        );
        break;
      case 'notes':
        for (let i = 0; i < step.count; i++) {
          if (step.native) queue.pushNote(8 * mark + i);
          else queue.push(() => queue.note(8 * mark + i));
        }
        break;
      case 'many':
        queue.pushMany(step.count, step.native);
        break;
      case 'run native':
        queue.runNative();
        break;
      case 'drain':
        try {
          queue.drain();
        } catch (error) {
          if (error !== counter) throw error;
          queue.note(8 * mark + 7);
        }
        break;
      case 'throw':
        throw counter;
    }
  }
}

/** Everything, from the program itself, and drained until nothing is left. */
function play(queue, steps) {
  const counter = { mark: 0 };
  const sizes = [];
  perform(queue, [{ do: 'tick', args: 0, steps }], counter);
  while (queue.size > 0) {
    sizes.push(queue.size);
    perform(queue, [{ do: 'drain' }], counter);
  }
  return { marks: queue.marks, sizes };
}

const { steps } = fc.letrec((tie) => ({
  step: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'ticks' },
    fc.record({
      do: fc.constant('notes'),
      count: fc.integer({ min: 1, max: 7 }),
      native: fc.boolean(),
    }),
    fc.record({ do: fc.constantFrom('drain', 'run native') }),
    fc.record({
      do: fc.constant('many'),
      count: fc.oneof(fc.nat(3), fc.integer({ min: 2040, max: 2056 }), fc.nat(9000)),
      native: fc.boolean(),
    }),
    fc.record({ do: fc.constant('tick'), args: fc.nat(6), steps: tie('steps') }),
    fc.record({ do: fc.constant('tick'), args: fc.nat(6), steps: tie('steps') }),
    fc.record({ do: fc.constant('throw') }),
  ),
  steps: fc.array(tie('step'), { maxLength: 6, depthIdentifier: 'ticks' }),
}));

describe.each(['wasm-release', 'wasm-debug'])('ticks, %s', (preset) => {
  const url = new URL(`../../build/${preset}/native_ticks.wasm`, import.meta.url);
  const module = new WebAssembly.Module(readFileSync(url));

  test(
    'any program of ticks runs as on a plain array',
    async () => {
      let heap;
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (program) => {
          const real = new Real(module);
          heap = real.heap;
          const played = play(real, program);
          expect(played).toEqual(play(new Model(), program));
          expect(heap.check()).toEqual([]);
          expect(heap.asyncIds.depth).toBe(0);
          heap.dispose();
          runs += played.marks.length;
        }),
        withHeaps(RUNS),
      );
      expect(runs).toBeGreaterThan(times(RUNS));
    },
    600_000 * FACTOR,
  );
});
