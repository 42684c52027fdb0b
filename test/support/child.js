/** Programs in a process of their own, where no test runner's ticks are in the way. */

import { spawnSync } from 'node:child_process';
import { expect } from '@jest/globals';

export const PACKAGE = new URL('../../dist/slabring.js', import.meta.url).href;

/**
 * Runs an ES module; `createHeap` is there, and `print`, whose last call says what is returned.
 * @param {string} code
 */
export function runModule(code, { flags = [], program = process.execPath } = {}) {
  const head = `
    import { createHeap, createHeapSync } from ${JSON.stringify(PACKAGE)};
    const print = (value) => { globalThis.printed = value; };
    process.on('exit', () => console.log('\\n' + JSON.stringify(globalThis.printed ?? null)));
  `;
  const { status, stdout, stderr } = spawnSync(
    program,
    [...flags, '--input-type=module', '--eval', head + code],
    { encoding: 'utf8', timeout: 60_000, env: {} },
  );
  const printed = JSON.parse(stdout.trim().split('\n').at(-1) || 'null');
  return { status, stderr, printed };
}

/** The same, of a program that ends well. */
export function resultOf(code, options) {
  const { status, stderr, printed } = runModule(code, options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return printed;
}
