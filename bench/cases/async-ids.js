import { createHeap } from 'slabring';

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'async-ids',
  about: 'One pair of ids pushed and popped.',
  quick: {},
  async setup() {
    const heap = await createHeap();
    const { push, pop } = heap.asyncIds;
    // Of the same heap: V8 folds a heap's closures into its code only while there is one heap.
    const { sr_async_push, sr_async_pop } = heap.exportsOf(heap.alloc(1));
    // The same checks and the resource, but the stack in C++, as Node's was.
    const resources = Array.from({ length: 16 });
    /** @param {number} asyncId @param {number} triggerId @param {unknown} [resource] */
    const pushThere = (asyncId, triggerId, resource) => {
      if (!(typeof asyncId === 'number' && asyncId >= 0)) throw new TypeError('asyncId');
      if (!(typeof triggerId === 'number' && triggerId >= 0)) throw new TypeError('triggerId');
      if (sr_async_push(asyncId, triggerId) === 0) throw new RangeError('no room');
      if (resource !== undefined) resources[0] = resource;
    };
    /** @param {number} asyncId */
    const popThere = (asyncId) => {
      if (sr_async_pop(asyncId) === 0) throw new Error('corrupted');
      if (resources[0] !== undefined) resources[0] = undefined;
    };
    return {
      slabring: {
        run(n) {
          for (let i = 0; i < n; i++) {
            push(i, 1);
            pop(i);
          }
          return heap.asyncIds.depth;
        },
      },
      'before: through C++': {
        run(n) {
          for (let i = 0; i < n; i++) {
            pushThere(i, 1);
            popThere(i);
          }
          return heap.asyncIds.depth;
        },
      },
    };
  },
  verify(depth, { name }) {
    if (depth !== 0) throw new Error(`${name}: ${depth} pairs were left`);
  },
};
