/** readable-stream, bundled for browsers, on a heap's ticks. */

import { Buffer, process, streams } from '/build/browser/streams-heap.js';
import { createHeap } from '/dist/slabring.js';
import { workloads } from '/support/stream-workloads.js';

export async function run(name) {
  const heap = await createHeap();
  let ticks = 0;
  process.nextTick = (...args) => {
    ticks++;
    heap.nextTick(...args);
  };
  const { nextTick } = process;
  const result = await workloads[name]({ streams, Buffer, nextTick });
  // The stream's last callbacks may have called us.
  await new Promise((resolve) => setTimeout(resolve));
  return { result, ticks, left: heap.ticks.size, depth: heap.asyncIds.depth };
}
