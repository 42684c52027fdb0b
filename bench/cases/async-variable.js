import { AsyncLocalStorage } from 'node:async_hooks';
import { createHeap } from 'slabring';

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'async-variable',
  about: 'A value that is there for one call: set, read once.',
  host: 'node',
  quick: {},
  async setup() {
    const { AsyncVariable } = await createHeap();
    const variable = new AsyncVariable();
    const storage = new AsyncLocalStorage();
    const get = () => variable.get();
    const getStore = () => storage.getStore();
    return {
      slabring: {
        run(n) {
          let sum = 0;
          for (let i = 0; i < n; i++) sum += Number(variable.run(i, get));
          return sum;
        },
      },
      AsyncLocalStorage: {
        run(n) {
          let sum = 0;
          for (let i = 0; i < n; i++) sum += Number(storage.run(i, getStore));
          return sum;
        },
      },
    };
  },
  verify(sum, { n, name }) {
    if (sum !== (n * (n - 1)) / 2) throw new Error(`${name}: a value was lost`);
  },
};
