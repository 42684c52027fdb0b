/** Values, and changes of prototypes, that have broken APIs before. */

import { HeapBuffer } from 'slabring';
import { makeHeap } from './heap.js';

export const fail = () => {
  throw new Error('touched');
};

/** Throws whatever is done with it. */
export const thorn = new Proxy(
  function thorn() {},
  Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, fail])),
);

/** Made anew for each use. */
export const HOSTILE = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  'a bigint': () => 8n,
  'a symbol': () => Symbol('s'),
  NaN: () => NaN,
  Infinity: () => Infinity,
  '-Infinity': () => -Infinity,
  '-0': () => -0,
  '-1': () => -1,
  1.5: () => 1.5,
  '2^31': () => 2 ** 31,
  '2^32': () => 2 ** 32,
  '2^32 + 8': () => 2 ** 32 + 8,
  '2^53': () => 2 ** 53,
  '1e308': () => 1e308,
  'an empty string': () => '',
  'a number as a string': () => '8',
  'a string': () => 'hello \ud800',
  'a method name': () => '__proto__',
  'an empty object': () => ({}),
  'an object without prototype': () => Object.create(null),
  'an array': () => [8],
  'a sparse array': () => new Array(100),
  'a function': () => () => 8,
  'a class': () => class Mine {},
  'a regular expression': () => /x/g,
  'a date': () => new Date(NaN),
  'an error': () => new Error('x'),
  'a promise': () => Promise.resolve(8),
  'a Map': () => new Map([[1, 2]]),
  'a boxed number': () => Object(8),
  'a boxed bigint': () => Object(8n),
  'an object with valueOf': () => ({ valueOf: () => 8, toString: () => '8' }),
  'an object whose valueOf throws': () => ({ valueOf: fail, toString: fail }),
  'an object whose toPrimitive throws': () => ({ [Symbol.toPrimitive]: fail }),
  'an object whose length throws': () => Object.defineProperty({}, 'length', { get: fail }),
  'an array-like without end': () => ({ length: Infinity }),
  'an array-like of negative length': () => ({ length: -1 }),
  'an array-like of huge length': () => ({ length: 2 ** 32 + 1 }),
  'a proxy that throws at everything': () => thorn,
  'a proxy of an array': () => new Proxy([1, 2], {}),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  'a Uint8Array': () => new Uint8Array(8),
  'a Float64Array of NaN': () => Float64Array.of(NaN),
  'a DataView': () => new DataView(new ArrayBuffer(8)),
  'a Buffer': () => Buffer.alloc(8),
  'a detached view': () => {
    const view = new Uint8Array(8);
    structuredClone(view.buffer, { transfer: [view.buffer] });
    return view;
  },
  'a SharedArrayBuffer': () => new SharedArrayBuffer(8),
  "another heap's buffer": (() => {
    const other = makeHeap();
    return () => other.alloc(8);
  })(),
  'an object that inherits from HeapBuffer': () => Object.create(HeapBuffer.prototype),
  'the global object': () => globalThis,
};

/** Errors from inside: they tell a user nothing, and mean that a check is missing. */
export const INSIDE =
  /Cannot (read|set|use|convert undefined)|undefined \(|is not iterable|memory access/;

/**
 * Runs `action` while accessors are planted on the prototype; nothing else may run meanwhile, the
 * test runner least of all. Returns the names of those that were touched.
 */
export function planted(prototype, keys, action) {
  const touched = new Set();
  for (const key of keys) {
    Object.defineProperty(prototype, key, {
      get() {
        touched.add(`get ${key}`);
        return undefined;
      },
      set() {
        touched.add(`set ${key}`);
      },
      configurable: true,
    });
  }
  try {
    action();
  } finally {
    for (const key of keys) delete prototype[key];
  }
  return [...touched];
}

/** Indices, as names. */
export const INDICES = Array.from({ length: 300 }, (_, i) => String(i));
