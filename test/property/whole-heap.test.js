import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeapSync } from 'slabring';
import { WASM_URL } from '../support/heap.js';
import { FACTOR, withHeaps } from '../support/runs.js';
import { KINDS_OF_HEAP, program, runProgram } from '../support/whole-heap.js';

/** Then shrinking ends with the shortest program that it has. */
const LONGEST_MS = 60_000 * FACTOR;

const BUILDS = [
  ['as shipped', WASM_URL, 20],
  ['with every assertion', new URL('../../build/wasm-debug/slabring.wasm', import.meta.url), 10],
].filter(([, url]) => existsSync(url));

describe.each(BUILDS)('all of a heap at once, %s', (_, url, runs) => {
  const module = new WebAssembly.Module(readFileSync(url));

  test.each(Object.keys(KINDS_OF_HEAP))(
    '%s: does what a simple model does',
    async (kind) => {
      let steps = 0;
      await fc.assert(
        fc.asyncProperty(program, async (steps_) => {
          steps += runProgram(createHeapSync, module, KINDS_OF_HEAP[kind], steps_).steps;
        }),
        { ...withHeaps(runs), interruptAfterTimeLimit: LONGEST_MS },
      );
      expect(steps).toBeGreaterThan(runs * 5);
    },
    LONGEST_MS * 2,
  );
});
