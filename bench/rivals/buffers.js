/**
 * Other ways to a buffer. Each has the operations that it knows, under our names, and `free` where
 * buffers can be given back.
 */

/** @import { Free, Make } from '../harness/buffer-loops.js' */

/**
 * @typedef {Partial<Record<string, Make>> & { free?: Free }} Maker
 *
 * @typedef {object} BufferRival
 * @property {string} name
 * @property {string} [package]
 * @property {boolean} [loose] its buffers may be longer than asked for
 * @property {() => boolean} [available]
 * @property {() => Maker | Promise<Maker>} load
 */

/** @type {BufferRival[]} */
export const bufferRivals = [
  {
    name: 'Buffer',
    available: () => 'Buffer' in globalThis,
    load: () => ({
      alloc: (size) => Buffer.alloc(size),
      'alloc fill 0': (size) => Buffer.alloc(size, 0),
      allocUnsafe: (size) => Buffer.allocUnsafe(size),
      allocUnsafeSlow: (size) => Buffer.allocUnsafeSlow(size),
    }),
  },
  {
    name: 'new Uint8Array',
    load: () => ({ alloc: (size) => new Uint8Array(size) }),
  },
  {
    name: 'feross buffer',
    package: 'buffer',
    async load() {
      // Bundlers give a CommonJS module's exports by this name alone.
      const { Buffer } = (await import('buffer/index.js')).default;
      return {
        alloc: (size) => Buffer.alloc(size),
        'alloc fill 0': (size) => Buffer.alloc(size, 0),
        allocUnsafe: (size) => Buffer.allocUnsafe(size),
        allocUnsafeSlow: (size) => Buffer.allocUnsafeSlow(size),
      };
    },
  },
  {
    name: 'typedarray-pool',
    package: 'typedarray-pool',
    loose: true, // by powers of two
    async load() {
      const { default: pool } = await import('typedarray-pool');
      return {
        allocUnsafe: (size) => pool.mallocUint8(size),
        free: (array) => pool.freeUint8(array),
      };
    },
  },
  {
    name: '@protobufjs/pool',
    package: '@protobufjs/pool',
    async load() {
      const { default: makePool } = await import('@protobufjs/pool');
      const make = makePool((size) => new Uint8Array(size), Uint8Array.prototype.subarray);
      return { allocUnsafe: (size) => make(size) };
    },
  },
  {
    name: '@thi.ng/malloc',
    package: '@thi.ng/malloc',
    async load() {
      const { MemPool } = await import('@thi.ng/malloc');
      const pool = new MemPool({ size: 1 << 22 });
      return {
        allocUnsafe: (size) => /** @type {Uint8Array} */ (pool.mallocAs('u8', size)),
        alloc: (size) => /** @type {Uint8Array} */ (pool.callocAs('u8', size)),
        free: (array) => pool.free(array),
      };
    },
  },
];
