/** The stack of async ids, hooks and variables; Node's own as the oracle where it has such. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';
import { caught, facts, makeHeap } from '../support/heap.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('asyncIds', () => {
  test('begins as the program itself', () => {
    const { asyncIds } = makeHeap();
    expect([asyncIds.executionAsyncId(), asyncIds.triggerAsyncId(), asyncIds.depth]).toEqual([
      1, 0, 0,
    ]);
    expect(asyncIds.executionAsyncResource()).toBeUndefined();
  });

  test('ids are new', () => {
    const { asyncIds } = makeHeap();
    expect([asyncIds.newAsyncId(), asyncIds.newAsyncId()]).toEqual([2, 3]);
  });

  test('push and pop', () => {
    const { asyncIds } = makeHeap();
    const { push, pop, executionAsyncId, triggerAsyncId, executionAsyncResource } = asyncIds;
    const resource = {};
    push(10, 1, resource);
    push(11, 10);
    expect([executionAsyncId(), triggerAsyncId(), asyncIds.depth]).toEqual([11, 10, 2]);
    expect(executionAsyncResource()).toBeUndefined();
    expect(pop(11)).toBe(true);
    expect([executionAsyncId(), triggerAsyncId(), asyncIds.depth]).toEqual([10, 1, 1]);
    expect(executionAsyncResource()).toBe(resource);
    expect(pop(10)).toBe(false);
    expect([executionAsyncId(), triggerAsyncId(), asyncIds.depth]).toEqual([1, 0, 0]);
    expect(pop(1)).toBe(false);
  });

  test('10,000 deep, ids and resources are right all the way down and up', () => {
    const heap = makeHeap();
    const { asyncIds } = heap;
    const resources = Array.from({ length: 10_000 }, (_, i) => ({ i }));
    const look = (i) => {
      expect(asyncIds.depth).toBe(i);
      expect(asyncIds.executionAsyncId()).toBe(i === 0 ? 1 : 100 + i - 1);
      expect(asyncIds.triggerAsyncId()).toBe(i === 0 ? 0 : i - 1);
      expect(asyncIds.executionAsyncResource()).toBe(i === 0 ? undefined : resources[i - 1]);
    };
    for (let i = 0; i < 10_000; i++) {
      look(i);
      asyncIds.push(100 + i, i, resources[i]);
    }
    for (let i = 10_000; i > 0; i--) {
      look(i);
      expect(asyncIds.pop(100 + i - 1)).toBe(i > 1);
    }
    look(0);
    expect(heap.check()).toEqual([]);
  });

  test.each([1, 15, 16, 17, 100])('a wrong pop at depth %d throws and changes nothing', (depth) => {
    const { asyncIds } = makeHeap();
    for (let i = 0; i < depth; i++) asyncIds.push(100 + i, i, { i });
    const before = [asyncIds.executionAsyncId(), asyncIds.triggerAsyncId(), asyncIds.depth];
    const resource = asyncIds.executionAsyncResource();
    for (const wrong of [100 + depth, 99, 1, 0, Number.NaN, undefined]) {
      expect(facts(caught(() => asyncIds.pop(wrong)))).toEqual({
        class: 'Error',
        code: 'ERR_ASYNC_STACK_CORRUPTED',
        message: `The async id stack is corrupted (actual: ${99 + depth}, expected: ${wrong})`,
      });
    }
    if (depth > 1) expect(caught(() => asyncIds.pop(100)).code).toBe('ERR_ASYNC_STACK_CORRUPTED');
    expect([asyncIds.executionAsyncId(), asyncIds.triggerAsyncId(), asyncIds.depth]).toEqual(
      before,
    );
    expect(asyncIds.executionAsyncResource()).toBe(resource);
  });

  test.each([
    ['a string', ['1', 1], 'ERR_INVALID_ARG_TYPE'],
    ['nothing', [], 'ERR_INVALID_ARG_TYPE'],
    ['a negative number', [-1, 1], 'ERR_OUT_OF_RANGE'],
    ['NaN', [Number.NaN, 1], 'ERR_OUT_OF_RANGE'],
    ['a trigger of no number', [5, {}], 'ERR_INVALID_ARG_TYPE'],
  ])('push refuses %s', (_, args, code) => {
    const { asyncIds } = makeHeap();
    expect(caught(() => asyncIds.push(...args)).code).toBe(code);
    expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([1, 0]);
  });

  test('clear goes back to the program itself', () => {
    const { asyncIds } = makeHeap();
    for (let i = 0; i < 50; i++) asyncIds.push(100 + i, i, {});
    asyncIds.clear();
    expect([asyncIds.executionAsyncId(), asyncIds.triggerAsyncId(), asyncIds.depth]).toEqual([
      1, 0, 0,
    ]);
    asyncIds.push(5, 1);
    expect(asyncIds.executionAsyncResource()).toBeUndefined();
  });

  test('a tick that clears, pops itself or leaves ids pushed disturbs no other', async () => {
    const { nextTick, asyncIds } = makeHeap();
    const seen = [];
    nextTick(() => asyncIds.clear());
    nextTick(() => asyncIds.pop(asyncIds.executionAsyncId()));
    nextTick(() => asyncIds.push(77, 7, {}));
    nextTick(() => {
      seen.push(asyncIds.executionAsyncId(), asyncIds.triggerAsyncId(), asyncIds.depth);
      seen.push(asyncIds.executionAsyncResource());
    });
    await settled();
    expect(seen).toEqual([5, 1, 1, undefined]);
    expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([1, 0]);
  });

  test('a tick can neither pop nor clear what was pushed by the code it interrupts', () => {
    const { nextTick, asyncIds, ticks } = makeHeap();
    const resources = [{}, {}];
    asyncIds.push(50, 5, resources[0]);
    asyncIds.push(60, 6, resources[1]);
    nextTick(() => {
      const own = asyncIds.executionAsyncId();
      expect([asyncIds.pop(own), asyncIds.pop(60), asyncIds.pop(50)]).toEqual([
        false,
        false,
        false,
      ]);
      expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([own, 3]);
      asyncIds.clear();
      expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([1, 3]);
      for (const id of [7, 8, 9]) asyncIds.push(id, 1, {});
      nextTick(() => {
        asyncIds.clear();
        asyncIds.push(10, 1);
      });
      ticks.drain();
      expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([9, 6]);
      expect(asyncIds.pop(9)).toBe(true);
    });
    ticks.drain();
    for (const [id, trigger, depth] of [
      [60, 6, 2],
      [50, 5, 1],
    ]) {
      expect([asyncIds.executionAsyncId(), asyncIds.triggerAsyncId()]).toEqual([id, trigger]);
      expect(asyncIds.depth).toBe(depth);
      expect(asyncIds.executionAsyncResource()).toBe(resources[depth - 1]);
      expect(asyncIds.pop(id)).toBe(depth > 1);
    }
    expect([asyncIds.executionAsyncId(), asyncIds.triggerAsyncId()]).toEqual([1, 0]);
  });

  test('what a tick that throws has begun with ends with it', () => {
    const { nextTick, asyncIds, ticks } = makeHeap();
    asyncIds.push(50, 5);
    nextTick(() => {
      asyncIds.clear();
      asyncIds.push(7, 1);
      throw new RangeError('of the tick');
    });
    expect(() => ticks.drain()).toThrow(RangeError);
    expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([50, 1]);
    expect(asyncIds.pop(50)).toBe(false);
  });

  test('a JavaScript stack overflow in between is thrown as it is, the stack balanced', () => {
    // A RangeError in V8, an InternalError in SpiderMonkey.
    const overflow = caught(function again() {
      again();
    }).constructor.name;
    const { asyncIds } = makeHeap({ regionSize: 2 ** 24 });
    const dive = (id) => {
      asyncIds.push(id, 0, {});
      try {
        dive(id + 1);
      } finally {
        asyncIds.pop(id);
      }
    };
    for (let round = 0; round < 20; round++) {
      expect(caught(() => dive(2)).constructor.name).toBe(overflow);
      expect([asyncIds.executionAsyncId(), asyncIds.depth]).toEqual([1, 0]);
    }
  });

  test('each tick has an id, and the trigger that pushed it', async () => {
    const { nextTick, asyncIds } = makeHeap();
    const seen = [];
    const note = (name) =>
      seen.push([name, asyncIds.executionAsyncId(), asyncIds.triggerAsyncId()]);
    nextTick(() => {
      note('a');
      nextTick(() => {
        note('c');
        nextTick(note, 'd');
      });
    });
    asyncIds.push(50, 1);
    nextTick(note, 'b');
    asyncIds.pop(50);
    await settled();
    expect(seen).toEqual([
      ['a', 2, 1],
      ['b', 3, 50],
      ['c', 4, 2],
      ['d', 5, 4],
    ]);
  });
});

describe('createHook', () => {
  /** Ids as letters, in the order of their init: the program runs with Node's and with ours. */
  const run = (program, ours) =>
    resultOf(`
      import * as node from 'node:async_hooks';
      const heap = await createHeap();
      const ours = ${ours};
      const tick = ours ? heap.nextTick : process.nextTick;
      const createHook = ours ? heap.createHook : node.createHook;
      const current = ours ? heap.asyncIds.executionAsyncId : node.executionAsyncId;
      const trigger = ours ? heap.asyncIds.triggerAsyncId : node.triggerAsyncId;
      const seen = [], ids = new Map();
      const name = (id) => ids.get(id) ?? 'outside';
      const hook = (label = '') => createHook({
        init(id, type, triggerId) {
          if (type !== 'TickObject') return;
          ids.set(id, String.fromCharCode(97 + ids.size));
          seen.push(label + 'init ' + name(id) + ' by ' + name(triggerId) + ' in ' + name(current()));
        },
        before(id) { if (ids.has(id)) seen.push(label + 'before ' + name(id) + ' in ' + name(current()) + ' by ' + name(trigger())); },
        after(id) { if (ids.has(id)) seen.push(label + 'after ' + name(id) + ' in ' + name(current())); },
      });
      setTimeout(() => {
        ${program}
        setTimeout(() => print(seen), 20);
      });
    `);

  test.each([
    [
      'init, before and after of ticks that queue ticks',
      `hook().enable();
       tick(() => { seen.push('run ' + name(current())); tick(() => seen.push('run ' + name(current()))); });
       tick(() => {});`,
    ],
    [
      'two hooks, in the order of enabling',
      `hook('1 ').enable(); hook('2 ').enable(); tick(() => {});`,
    ],
    ['enabled twice is enabled once', `const h = hook(); h.enable(); h.enable(); tick(() => {});`],
    ['disabled before', `hook().enable().disable(); tick(() => {}); seen.push('none');`],
    [
      'disabled by a tick in mid-drain',
      `const h = hook().enable();
       tick(() => {}); tick(() => h.disable()); tick(() => seen.push('run')); tick(() => {});`,
    ],
    [
      'enabled again by a tick in mid-drain',
      `const h = hook().enable(); tick(() => {}); h.disable();
       tick(() => h.enable()); tick(() => { tick(() => seen.push('run')); });`,
    ],
    [
      'ticks that throw',
      `process.on('uncaughtException', (error) => seen.push(error.message + ' in ' + name(current())));
       hook().enable();
       tick(() => { throw new Error('one'); }); tick(() => seen.push('run'));
       tick(() => { throw new Error('last'); });`,
    ],
  ])('as Node’s: %s', (_, program) => {
    const expected = run(program, false);
    expect(expected.length).toBeGreaterThan(0);
    expect(run(program, true)).toEqual(expected);
  });

  test('destroy follows after, tick by tick', async () => {
    const { nextTick, createHook } = makeHeap();
    const seen = [];
    const hook = createHook({
      init: (id, type, trigger, resource) =>
        seen.push(['init', id, type, trigger, typeof resource]),
      before: (id) => seen.push(['before', id]),
      after: (id) => seen.push(['after', id]),
      destroy: (id) => seen.push(['destroy', id]),
    });
    expect(hook.enable()).toBe(hook);
    nextTick(() => seen.push('a'));
    nextTick(() => seen.push('b'));
    await settled();
    expect(hook.disable()).toBe(hook);
    expect(seen).toEqual([
      ['init', 2, 'TickObject', 1, 'object'],
      ['init', 3, 'TickObject', 1, 'object'],
      ...[['before', 2], 'a', ['after', 2], ['destroy', 2]],
      ...[['before', 3], 'b', ['after', 3], ['destroy', 3]],
    ]);
  });

  test.each(['init', 'before', 'after', 'destroy'])('refuses a %s that is no function', (name) => {
    const { createHook } = makeHeap();
    expect(facts(caught(() => createHook({ [name]: 1 })))).toEqual({
      class: 'TypeError',
      code: 'ERR_ASYNC_CALLBACK',
      message: `hook.${name} must be a function`,
    });
  });

  test('an error of init comes to who pushes, and nothing is queued', () => {
    const { nextTick, ticks, createHook } = makeHeap();
    const hook = createHook({
      init() {
        throw new Error('init');
      },
    }).enable();
    expect(caught(() => nextTick(() => {})).message).toBe('init');
    expect(ticks.size).toBe(0);
    hook.disable();
    let ran = 0;
    nextTick(() => ran++);
    ticks.drain();
    expect(ran).toBe(1);
  });
});

describe('AsyncVariable', () => {
  test('has a name and a default value', () => {
    const { AsyncVariable } = makeHeap();
    const variable = new AsyncVariable({ name: 'request', defaultValue: 5 });
    expect([variable.name, variable.defaultValue, variable.get()]).toEqual(['request', 5, 5]);
    const plain = new AsyncVariable();
    expect([plain.name, plain.defaultValue, plain.get()]).toEqual(['', undefined, undefined]);
    expect(caught(() => new AsyncVariable(null)).code).toBe('ERR_INVALID_ARG_TYPE');
    expect(caught(() => plain.run(1, 'no function')).code).toBe('ERR_INVALID_ARG_TYPE');
  });

  test('run sets it, hands on arguments and the result, and goes back, even after an error', () => {
    const { AsyncVariable } = makeHeap();
    const variable = new AsyncVariable({ defaultValue: 0 });
    expect(variable.run(1, (...args) => [variable.get(), ...args], 2, 3)).toEqual([1, 2, 3]);
    expect(variable.get()).toBe(0);
    expect(
      caught(() =>
        variable.run(1, () => {
          throw new Error('in run');
        }),
      ).message,
    ).toBe('in run');
    expect(variable.get()).toBe(0);
    expect(variable.run(undefined, () => variable.get())).toBeUndefined();
  });

  test('several nest, and each is its own', () => {
    const { AsyncVariable } = makeHeap();
    const [a, b, c] = [new AsyncVariable(), new AsyncVariable(), new AsyncVariable()];
    const all = () => [a.get(), b.get(), c.get()];
    a.run(1, () => {
      b.run(2, () => {
        c.run(3, () => {
          expect(all()).toEqual([1, 2, 3]);
          a.run(4, () => expect(all()).toEqual([4, 2, 3]));
          b.run(5, () => expect(all()).toEqual([1, 5, 3]));
          c.run(undefined, () => expect(all()).toEqual([1, 2, undefined]));
          expect(all()).toEqual([1, 2, 3]);
        });
      });
      expect(all()).toEqual([1, undefined, undefined]);
    });
  });

  test('follows ticks as AsyncLocalStorage follows process.nextTick', async () => {
    const { nextTick, AsyncVariable } = makeHeap();
    const program = async (variable, get, tick) => {
      const seen = [];
      const step = (n, name) => {
        seen.push([name, get()]);
        if (n === 0) return;
        tick(step, n - 1, `${name}a`);
        variable.run(name, () => tick(step, n - 1, `${name}b`));
      };
      variable.run('root', () => tick(step, 4, ''));
      tick(step, 3, 'x');
      await settled();
      seen.push(get());
      return seen;
    };
    const storage = new AsyncLocalStorage();
    const variable = new AsyncVariable();
    expect(await program(variable, () => variable.get(), nextTick)).toEqual(
      await program(storage, () => storage.getStore(), process.nextTick),
    );
  });

  test('is that of each tick though others throw, and in a nested drain', async () => {
    const { nextTick, ticks, AsyncVariable } = makeHeap();
    const variable = new AsyncVariable({ defaultValue: 'none' });
    const seen = [];
    const note = () => seen.push(variable.get());
    variable.run('a', () => {
      nextTick(() => {
        note();
        throw new Error('a');
      });
    });
    nextTick(note);
    variable.run('b', () => nextTick(note));
    variable.run('outer', () => {
      expect(caught(() => ticks.drain()).message).toBe('a');
      note();
      ticks.drain();
      note();
    });
    note();
    expect(seen).toEqual(['a', 'outer', 'none', 'b', 'outer', 'none']);
  });

  test('keeps no value that a tick cannot see any more', () => {
    const alive = resultOf(
      `
      const heap = await createHeap();
      const variable = new heap.AsyncVariable(), other = new heap.AsyncVariable();
      const refs = [];
      let left = 100;
      const step = () => {
        if (left-- === 0) { setTimeout(() => { gc(); print([refs.filter((ref) => ref.deref()).length, variable.get() === undefined]); }); return; }
        const value = { left };
        refs.push(new WeakRef(value));
        variable.run(value, () => other.run(left, () => heap.nextTick(step)));
      };
      step();
    `,
      { flags: ['--expose-gc'] },
    );
    expect(alive).toEqual([0, true]);
  });
});

describe('Node’s AsyncLocalStorage', () => {
  /** Two requests in flight push onto one heap. */
  const program = (options) => `
    import { AsyncLocalStorage } from 'node:async_hooks';
    const storage = new AsyncLocalStorage();
    const heap = await storage.run('maker', () => createHeap(${options}));
    const late = new AsyncLocalStorage();
    const seen = [];
    const note = (name) => seen.push([name, storage.getStore() ?? null, late.getStore() ?? null]);
    process.on('uncaughtException', (error) => note(error.message));
    const request = (name) => storage.run(name, () => late.run('late ' + name, () => {
      setTimeout(() => {
        heap.nextTick(note, name);
        heap.nextTick(() => { note(name + ' 2'); heap.nextTick(note, name + ' 3'); });
        heap.nextTick(() => { throw new Error(name + ' threw'); });
      });
    }));
    request('A');
    request('B');
    setTimeout(() => print(seen), 20);
  `;

  test('by default no tick sees a request’s: all see that of who made the heap', () => {
    const seen = resultOf(program('{}'));
    expect(seen).toHaveLength(8);
    expect(seen.map(([, store, late]) => [store, late])).toEqual(Array(8).fill(['maker', null]));
  });

  test('with hostContext each tick sees its own', () => {
    const seen = resultOf(program('{ hostContext: true }')).filter(([name]) => !/threw/.test(name));
    expect(seen.map(([name]) => name).sort()).toEqual(['A', 'A 2', 'A 3', 'B', 'B 2', 'B 3']);
    for (const [name, store, late] of seen)
      expect([store, late]).toEqual([name[0], `late ${name[0]}`]);
  });

  test('hostContext changes nothing else', () => {
    const heap = makeHeap({ hostContext: true });
    const seen = [];
    heap.nextTick((...args) => seen.push(args), 1, 2, 3, 4, 5, 6);
    heap.nextTick((...args) => seen.push(args));
    heap.ticks.drain();
    expect(seen).toEqual([[1, 2, 3, 4, 5, 6], []]);
    expect(facts(caught(() => heap.nextTick(1)))).toEqual(facts(caught(() => process.nextTick(1))));
  });
});
