import { createHeap } from 'slabring';

export default {
  name: 'alloc(1024), freed',
  // A Buffer of this size is memory outside of the JavaScript heap: V8 collects it by the 64 MiB. A
  // sample must be long enough to hold the collections that it causes.
  longer: 5,
  bars: [{ of: 'Buffer.alloc', least: 20 }],
  async setup() {
    const { alloc, free } = await createHeap();
    return {
      slabring: {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) {
            last = alloc(1024);
            free(last);
          }
          return last;
        },
      },
      'Buffer.alloc': {
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = Buffer.alloc(1024);
          return last;
        },
      },
    };
  },
};
