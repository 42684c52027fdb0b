/**
 * readable-stream 4 as a page gets it, bundled: on a heap's ticks, on npm's `process`, which bundlers
 * take by themselves, and on bare microtasks. Each has a copy of its own.
 */

import { freshCopy } from '../harness/fresh-copy.js';

/** @import { NextTick } from '../harness/tick-shapes.js' */

const BUNDLE = new URL('../../build/browser/streams-heap.js', import.meta.url);

/** @param {NextTick} nextTick */
const loadWith = async (nextTick) => {
  const copy = await freshCopy(BUNDLE);
  copy.process.nextTick = nextTick;
  return copy;
};

/**
 * @param {NextTick} nextTick a heap's
 * @returns {Record<string, () => Promise<any>>} `streams`, `Buffer` and `process`, by name
 */
export const streamCopies = (nextTick) => ({
  slabring: () => loadWith(nextTick),
  'npm process': async () => loadWith((await import('process/browser.js')).default.nextTick),
  queueMicrotask: () => loadWith((callback, ...args) => queueMicrotask(() => callback(...args))),
});
