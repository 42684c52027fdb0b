import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { queueRivals } from '../rivals/queues.js';

const LOOP = new URL('../harness/queue-loop.js', import.meta.url);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'ticks-queue',
  about: 'The queue alone, without the host: pushed and taken in batches of 1000.',
  quick: {},
  batch: () => 1000,
  async setup() {
    const { nextTick, ticks } = await createHeap();
    const { batches } = await freshCopy(LOOP);
    /** @type {Record<string, import('../harness/measure.js').Implementation>} */
    const implementations = { slabring: batches(nextTick, () => ticks.drain()) };
    for (const { name, load } of queueRivals) {
      const { push, shift } = await load();
      const copy = await freshCopy(LOOP);
      implementations[name] = copy.batches(push, copy.drainWith(shift));
    }
    return implementations;
  },
  verify(taken, { n, name }) {
    if (taken !== n) throw new Error(`${name}: ${taken} of ${n} were taken`);
  },
};
