/**
 * Every public function and property, found by reflection, with every hostile value in every place,
 * each call made twice: the second sees what the first left. Whatever comes of it, the heap is whole,
 * nothing else is live, and no byte of anybody else has changed.
 */
import { describe, expect, test } from '@jest/globals';
import * as slabring from 'slabring';
import * as inline from 'slabring/inline';
import * as process_ from 'slabring/process';
import { VALUES, World } from '../support/hostile-world.js';
import { FACTOR } from '../support/runs.js';

const { Arena, Heap, HeapBuffer } = slabring;

const nothing = () => {};

// Of each error the test runner maps the whole stack, which takes most of the time.
Error.stackTraceLimit = 1;

const OF_THE_ENTRY = {
  // Each makes a heap: heap-hostile.test.js.
  createHeap: 'elsewhere',
  createHeapSync: 'elsewhere',
  Arena: () => [1, 2, 3, 4],
  Heap: () => [1, 2, 3],
  HeapBuffer: () => [new ArrayBuffer(8), 0, 8, 1, 1, 1],
};

/**
 * What there is: how to come by one, where its members are found, and good arguments for each of
 * them. `[]`: it takes none, and gets one all the same. A new public name needs a line here.
 */
const SUBJECTS = {
  slabring: {
    use: (_, act) => act({ ...slabring }),
    places: () => [{ ...slabring }],
    members: OF_THE_ENTRY,
  },
  'slabring/inline': {
    use: (_, act) => act({ ...inline }),
    places: () => [{ ...inline }],
    members: OF_THE_ENTRY,
  },
  'slabring/process': {
    use: ({ heap }, act) => {
      const { warn } = console;
      console.warn = nothing;
      try {
        process_.useHeap(heap);
        return act({ ...process_ });
      } finally {
        console.warn = warn;
      }
    },
    places: () => [{ ...process_ }],
    members: {
      nextTick: () => [nothing, 1, 2, 3, 4, 5],
      useHeap: ({ heap }) => [heap],
      emitWarning: () => ['text', 'Warning', 'CODE'],
      hrtime: () => [[1, 2]],
      cwd: () => [],
      chdir: () => ['/'],
      binding: () => ['fs'],
      umask: () => [0],
      uptime: () => [],
      on: () => ['exit', nothing],
      addListener: () => ['exit', nothing],
      once: () => ['exit', nothing],
      prependListener: () => ['exit', nothing],
      prependOnceListener: () => ['exit', nothing],
      off: () => ['exit', nothing],
      removeListener: () => ['exit', nothing],
      removeAllListeners: () => ['exit'],
      emit: () => ['exit', 1],
      listeners: () => ['exit'],
      listenerCount: () => ['exit'],
      ...Object.fromEntries(
        [
          'default',
          'title',
          'browser',
          'platform',
          'version',
          'versions',
          'env',
          'argv',
          'stdout',
          'stderr',
        ].map((name) => [name, 'property']),
      ),
    },
  },
  heap: {
    use: ({ heap }, act) => act(heap),
    places: ({ heap }) => [heap, Heap.prototype],
    members: {
      alloc: () => [20, 7, 'utf8'],
      allocUnsafe: () => [20, { alignment: 64 }],
      allocUnsafeSlow: () => [20, { alignment: 64 }],
      from: () => ['text', 'utf8', 2],
      typed: () => [Float64Array, 4],
      free: (world) => [world.spare()],
      scope: () => [nothing],
      keep: (world) => [world.spare()],
      exportsOf: (world) => [world.spare()],
      retained: (world) => [world.spare()],
      arena: () => [{ size: 100 }],
      stats: () => [],
      onRegion: () => [nothing],
      check: () => [],
      trim: () => [],
      dispose: 'ends it',
      nextTick: () => [nothing, 1, 2, 3, 4, 5],
      createHook: () => [{ init: nothing }],
      AsyncVariable: () => [{ name: 'v', defaultValue: 1 }],
      poolSize: 'property',
      ticks: 'property',
      asyncIds: 'property',
    },
  },
  HeapBuffer: {
    use: (world, act) => act(world.spare()),
    places: () => [HeapBuffer.prototype],
    members: {
      free: () => [],
      subarray: () => [1, 5],
      slice: () => [1, 5],
      toArrayBuffer: () => [],
      inHeap: 'property',
      [Symbol.dispose ?? '']: () => [],
    },
  },
  'a typed view': {
    use: (world, act) => {
      const view = world.heap.typed(Int16Array, 8);
      try {
        return act(view);
      } finally {
        world.release(view);
      }
    },
    places: ({ typed }) => [Object.getPrototypeOf(typed)],
    members: { free: () => [], subarray: () => [1, 5], [Symbol.dispose ?? '']: () => [] },
  },
  arena: {
    use: ({ arena }, act) => act(arena),
    places: ({ arena }) => [arena, Arena.prototype],
    members: {
      alloc: () => [8, 8],
      allocZeroed: () => [8, 8],
      view: () => [Uint8Array, 16, 8],
      copyContents: () => [16, 8, new Uint8Array(16), 1],
      materialize: () => [16, 8],
      mark: () => [],
      reset: ({ marked }) => [marked],
      address: () => [16],
      findProblem: () => [],
      dispose: 'ends it',
      [Symbol.dispose ?? '']: 'ends it',
      ...Object.fromEntries(
        ['used', 'highWater', 'size', 'handle', 'exports'].map((name) => [name, 'property']),
      ),
      ...Object.fromEntries(
        ['u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'f32', 'f64', 'u64', 'i64'].map((name) => [
          name,
          'property',
        ]),
      ),
    },
  },
  scope: {
    use: ({ heap }, act) => heap.scope((scope) => void act(scope)),
    places: ({ heap }) => {
      let scope;
      heap.scope((given) => {
        scope = given;
      });
      return [scope, Object.getPrototypeOf(scope)];
    },
    members: {
      alloc: () => [20, 7, 'utf8'],
      allocUnsafe: () => [20, { alignment: 64 }],
      allocUnsafeSlow: () => [20, { alignment: 64 }],
      from: () => ['text', 'utf8', 2],
      typed: () => [Float64Array, 4],
      keep: (world) => [world.spare()],
    },
  },
  ticks: {
    use: ({ heap }, act) => act(heap.ticks),
    places: ({ heap }) => [heap.ticks, Object.getPrototypeOf(heap.ticks)],
    members: {
      nextTick: () => [nothing, 1, 2, 3, 4, 5],
      drain: () => [],
      schedule: () => [],
      refuse: 'ends it',
      size: 'property',
    },
  },
  asyncIds: {
    use: ({ heap }, act) => act(heap.asyncIds),
    places: ({ heap }) => [heap.asyncIds, Object.getPrototypeOf(heap.asyncIds)],
    members: {
      executionAsyncId: () => [],
      triggerAsyncId: () => [],
      newAsyncId: () => [],
      executionAsyncResource: () => [],
      push: () => [5, 1, {}],
      pop: () => [5],
      clear: () => [],
      depth: 'property',
    },
  },
  'a hook': {
    use: ({ heap }, act) => {
      const hook = heap.createHook({ init: nothing, before: nothing });
      try {
        return act(hook);
      } finally {
        hook.disable();
      }
    },
    places: ({ heap }) => {
      const hook = heap.createHook({});
      return [hook, Object.getPrototypeOf(hook)];
    },
    members: {
      enable: () => [],
      disable: () => [],
      ...Object.fromEntries(
        ['init', 'before', 'after', 'destroy'].map((name) => [name, 'property']),
      ),
    },
  },
  'a variable': {
    use: ({ heap }, act) => act(new heap.AsyncVariable({ name: 'v' })),
    places: ({ heap }) => [heap.AsyncVariable.prototype],
    members: {
      run: () => [1, nothing, 2],
      get: () => [],
      name: 'property',
      defaultValue: 'property',
    },
  },
};

/** Names of what a subject has, but for its constructor. */
const namesOf = (places) =>
  new Set(
    places.flatMap((place) => Reflect.ownKeys(place)).filter((name) => name !== 'constructor'),
  );

/** With one hostile value in each place, in all of them, and past the last. */
const listsOf = (good, hostile) => [
  ...good.map((_, place) => replaced(good, place, hostile)),
  [hostile, hostile, hostile],
  [...good, hostile],
];

function replaced(list, place, value) {
  const copy = [...list];
  copy[place] = value;
  return copy;
}

/** Engines and Node call symbols differently. */
const titled = (name) => [String(name).replace('nodejs.', 'Symbol.'), name];

/** All values; where tests are to be short a part of them, another for each name. */
function valuesFor(name) {
  const step = Math.max(1, Math.round(1 / FACTOR));
  const first = String(name).length % step;
  return Object.keys(VALUES).filter((_, i) => i % step === first);
}

/** What comes of it is looked at elsewhere: here, that nothing else did. */
function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** `expect` is too slow to be called after every call. */
function ensureWhole(world, what) {
  const problem = world.problem();
  if (problem !== '') throw new Error(`${what}: ${problem}`);
}

/** A promise's refusal is an answer, too. A heap that was made is ended. */
const settle = (result) => {
  if (result instanceof Heap) result.dispose();
  else if (result instanceof Promise) result.then(settle, nothing);
};

describe.each([
  ['an ordinary heap', {}],
  ['a heap in debug mode', { debug: true }],
])('%s', (_, options) => {
  describe.each(Object.keys(SUBJECTS))('%s', (subject) => {
    const { use, places, members } = SUBJECTS[subject];

    test('has no public name without a test', () => {
      const named = new Set(Reflect.ownKeys(members).filter((name) => name !== ''));
      if (subject === 'HeapBuffer' && !Object.hasOwn(HeapBuffer.prototype, 'slice')) {
        named.delete('slice');
      }
      expect(namesOf(places(new World(options)))).toEqual(named);
    });

    const callable = Reflect.ownKeys(members).filter(
      (name) => name !== '' && typeof members[name] === 'function',
    );
    test.each(callable.map(titled))(
      '%s survives every hostile value in every place, twice over',
      (_, name) => {
        const world = new World(options);
        for (const value of valuesFor(name)) {
          // What a program writes to a buffer that was freed, debug mode reports.
          if (name === 'copyContents' && value.endsWith('that was freed')) continue;
          const count = listsOf(members[name](world), 0).length;
          for (let list = 0; list < count; list++) {
            for (let time = 1; time <= 2; time++) {
              use(world, (object) => {
                const hostile = attempt(() => VALUES[value](world));
                const args = listsOf(members[name](world), hostile)[list];
                const isClass = /^[A-Z]/.test(String(name));
                const result = attempt(() =>
                  isClass ? Reflect.construct(object[name], args) : object[name](...args),
                );
                settle(result);
                world.release(result);
              });
              const what = `${value}, list ${list}, time ${time}`;
              ensureWhole(world, what);
            }
          }
        }
        world.heap.dispose();
      },
    );

    test.each(callable.map(titled))('%s of something else changes nothing', (_, name) => {
      const world = new World(options);
      for (const value of valuesFor(name)) {
        use(world, (object) => {
          const method = object[name];
          const hostile = attempt(() => VALUES[value](world));
          for (let time = 1; time <= 2; time++) {
            const result = attempt(() => Reflect.apply(method, hostile, members[name](world)));
            settle(result);
            world.release(result);
          }
        });
        ensureWhole(world, value);
      }
    });

    const properties = Reflect.ownKeys(members).filter((name) => members[name] === 'property');
    if (properties.length === 0) return;
    test.each(properties.map(titled))('%s: what is put there deceives nobody', (_, name) => {
      const world = new World(options);
      for (const value of valuesFor(name)) {
        for (let time = 1; time <= 2; time++) {
          use(world, (object) => {
            const before = object[name];
            const own = Object.getOwnPropertyDescriptor(object, name);
            const done = attempt(() => {
              object[name] = VALUES[value](world);
              return true;
            });
            exercise(world);
            if (done && own !== undefined) object[name] = before;
            void object[name];
          });
          ensureWhole(world, value);
        }
      }
    });

    const ends = Reflect.ownKeys(members).filter(
      (name) => name !== '' && members[name] === 'ends it',
    );
    if (ends.length === 0) return;
    test.each(ends.map(titled))('%s takes whatever it is given, twice', (_, name) => {
      for (const value of valuesFor(name)) {
        const world = new World(options);
        use(world, (object) => {
          const end = object[name];
          for (let time = 1; time <= 2; time++) {
            const hostile = attempt(() => VALUES[value](world));
            Reflect.apply(end, object, [hostile, hostile]);
          }
        });
        if (subject === 'heap') continue;
        expect(world.heap.check()).toEqual([]);
        world.heap.dispose();
      }
    });
  });
});

/** A bit of everything; it may be refused, and must do no harm. */
function exercise(world) {
  const { heap, arena, marked } = world;
  const made = [
    () => heap.alloc(20),
    () => heap.allocUnsafe(20),
    () => heap.from('text'),
    () => heap.from([1, 2, 3]),
    () => heap.typed(Float64Array, 3),
    () => arena.materialize(16, 40),
  ];
  for (const make of made) {
    const view = attempt(make);
    world.release(view);
  }
  attempt(() => arena.allocZeroed(24));
  attempt(() => arena.copyContents(16, 100, new Uint8Array(200), 3));
  attempt(() => arena.view(Float64Array, 16, 2));
  attempt(() => heap.nextTick(nothing, 1));
  attempt(() => arena.reset(marked));
  world.release(undefined);
}
