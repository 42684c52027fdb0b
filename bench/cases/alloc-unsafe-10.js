import { createHeap } from 'slabring';

export default {
  name: 'allocUnsafe(10), freed',
  bars: [{ of: 'Buffer.allocUnsafe', least: 3.5, aim: 5 }],
  async setup() {
    const { allocUnsafe, free } = await createHeap();
    return {
      slabring: {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) {
            last = allocUnsafe(10);
            free(last);
          }
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
