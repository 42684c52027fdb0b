import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeHeap } from '../support/heap.js';
import { FACTOR, withHeaps } from '../support/runs.js';

/**
 * A program is a list of steps; a scope is a step that holds a program. It runs on a heap and on
 * this model at once: which buffers are live, and who frees each.
 */
class Model {
  /** By an entry, since the heap may hand out an object again: { view, holder, live, mark }. */
  entries = [];
  #mark = 0;

  constructor(heap) {
    this.heap = heap;
  }

  get live() {
    return this.entries.filter(({ live }) => live);
  }

  /** `holder`: the scope that frees it, if any. */
  make(create, holder) {
    const view = create();
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (const other of this.live) {
      if (other.view === view || other.bytes.byteOffset === bytes.byteOffset) {
        throw new Error('two live buffers are one');
      }
    }
    this.#mark = (this.#mark % 255) + 1;
    bytes.fill(this.#mark);
    const entry = { view, bytes, holder, live: true, mark: this.#mark };
    this.entries.push(entry);
    return entry;
  }

  pick(number, filter = () => true) {
    const among = this.live.filter(filter);
    return among[number % among.length];
  }

  /** The scope is over: what it holds goes, and what it returns is held by the one around. */
  end(scope, returned) {
    for (const entry of this.entries) {
      if (entry.holder !== scope || !entry.live) continue;
      if (returned.includes(entry)) entry.holder = scope.outer?.ended ? undefined : scope.outer;
      else entry.live = false;
    }
    scope.ended = true;
  }

  verify() {
    const { live } = this;
    const problems = this.heap.check();
    const { buffers } = this.heap.stats().live;
    if (problems.length > 0 || buffers !== live.length) {
      throw new Error(`${buffers} live instead of ${live.length}. ${problems.join()}`);
    }
    for (const { view, bytes, mark } of live) {
      this.heap.retained(view);
      if (!bytes.every((byte) => byte === mark)) throw new Error('a buffer lost its bytes');
    }
  }
}

const MAKE = {
  alloc: (from, size) => from.alloc(size),
  unsafe: (from, size) => from.allocUnsafe(size),
  aligned: (from, size) => from.allocUnsafe(size, { alignment: 64 }),
  slow: (from, size) => from.allocUnsafeSlow(size),
  text: (from, size) => from.from('x'.repeat(size)),
  base64: (from, size) => from.from(` ${Buffer.alloc(size).toString('base64')}`, 'base64'),
  typed: (from, size) => from.typed(Int16Array, Math.ceil(size / 2)),
  words: (from, size) => from.typed(Int32Array, Math.ceil(size / 4)),
};

/** What a function of a scope returns, that the scope looks into. */
const RETURNS = [
  (entries) => entries[0]?.view,
  (entries) => entries.map(({ view }) => view),
  (entries) => Object.fromEntries(entries.map(({ view }, i) => [`key${i}`, view])),
  (entries) => entries.map(({ view }) => view.subarray?.(0, 1) ?? view),
];

/** `current`: the scope that takes note of what `heap.alloc` makes; undefined for none. */
function synchronous(model, { steps, returned, how, throws }, outer) {
  const scope = { outer, given: undefined, ended: false };
  let chosen = [];
  const error = new Error('of the program');
  try {
    const result = model.heap.scope((given) => {
      scope.given = given;
      for (const step of steps) runStep(model, step, scope);
      if (throws) throw error;
      chosen = choose(model, returned, how);
      return RETURNS[how](chosen);
    });
    if (throws) throw new Error('nothing was thrown');
    if (how === 1 && result.length !== chosen.length) throw new Error('another result');
  } catch (thrown) {
    if (thrown !== error) throw thrown;
  }
  model.end(scope, chosen);
}

function choose(model, numbers, how) {
  const entries = new Set(numbers.map((number) => model.pick(number)).filter(Boolean));
  return [...entries].slice(0, how === 0 ? 1 : undefined);
}

function runStep(model, [name, ...args], current) {
  const { heap } = model;
  switch (name) {
    case 'make':
      model.make(() => MAKE[args[0]](heap, args[1]), current);
      break;
    case 'makeIn': {
      // By the object of any scope that is open.
      const chain = [];
      for (let one = current; one !== undefined; one = one.outer) if (!one.ended) chain.push(one);
      const scope = chain[args[2] % chain.length];
      if (scope?.given) model.make(() => MAKE[args[0]](scope.given, args[1]), scope);
      break;
    }
    case 'free': {
      const entry = model.pick(args[0]);
      if (entry === undefined) break;
      if (args[1]) heap.free(entry.view);
      else entry.view.free();
      entry.live = false;
      break;
    }
    case 'keep': {
      const entry = model.pick(args[0]);
      if (entry === undefined) break;
      if (args[1] && current?.given && !current.ended) current.given.keep(entry.view);
      else heap.keep(entry.view);
      entry.holder = undefined;
      break;
    }
    case 'trim':
      heap.trim();
      break;
    default:
      synchronous(model, args[0], current);
  }
  model.verify();
}

const size = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(1, 8, 10, 16, 24) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5000 }) },
);
const kind = fc.constantFrom(...Object.keys(MAKE));
const number = fc.nat(50);

const simple = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('make'), kind, size) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('makeIn'), kind, size, number) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('free'), number, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('keep'), number, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('trim')) },
);

const { program, scope } = fc.letrec((tie) => ({
  scope: fc.record({
    steps: tie('program'),
    returned: fc.array(number, { maxLength: 4 }),
    how: fc.nat(RETURNS.length - 1),
    throws: fc.nat(4).map((one) => one === 0),
  }),
  step: fc.oneof(
    { maxDepth: 5 },
    { weight: 5, arbitrary: simple },
    { weight: 2, arbitrary: fc.tuple(fc.constant('scope'), tie('scope')) },
  ),
  program: fc.array(tie('step'), { maxLength: 12, size: 'max' }),
}));

const KINDS = {
  'an ordinary heap': {},
  'a heap with zeroOnFree': { zeroOnFree: true },
  'a heap in debug mode': { debug: true },
};

describe.each(Object.keys(KINDS))('in %s', (name) => {
  const make = () => new Model(makeHeap({ regionSize: 2 ** 22, ...KINDS[name] }));

  /** All that is left can be freed, and then there is nothing. */
  function finish(model) {
    for (const { view } of model.live) model.heap.free(view);
    model.heap.trim();
    expect(model.heap.stats().regions[0].inUse).toBe(0);
    expect(model.heap.check()).toEqual([]);
    expect(model.heap.dispose()).toEqual([]);
  }

  test(
    'nested scopes free what a simple model says',
    async () => {
      await fc.assert(
        fc.asyncProperty(program, async (steps) => {
          const model = make();
          for (const step of steps) runStep(model, step, undefined);
          finish(model);
        }),
        withHeaps(150),
      );
    },
    600_000 * FACTOR,
  );

  // Several at a time, each going on by one step whenever it is its turn. What runs between the
  // steps of one is in no scope, or in one that ends within the step.
  test(
    'asynchronous scopes, interleaved, free what a simple model says',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(scope, { minLength: 1, maxLength: 5 }),
          fc.array(fc.tuple(fc.nat(4), fc.option(simple)), { maxLength: 60, size: 'max' }),
          async (scopes, turns) => {
            const model = make();
            const runs = scopes.map((one) => asynchronous(model, one));
            for (const [which, between] of turns) {
              await runs[which % runs.length].next();
              if (between !== null) runStep(model, between, undefined);
            }
            for (const run of runs) await run.finish();
            finish(model);
          },
        ),
        withHeaps(100),
      );
    },
    600_000 * FACTOR,
  );
});

/** Settles as soon as the other has taken its step. */
const settle = async () => {
  for (let i = 0; i < 4; i++) await null;
};

function asynchronous(model, { steps, returned, how, throws }) {
  const scope = { outer: undefined, given: undefined, ended: false };
  const error = new Error('of the program');
  let go;
  let chosen = [];
  let done = false;
  let failure;
  const left = [...steps];
  const promise = model.heap
    .scope(async (given) => {
      scope.given = given;
      // The first steps are within the scope by themselves.
      for (const step of left.splice(0, 1 + returned.length)) runStep(model, step, scope);
      for (;;) {
        await new Promise((resolve) => {
          go = resolve;
        });
        if (left.length === 0) break;
        const step = left.shift();
        // From here on only the scope's own methods make what it frees.
        if (step[0] === 'make') {
          model.make(() => MAKE[step[1]](given, step[2]), scope);
          model.verify();
        } else if (step[0] === 'makeIn') {
          runStep(model, step, scope);
        } else if (step[0] === 'scope') {
          runStep(model, step, undefined);
        } else {
          runStep(model, step, scope);
        }
      }
      if (throws) throw error;
      chosen = choose(model, returned, how);
      return RETURNS[how](chosen);
    })
    .catch((thrown) => {
      if (thrown !== error) failure = thrown;
    })
    .finally(() => {
      model.end(scope, chosen);
      done = true;
    });
  const next = async () => {
    if (done) return;
    go();
    await settle();
    if (failure) throw failure;
  };
  return {
    next,
    async finish() {
      while (!done) await next();
      await promise;
      if (failure) throw failure;
      model.verify();
    },
  };
}
