import { createHeap } from 'slabring';

const TICKS = 1e7;
const resident = () => process.memoryUsage.rss() / 2 ** 20;

/** @param {import('../harness/tick-shapes.js').NextTick} nextTick */
async function burst(nextTick) {
  const before = resident();
  const start = performance.now();
  let run = 0;
  await new Promise((resolve) => {
    const step = () => {
      if (++run === TICKS) resolve(run);
    };
    for (let i = 0; i < TICKS; i++) nextTick(step);
  });
  const end = performance.now();
  const peak = process.resourceUsage().maxRSS / 1024;
  // Twice: what the first one finalizes, and the room that V8 kept for new objects, goes later.
  globalThis.gc?.();
  globalThis.gc?.();
  return {
    ms: end - start,
    'MiB at the peak': peak - before,
    'MiB in the end': resident() - before,
  };
}

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'ticks-burst',
  about: '1e7 ticks queued, then drained; what they take of memory.',
  host: 'node',
  figures: {
    slabring: async () => burst((await createHeap({ regionSize: 2 ** 30 })).nextTick),
    'process.nextTick': () => burst(process.nextTick),
    queueMicrotask: () => burst(queueMicrotask),
  },
};
