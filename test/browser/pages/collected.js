/** Buffers that are dropped: what comes back in an engine. */

import { createHeap } from '/dist/slabring.js';

const MIB = 2 ** 20;

/** A turn of the event loop, not held back as timers are. */
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(0);
  });
}

/**
 * Drops buffers, a turn of the event loop every MiB, and keeps a few, each until another takes its
 * place.
 * @param {{ size: number, total: number, maxBytes: number }} options bytes
 */
export async function drop({ size, total, maxBytes }) {
  const heap = await createHeap({ regionSize: maxBytes, maxBytes, onExhausted: 'fallback' });
  const kept = Array.from({ length: 100 }, () => ({ buffer: heap.alloc(0), mark: 0 }));
  let peak = 0;
  let wrong = 0;
  const count = total / size;
  const perTurn = Math.max(1, MIB / size);
  for (let i = 0; i < count; i++) {
    const buffer = heap.allocUnsafe(size);
    if (i % 997 === 0) {
      const place = kept[(i / 997) % kept.length];
      const { length } = place.buffer;
      if (
        length > 0 &&
        (place.buffer[0] !== place.mark || place.buffer[length - 1] !== place.mark)
      ) {
        wrong++;
      }
      place.buffer = buffer;
      place.mark = i % 251;
    }
    buffer[0] = i % 251;
    buffer[size - 1] = i % 251;
    if (i % perTurn === 0) {
      const { live, cached } = heap.stats();
      peak = Math.max(peak, live.bytes + cached.bytes);
      await turn();
    }
  }
  const { fallbacks } = heap.stats();
  return { peak, fallbacks, count, wrong, problems: heap.check() };
}
