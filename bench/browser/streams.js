/** Measures streams in this page: with a heap's ticks, npm's `process`, and bare microtasks. */

import { createHeap } from '/dist/slabring.js';
import { measureAsync } from '/harness/measure.js';

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

export async function measure(shape, options) {
  const implementations = {};
  for (const [name, load] of Object.entries(copies)) {
    // A copy of the loop for each: an engine that saw all of them would inline none.
    const { shapes } = await import(`/stream-shapes.js?copy=${name}`);
    implementations[name] = shapes[shape](await load());
    // Cold, one chunk can take as long as a sample of thousands: too few would be counted.
    for (let i = 0; i < 20; i++) await implementations[name].run(5);
  }
  return measureAsync(implementations, options);
}
