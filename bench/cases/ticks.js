import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { schedulerRivals } from '../rivals/schedulers.js';

const SHAPES = new URL('../harness/tick-shapes.js', import.meta.url);

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'ticks',
  about: 'Functions to be called soon, in the shapes in which programs queue them.',
  parameters: {
    shape: [
      'depth',
      'depth-args',
      'breadth',
      'breadth-args',
      'exec',
      'exec-args',
      'loop-100',
      'loop-10000',
    ],
  },
  quick: { shape: ['depth', 'depth-args', 'breadth', 'breadth-args', 'exec', 'exec-args'] },
  // How many are queued at once is part of these shapes.
  n: ({ shape }, { quick }) => (/^(breadth|exec)/.test(shape) ? (quick ? 5e4 : 25e4) : undefined),
  batch: () => 1000,
  async setup({ shape }, { quick }) {
    const { nextTick } = await createHeap();
    const ours = { name: 'slabring', load: () => nextTick };
    /** @type {Record<string, import('../harness/measure.js').Implementation>} */
    const implementations = {};
    for (const rival of [ours, ...schedulerRivals]) {
      const { name, bare, available, load } = rival;
      if (available?.() === false || (bare && shape.endsWith('args'))) continue;
      // One shape is enough to see that it is queueMicrotask under another name.
      if (name === 'queue-microtask' && (quick || shape !== 'depth')) continue;
      const { shapes } = await freshCopy(SHAPES);
      implementations[name] = shapes[shape](await load());
    }
    return implementations;
  },
  verify(left, { name }) {
    if (left !== 0) throw new Error(`${name}: ${left} ticks were not run`);
  },
};
