/** The order in a browser: support/order-programs.js in this page or worker. */

import { createHeap } from '/dist/slabring.js';
import { run, tree } from '/support/order-programs.js';

const onUncaught = (note) => {
  globalThis.onerror = (...args) => {
    note(args[4]);
    return true;
  };
};

export const fromTimer = (name) => run(name, createHeap, onUncaught);

/** From a script of its own, which no promise job has started. Only in a page. */
export const fromMainScript = (name) =>
  run(name, createHeap, onUncaught, (main) => {
    globalThis.main = main;
    document.head.append(Object.assign(document.createElement('script'), { src: '/main.js' }));
  });

/** A queue as plain as can be, drained by one microtask: what the heap's is measured by. */
function plainQueue() {
  const queue = [];
  let scheduled = false;
  return (callback) => {
    queue.push(callback);
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      for (const next of queue) next();
      queue.length = 0;
      scheduled = false;
    });
  };
}

export async function trees(seeds) {
  const { nextTick } = await createHeap();
  const result = [];
  for (const seed of seeds) {
    result.push([await tree(plainQueue(), seed), await tree(nextTick, seed)]);
  }
  return result;
}

/** Ticks of a frame's callback come before the next callback of the same frame. */
export async function frames() {
  const { nextTick } = await createHeap();
  const lines = [];
  await new Promise((done) => {
    for (const i of [1, 2]) {
      requestAnimationFrame(() => {
        lines.push(`frame ${i}`);
        nextTick(() => lines.push(`tick ${i}`));
        if (i === 2) setTimeout(done);
      });
    }
  });
  return lines;
}
