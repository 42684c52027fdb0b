import { AsyncLocalStorage } from 'node:async_hooks';
import { createHeap } from 'slabring';

export default {
  name: 'AsyncVariable.run and get, one value',
  bars: [{ of: 'AsyncLocalStorage', least: 1 }],
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
          for (let i = 0; i < n; i++) sum += variable.run(i, get);
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
};
