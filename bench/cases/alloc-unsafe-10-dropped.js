import { createHeap } from 'slabring';

// Nothing is ever freed: a heap large enough for all samples of a run.
const PER_SAMPLE = 1e6;

export default {
  name: 'allocUnsafe(10), dropped',
  n: PER_SAMPLE,
  bars: [{ of: 'Buffer.allocUnsafe', least: 1 }],
  async setup() {
    const { allocUnsafe } = await createHeap({ regionSize: 2 ** 30 });
    return {
      slabring: {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = allocUnsafe(10);
          return last;
        },
      },
      'Buffer.allocUnsafe': {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = Buffer.allocUnsafe(10);
          return last;
        },
      },
    };
  },
};
