/** A heap with something of everything in it, to be attacked, and what must hold whatever is done. */

import { runInNewContext } from 'node:vm';
import { bytesOf, MIB, makeHeap } from './heap.js';
import { fail, HOSTILE } from './hostile.js';

const foreign = runInNewContext('({ Uint8Array, ArrayBuffer, DataView, Array, Map })');

/** Runs `act` and then is a number, in the middle of whatever asked for that. */
const sly = (act, number = 8) => ({
  valueOf: () => {
    act();
    return number;
  },
});

/** Values that know the heap, and values that use it while they are being looked at. */
const OF_THE_HEAP = {
  'a buffer that was freed': ({ freed }) => freed,
  'a typed view that was freed': ({ freedView }) => freedView,
  'a part': ({ canary }) => canary.subarray(1, 3),
  'a part of a typed view': ({ typed }) => typed.subarray(1, 3),
  'a view by hand, shifted': ({ canary }) =>
    new Uint8Array(canary.buffer, canary.byteOffset + 3, 7),
  'a view by hand of all the memory': ({ canary }) => new Uint8Array(canary.buffer),
  'a DataView by hand': ({ canary }) => new DataView(canary.buffer, canary.byteOffset, 8),
  'the memory': ({ canary }) => canary.buffer.slice(0, 64),
  'a proxy of a buffer': ({ canary }) => new Proxy(canary, {}),
  'an object that inherits from a buffer': ({ canary }) => Object.create(canary),
  'the heap': ({ heap }) => heap,
  'an arena': ({ arena }) => arena,
  'a pointer past the end of the arena': ({ arena }) => arena.size + 17,
  'a mark of another arena': ({ other }) => other.mark(),
  'a pointer of another arena': ({ other }) => other.alloc(8) + 3000,
  'an address': ({ canary }) => canary.byteOffset,
  'one that allocates and frees': ({ heap }) => sly(() => heap.free(heap.alloc(20))),
  'one that trims': ({ heap }) => sly(() => heap.trim()),
  'one that resets the arena': ({ arena, marked }) => sly(() => arena.reset(marked)),
  'one that drains': ({ heap }) => sly(() => heap.ticks.drain()),
  'an alignment that trims': ({ heap }) => ({
    get alignment() {
      heap.trim();
      return 64;
    },
    get size() {
      heap.trim();
      return 100;
    },
  }),
  'an array whose element frees another': (world) => {
    const view = world.spare();
    return [1, sly(() => world.heap.free(view), 2), 3];
  },
  'an array that grows while it is read': () => {
    const array = [1, 2, 3];
    array[1] = sly(() => array.push(4, 5, 6, 7));
    return array;
  },
  'an array that shrinks while it is read': () => {
    const array = [0, 2, 3, 4];
    array[0] = sly(() => (array.length = 1));
    return array;
  },
  'an array-like that is longer each time': () => {
    let length = 1;
    return {
      get length() {
        return length++;
      },
    };
  },
  'an array-like that is shorter each time': () => {
    let length = 100;
    return {
      get length() {
        return length--;
      },
    };
  },
};

const MORE = {
  '2^31 - 1': () => 2 ** 31 - 1,
  '-2^31': () => -(2 ** 31),
  '2^32 - 1': () => 2 ** 32 - 1,
  '2^32 - 8': () => 2 ** 32 - 8,
  '2^53 - 1': () => 2 ** 53 - 1,
  '5e-324': () => 5e-324,
  '2^64n': () => 2n ** 64n,
  'a symbol that is well known': () => Symbol.iterator,
  'a huge string': () => 'naïve'.repeat(5000),
  'lone surrogates': () => '\udc00\ud800',
  'an async function': () => async () => {},
  'a generator function': () => function* numbers() {},
  'an array with a getter that throws': () => Object.defineProperty([1, 2], 1, { get: fail }),
  'an array with holes': () => Object.assign(new Array(4), { 1: 1, 3: 2 }),
  'an iterator that throws': () => ({
    *[Symbol.iterator]() {
      yield 1;
      fail();
    },
  }),
  'an iterable of hostile things': () => new Set([Symbol('s'), -1, NaN]),
  // biome-ignore-start lint/suspicious/noThenProperty: it is what is tested
  'a thenable': () => ({ then: (done) => done(8) }),
  'a thenable that throws': () => ({ then: fail }),
  // biome-ignore-end lint/suspicious/noThenProperty: it is what is tested
  'an object with a poisoned prototype': () =>
    Object.create(new Proxy({}, { get: fail, has: fail, getPrototypeOf: () => null })),
  'an object whose constructor throws': () =>
    Object.defineProperty({}, 'constructor', { get: fail }),
  'an object whose tag throws': () => Object.defineProperty({}, Symbol.toStringTag, { get: fail }),
  'a class of bytes that lies': () =>
    class Liar extends Float64Array {
      static BYTES_PER_ELEMENT = 1;
    },
  'a class that is longer': () =>
    class Longer extends Uint8Array {
      constructor(buffer, at, length) {
        super(buffer, at, length * 2);
      }
      static BYTES_PER_ELEMENT = 1;
    },
  'a Uint8Array of another realm': () => new foreign.Uint8Array(8),
  'the Uint8Array of another realm': () => foreign.Uint8Array,
  'an ArrayBuffer of another realm': () => new foreign.ArrayBuffer(8),
  'an array of another realm': () => foreign.Array.of(1, 2, 3),
  'a detached ArrayBuffer': () => {
    const buffer = new ArrayBuffer(8);
    structuredClone(buffer, { transfer: [buffer] });
    return buffer;
  },
  'a view of what shrank': () => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
    const view = new Uint8Array(buffer, 8, 8);
    buffer.resize?.(4);
    return view;
  },
  'a view that follows its buffer': () => new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 })),
  'a view of what grew': () => {
    const buffer = new SharedArrayBuffer(8, { maxByteLength: 32 });
    const view = new Uint8Array(buffer);
    buffer.grow?.(32);
    return view;
  },
  'a view with a length of its own': () =>
    Object.defineProperties(new Uint8Array(8), {
      length: { value: 1e6 },
      byteLength: { value: 1e6 },
    }),
};

/** By name: makes a value, given the world. */
export const VALUES = { ...HOSTILE, ...MORE, ...OF_THE_HEAP };

export class World {
  #spares = [];

  constructor(options) {
    const heap = makeHeap({ maxBytes: 2 * MIB, ...options });
    this.heap = heap;
    this.freed = heap.alloc(40);
    this.freedView = heap.typed(Int16Array, 31);
    this.canary = heap.alloc(48, 0xc1);
    this.typed = heap.typed(Int32Array, 12).fill(0x0c0c0c0c);
    this.large = heap.allocUnsafeSlow(100_000).fill(0xc3);
    heap.free(this.freedView);
    heap.free(this.freed);
    this.other = heap.arena({ size: 5000 });
    this.other.alloc(200);
    this.arena = heap.arena({ size: 2000 });
    this.arena.alloc(200);
    this.arena.u8.fill(0xa5, 0, 2000);
    this.marked = this.arena.mark();
    // What comes with the first tick and the first pair of ids.
    heap.nextTick(() => {});
    heap.asyncIds.push(1, 1);
    this.#settle();
    this.#live = heap.stats().live;
    this.#bytes = this.#canaries().map((bytes) => Buffer.from(bytes));
  }

  #live;
  #bytes;

  #canaries() {
    const { canary, typed, large, other, arena } = this;
    const both = [other, arena].map((one) => one.view(Uint8Array, 16, 200));
    return [canary, typed, large, ...both].map(bytesOf);
  }

  /** A good argument that is freed when the call is over. */
  spare() {
    const view = this.heap.alloc(24, 1);
    this.#spares.push(view);
    return view;
  }

  /** What the call gave, or took for itself, goes. */
  release(result) {
    const { heap } = this;
    const attempts = [
      () => heap.free(result),
      () => result.dispose(),
      () => result.disable(),
      ...this.#spares.map((view) => () => heap.free(view)),
    ];
    this.#spares = [];
    for (const attempt of attempts) {
      try {
        attempt();
      } catch {
        // Not this, or done already.
      }
    }
    this.#settle();
  }

  #settle() {
    const { heap, arena, other, marked } = this;
    heap.poolSize = 65536;
    heap.asyncIds.clear();
    while (heap.ticks.size > 0) {
      try {
        heap.ticks.drain();
      } catch {
        // A tick that threw; the rest runs.
      }
    }
    if (marked === undefined) return;
    if (arena.mark() > marked) arena.reset(marked);
    else arena.alloc(marked - arena.mark(), 1);
    other.reset(other.mark() - other.used + 200);
  }

  /** What is wrong now; empty when all is as it was. */
  problem() {
    const { heap } = this;
    const problems = heap.check();
    const { bytes, buffers } = heap.stats().live;
    if (bytes !== this.#live.bytes || buffers !== this.#live.buffers) {
      problems.push(
        `${bytes} bytes live in ${buffers}, not ${this.#live.bytes} in ${this.#live.buffers}`,
      );
    }
    this.#canaries().forEach((bytes, i) => {
      if (!bytes.equals(this.#bytes[i])) problems.push(`canary ${i} changed`);
    });
    return problems.join('\n');
  }
}
