import { createHeap } from 'slabring';
import { freshCopy } from '../harness/fresh-copy.js';
import { turn } from '../harness/turn.js';
import { bufferRivals } from '../rivals/buffers.js';

const LOOPS = new URL('../harness/buffer-loops.js', import.meta.url);

/** Buffers larger than this are allocated in pages, as are those that are never pooled. */
const LARGEST_CELL = 32_768;
const PAGE = 65_536;

/** Sizes from which on collections of garbage are part of what a rival costs. */
const OFF_HEAP = 1024;

/** @typedef {{ operation: string, size: number, end: 'freed' | 'dropped' }} Parameters */

/** Bytes that a buffer of ours takes, about. @param {Parameters} parameters */
const footprint = ({ operation, size }) =>
  operation === 'allocUnsafeSlow' || size > LARGEST_CELL ? Math.ceil(size / PAGE) * PAGE : size;

const loose = new Set(bufferRivals.filter((rival) => rival.loose).map(({ name }) => name));

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'buffer-creation',
  about: 'One buffer after the other, given back at once or left to the garbage collector.',
  parameters: {
    operation: ['alloc', 'alloc fill 0', 'allocUnsafe', 'allocUnsafeSlow'],
    size: [10, 64, 1024, 2048, 4096, 8192, 65_536],
    end: ['freed', 'dropped'],
  },
  quick: { operation: ['alloc', 'allocUnsafe'], size: [10, 1024], end: ['freed', 'dropped'] },
  // A Buffer of this size is memory outside of the JavaScript heap: V8 collects it by the 64 MiB, as
  // it does ours that are dropped. A sample must be long enough to hold the collections that it causes.
  longer: ({ size, end }) => (end === 'dropped' || size >= OFF_HEAP ? 5 : 1),
  async setup(/** @type {Parameters} */ parameters) {
    const { operation, size, end } = parameters;
    const { alloc, allocUnsafe, allocUnsafeSlow, free } = await createHeap();
    const ours = {
      alloc,
      'alloc fill 0': (/** @type {number} */ n) => alloc(n, 0),
      allocUnsafe,
      allocUnsafeSlow,
      free,
    };
    /** @type {Record<string, import('../harness/measure.js').Implementation>} */
    const implementations = {};
    for (const { name, available, load } of [
      { name: 'slabring', load: () => ours },
      ...bufferRivals,
    ]) {
      if (available?.() === false) continue;
      const maker = await load();
      const make = maker[operation];
      // Where buffers must be given back, there is one end.
      if (!make || (maker.free && maker !== ours && end === 'dropped')) continue;
      const { freed, unowned, dropped } = await freshCopy(LOOPS);
      if (end === 'dropped') {
        const taken = maker === ours ? footprint(parameters) : size;
        implementations[name] = dropped(make, size, turn, taken);
      } else if (maker.free) {
        implementations[name] = freed(make, maker.free, size);
      } else {
        implementations[name] = unowned(make, size);
      }
    }
    return implementations;
  },
  verify(/** @type {Uint8Array} */ buffer, { name, operation, size }) {
    const isLong = loose.has(name) ? buffer.length >= size : buffer.length === size;
    if (!isLong) throw new Error(`${name}: ${buffer.length} bytes`);
    if (operation.startsWith('alloc') && !operation.startsWith('allocUnsafe')) {
      if (buffer.some((byte) => byte !== 0)) throw new Error(`${name}: not zero`);
    }
  },
};
