import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ARRAYS, MIB, makeHeap } from '../support/heap.js';
import { FACTOR, times, withHeaps } from '../support/runs.js';

const bytesOf = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

/** What a call gives or throws, in a form that compares. */
function result(action) {
  try {
    const value = action();
    if (ArrayBuffer.isView(value)) {
      const { byteLength, length } = value;
      return { byteLength, length, bytes: bytesOf(value).toString('hex') };
    }
    return typeof value === 'bigint' ? `${value}n` : value;
  } catch (error) {
    return { class: error.constructor.name, message: error.message };
  }
}

const index = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.constantFrom(undefined, NaN, Infinity, -Infinity, 1.5, '3'),
);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1, 255, 256, -1, 2 ** 31, 2 ** 53, NaN, Infinity),
);
const bigint = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });

/** Operations, given as what they are called with; each is done to both. */
const METHODS = {
  at: (view, [a]) => view.at(a),
  fill: (view, [a, b, value]) => view.fill(value, a, b),
  set: (view, [a, , value]) => view.set([value, value], a),
  setSelf: (view, [a, b]) => view.set(view.subarray(0, 3), Math.abs(a) || b),
  copyWithin: (view, [a, b, , c]) => view.copyWithin(a, b, c),
  reverse: (view) => view.reverse(),
  sort: (view) => view.sort(),
  store: (view, [a, , value]) => {
    view[a] = value;
    return view.length;
  },
  slice: (view, [a, b]) => view.slice(a, b),
  subarray: (view, [a, b]) => view.subarray(a, b),
  deep: (view, [a, b, value]) => view.subarray(a).subarray(0, b).fill(value),
  map: (view) => view.map((one) => one),
  filter: (view) => view.filter((_, i) => i % 2),
  includes: (view, [, b, value]) => view.includes(value, b),
  indexOf: (view, [, b, value]) => view.indexOf(value, b),
  join: (view) => view.join(),
  entries: (view) => JSON.stringify([...view.entries()].map(String)),
  reduce: (view) => String(view.reduce((sum, one) => sum + one)),
  values: (view) => [...view].map(String),
  equal: (view) => view.toString(),
};

describe.each(ARRAYS)('a typed %s', (name) => {
  const Type = globalThis[name];
  const value = name.startsWith('Big') ? bigint : number;
  const step = fc.tuple(
    fc.constantFrom(...Object.keys(METHODS)),
    fc.tuple(index, index, fc.oneof({ weight: 9, arbitrary: value }, number), index),
  );

  test(
    'does what a plain one does, again and again',
    () => {
      const heap = makeHeap({ regionSize: 4 * MIB });
      // Neighbours, of which nothing may be written.
      const guards = Array.from({ length: 20 }, () => heap.alloc(24, 'g'));
      fc.assert(
        fc.property(fc.nat(40), fc.array(step, { maxLength: 30 }), (length, steps) => {
          const ours = heap.typed(Type, length);
          const plain = new Type(length);
          for (const [method, args] of steps) {
            const [got, expected] = [ours, plain].map((view) =>
              result(() => METHODS[method](view, args)),
            );
            expect([method, got]).toEqual([method, expected]);
            expect(bytesOf(ours).equals(bytesOf(plain))).toBe(true);
          }
          ours.free();
        }),
        { numRuns: times(60) },
      );
      for (const guard of guards) expect(bytesOf(guard).equals(Buffer.alloc(24, 'g'))).toBe(true);
      expect(heap.stats().live.buffers).toBe(20);
      expect(heap.check()).toEqual([]);
    },
    600_000 * FACTOR,
  );
});

const FIELDS = [
  'Int8',
  'Uint8',
  'Int16',
  'Uint16',
  'Int32',
  'Uint32',
  'Float32',
  'Float64',
  'BigInt64',
  'BigUint64',
];

test(
  'a typed DataView does what a plain one does',
  () => {
    const heap = makeHeap({ regionSize: 4 * MIB });
    const step = fc.tuple(fc.constantFrom(...FIELDS), index, number, bigint, fc.boolean());
    fc.assert(
      fc.property(fc.nat(40), fc.array(step, { maxLength: 40 }), (length, steps) => {
        const ours = heap.typed(DataView, length);
        const plain = new DataView(new ArrayBuffer(length));
        for (const [field, at, one, big, little] of steps) {
          const value = field.startsWith('Big') ? big : one;
          const [got, expected] = [ours, plain].map((view) => [
            result(() => view[`get${field}`](at, little)),
            result(() => view[`set${field}`](at, value, little)),
            result(() => view[`get${field}`](at, !little)),
          ]);
          expect([field, got]).toEqual([field, expected]);
          expect(bytesOf(ours).equals(bytesOf(plain))).toBe(true);
        }
        heap.free(ours);
      }),
      { numRuns: times(200) },
    );
    expect(heap.stats().live.buffers).toBe(0);
    expect(heap.check()).toEqual([]);
  },
  600_000 * FACTOR,
);

test(
  'views of all types at once never overlap, and are zero at first',
  async () => {
    const kinds = [...ARRAYS, 'DataView'];
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.tuple(
          fc.constant('make'),
          fc.nat(kinds.length - 1),
          fc.oneof(fc.nat(8), fc.nat(600)),
        ),
      },
      { weight: 4, arbitrary: fc.tuple(fc.constant('free'), fc.nat(1000), fc.boolean()) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('again'), fc.nat(1000)) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('trim')) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 150, size: 'max' }),
        fc.boolean(),
        async (steps, debug) => {
          const heap = makeHeap({ regionSize: 4 * MIB, debug });
          let mark = 0;
          let freed = [];
          const live = [];
          for (const [what, a, b] of steps) {
            if (what === 'make') {
              const view = heap.typed(globalThis[kinds[a]], b);
              const bytes = bytesOf(view);
              if (!bytes.every((byte) => byte === 0)) throw new Error('not zero');
              mark = (mark % 255) + 1;
              bytes.fill(mark);
              if (live.some((one) => one.view === view)) throw new Error('the same twice');
              live.push({ view, bytes, mark });
              freed = freed.filter((one) => one !== view);
            } else if (what === 'free' && live.length > 0) {
              const [{ view }] = live.splice(a % live.length, 1);
              if (b) view.free();
              else heap.free(view);
              freed.push(view);
            } else if (what === 'again' && freed.length > 0) {
              expect(() => heap.free(freed[a % freed.length])).toThrow('already been freed');
            } else if (what === 'trim') {
              heap.trim();
            }
            for (const { bytes, mark } of live) {
              if (!bytes.every((byte) => byte === mark)) throw new Error('two views overlap');
            }
            expect(heap.stats().live.buffers).toBe(live.filter(({ bytes }) => bytes.length).length);
          }
          expect(heap.check()).toEqual([]);
          for (const { view } of live) heap.free(view);
          heap.trim();
          expect(heap.stats().regions[0].inUse).toBe(0);
          expect(heap.dispose()).toEqual([]);
        },
      ),
      withHeaps(100),
    );
  },
  600_000 * FACTOR,
);
