/**
 * The whole heap as built, through its JavaScript: programs from fast-check, each run on a heap and
 * on a model at once, on heaps of all kinds and on both builds of the module in turns.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Failure } from './failure.js';

const MODULES = ['dist/slabring.wasm', 'build/wasm-debug/slabring.wasm'];
const PROGRAMS_A_BATCH = 100;

/** As `NativeTarget`. */
export class HeapTarget {
  name = 'heap';
  /** @type {Map<string, number>} */
  kinds = new Map();
  operations = 0;
  inputs = 0;
  reached = '; on each kind of heap, on both builds';
  #seed;
  #batch = 0;

  /** @param {number} seed */
  constructor(seed) {
    this.#seed = seed;
  }

  /** @throws Failure */
  async runBatch() {
    const { default: fc } = await import('fast-check');
    // Not checked as a tool is: they are of the tests, and of what was built.
    const at = (/** @type {string} */ path) => import(pathToFileURL(path).href);
    const { createHeapSync } = await at('dist/slabring.js');
    const { KINDS_OF_HEAP, program, runProgram } = await at('test/support/whole-heap.js');
    const names = Object.keys(KINDS_OF_HEAP);
    const batch = this.#batch++;
    const name = names[batch % names.length];
    const path = MODULES[Math.floor(batch / names.length) % MODULES.length];
    const module = new WebAssembly.Module(readFileSync(path));
    const property = fc.property(program, (steps) => {
      const { counts } = runProgram(createHeapSync, module, KINDS_OF_HEAP[name], steps);
      this.inputs++;
      for (const [kind, count] of counts) {
        this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + count);
        this.operations += count;
      }
    });
    const seed = this.#seed * 100_000 + batch;
    const details = fc.check(property, { seed, numRuns: PROGRAMS_A_BATCH });
    if (details.failed) {
      throw new Failure(
        `heap (${name}, ${path}), seed ${this.#seed}: ${fc.defaultReportMessage(details)}`,
      );
    }
    // The heaps that were left are collected between turns only.
    await new Promise((resolve) => setImmediate(resolve));
  }

  end() {}
}
