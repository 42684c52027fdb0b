const POOL = 2 ** 20;

class PoolArray extends Uint8Array {}

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'views',
  about:
    'A view of the next bytes of a pool: straight onto its buffer, or by subarray of an array.',
  parameters: { size: [10, 1024] },
  quick: { size: [10] },
  setup({ size }) {
    const { buffer } = new WebAssembly.Memory({ initial: POOL / 65_536, maximum: POOL / 65_536 });
    const pool = new PoolArray(buffer);
    const end = POOL - size;
    return {
      slabring: {
        run(n) {
          let last;
          let at = 0;
          for (let i = 0; i < n; i++) {
            last = new PoolArray(buffer, at, size);
            at = at < end - size ? at + size : 0;
          }
          return last;
        },
      },
      'before: subarray': {
        run(n) {
          let last;
          let at = 0;
          for (let i = 0; i < n; i++) {
            last = pool.subarray(at, at + size);
            at = at < end - size ? at + size : 0;
          }
          return last;
        },
      },
    };
  },
  verify(/** @type {Uint8Array} */ view, { name, size }) {
    if (view.length !== size || view.buffer.byteLength !== POOL)
      throw new Error(`${name}: no view`);
  },
};
