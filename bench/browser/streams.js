/** readable-stream in this page: with a heap's ticks, npm's `process`, and bare microtasks. */

import { createHeap } from '/dist/slabring.js';
import { freshCopy } from '/harness/fresh-copy.js';
import { measure as measureAll } from '/harness/measure.js';

const copies = {
  slabring: async () => {
    const bundle = await import('/build/browser/streams-heap.js?copy=slabring');
    bundle.process.nextTick = (await createHeap()).nextTick;
    return bundle;
  },
  'npm process': () => import('/build/browser/streams-npm.js'),
  queueMicrotask: async () => {
    const bundle = await import('/build/browser/streams-heap.js?copy=queueMicrotask');
    bundle.process.nextTick = (callback, ...args) => queueMicrotask(() => callback(...args));
    return bundle;
  },
};

export async function measure({ work, ...options }) {
  const implementations = {};
  for (const [name, load] of Object.entries(copies)) {
    const { streams, Buffer, process } = await load();
    const { works } = await freshCopy('/harness/stream-work.js');
    implementations[name] = works[work]({ streams, Buffer, nextTick: process.nextTick });
  }
  const verify = (taken, n, name) => {
    if (taken !== n) throw new Error(`${name}: ${taken} chunks of ${n}`);
  };
  return measureAll(implementations, { ...options, verify });
}
