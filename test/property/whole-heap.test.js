import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeapSync } from 'slabring';
import { WASM_URL } from '../support/heap.js';
import { KINDS_OF_HEAP, program, runProgram } from '../support/whole-heap.js';

// PROPERTY_RUNS=20 looks twenty times as long.
const FACTOR = Number(process.env.PROPERTY_RUNS) || 1;

const BUILDS = [
  ['as shipped', WASM_URL, 20],
  ['with every assertion', new URL('../../build/wasm-debug/slabring.wasm', import.meta.url), 10],
].filter(([, url]) => existsSync(url));

describe.each(BUILDS)('all of a heap at once, %s', (_, url, runs) => {
  const module = new WebAssembly.Module(readFileSync(url));

  test.each(Object.keys(KINDS_OF_HEAP))('%s: does what a simple model does', (kind) => {
    let steps = 0;
    fc.assert(
      fc.property(program, (steps_) => {
        steps += runProgram(createHeapSync, module, KINDS_OF_HEAP[kind], steps_).steps;
      }),
      { numRuns: runs * FACTOR },
    );
    expect(steps).toBeGreaterThan(runs * 5);
  });
});
