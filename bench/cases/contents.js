import { createHeap } from 'slabring';

const POOL = 2 ** 20;

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'contents',
  about: 'Bytes of an arena read into an array: copied out, or by a view made for that.',
  parameters: { size: [8, 64, 1024] },
  quick: { size: [64] },
  async setup({ size }) {
    const heap = await createHeap();
    const make = () => {
      const arena = heap.arena({ size: POOL });
      const first = arena.alloc(POOL);
      for (let i = 0; i < POOL; i++) arena.u8[first + i] = i % 251;
      return { arena, first, end: first + POOL - size, target: new Uint8Array(size) };
    };
    const [copied, viewed] = [make(), make()];
    return {
      slabring: {
        run(n) {
          const { arena, first, end, target } = copied;
          let at = first;
          for (let i = 0; i < n; i++) {
            arena.copyContents(at, size, target);
            at = at < end - size ? at + size : first;
          }
          return target;
        },
      },
      'before: view': {
        run(n) {
          const { arena, first, end, target } = viewed;
          let at = first;
          for (let i = 0; i < n; i++) {
            target.set(arena.view(Uint8Array, at, size));
            at = at < end - size ? at + size : first;
          }
          return target;
        },
      },
    };
  },
  verify(/** @type {Uint8Array} */ target, { name, size, n }) {
    // The pointer starts again where the next bytes would not fit.
    const pointers = Math.ceil((POOL - 2 * size) / size) + 1;
    const at = ((n - 1) % pointers) * size;
    if (target.some((byte, j) => byte !== (at + j) % 251)) throw new Error(`${name}: other bytes`);
  },
};
