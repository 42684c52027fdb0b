import { createHeap } from 'slabring';

export default {
  name: 'alloc(10), freed',
  bars: [{ of: 'Buffer.alloc', least: 2.2, aim: 3 }],
  async setup() {
    const { alloc, free } = await createHeap();
    return {
      slabring: {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) {
            last = alloc(10);
            free(last);
          }
          return last;
        },
      },
      'Buffer.alloc': {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = Buffer.alloc(10);
          return last;
        },
      },
    };
  },
};
