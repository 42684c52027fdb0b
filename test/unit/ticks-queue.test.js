/** The queue: what a tick gets, errors, draining, memory. Order is in ticks-order.test.js. */

import { describe, expect, test } from '@jest/globals';
import { resultOf, runModule } from '../support/child.js';
import { caught, facts, label, MIB, makeHeap } from '../support/heap.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('nextTick', () => {
  test.each([undefined, null, 1, 'f', {}, [], Symbol('s'), true])(
    'refuses %p in the words of Node',
    (value) => {
      const heap = makeHeap();
      expect(facts(caught(() => heap.nextTick(value)))).toEqual(
        facts(caught(() => process.nextTick(value))),
      );
      expect(heap.ticks.size).toBe(0);
    },
  );

  test.each([0, 1, 2, 3, 4, 5, 6, 10, 300])('hands on %d arguments, no more', (count) => {
    const { nextTick, ticks } = makeHeap();
    const args = Array.from({ length: count }, (_, i) => (i % 2 ? undefined : { i }));
    const seen = [];
    nextTick((...all) => seen.push(all), ...args);
    nextTick((...all) => seen.push(all));
    ticks.drain();
    expect(seen).toEqual([args, []]);
    args.forEach((arg, i) => {
      expect(seen[0][i]).toBe(arg);
    });
  });

  test('calls with no this, returns undefined and ignores what a tick returns', () => {
    const { nextTick, ticks } = makeHeap();
    let self = 0;
    expect(
      nextTick(function tick() {
        self = this;
        return Promise.resolve();
      }),
    ).toBeUndefined();
    ticks.drain();
    expect(self).toBeUndefined();
  });

  test('never calls at once', () => {
    const { nextTick, ticks } = makeHeap();
    let ran = false;
    nextTick(() => {
      ran = true;
    });
    expect(ran).toBe(false);
    expect(ticks.size).toBe(1);
  });

  test('is the same function at the heap and at the queue, and needs no this', async () => {
    const heap = makeHeap();
    const { nextTick } = heap;
    expect(heap.ticks.nextTick).toBe(nextTick);
    const seen = [];
    nextTick(() => seen.push(1));
    await settled();
    expect(seen).toEqual([1]);
  });

  test('heaps have queues of their own', () => {
    const one = makeHeap();
    const two = makeHeap();
    const seen = [];
    one.nextTick(() => seen.push('one'));
    two.nextTick(() => seen.push('two'));
    two.ticks.drain();
    expect(seen).toEqual(['two']);
    expect(one.ticks.size).toBe(1);
  });

  test('a mix of arities over many segments arrives as it was pushed', () => {
    const { nextTick, ticks } = makeHeap({ regionSize: 16 * MIB });
    const seen = [];
    const tick = (...args) => seen.push(args);
    const pushed = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9000; i++) {
        const args = Array.from({ length: (i * 7) % 6 }, (_, k) => `${round}.${i}.${k}`);
        pushed.push(args);
        nextTick(tick, ...args);
      }
      expect(ticks.size).toBe(9000);
      ticks.drain();
      expect(ticks.size).toBe(0);
    }
    expect(seen).toEqual(pushed);
  });

  test('a full heap refuses with nothing changed, and goes on when there is room', () => {
    const heap = makeHeap();
    const { nextTick, ticks } = heap;
    let ran = 0;
    const tick = () => ran++;
    let pushed = 0;
    const error = caught(() => {
      for (;;) {
        nextTick(tick);
        pushed++;
      }
    });
    expect(error.code).toBe('ERR_HEAP_EXHAUSTED');
    expect(pushed % 2048).toBe(0);
    expect(ticks.size).toBe(pushed);
    ticks.drain();
    expect(ran).toBe(pushed);
    nextTick(tick);
    ticks.drain();
    expect(ran).toBe(pushed + 1);
    expect(heap.check()).toEqual([]);
  });
});

describe('drain', () => {
  test('runs what is queued and what that queues', () => {
    const { nextTick, ticks } = makeHeap();
    const seen = [];
    nextTick(() => {
      seen.push(1);
      nextTick(() => seen.push(3));
    });
    nextTick(() => seen.push(2));
    expect(ticks.drain()).toBeUndefined();
    expect(seen).toEqual([1, 2, 3]);
    expect(ticks.size).toBe(0);
  });

  test('of nothing does nothing', () => {
    const { ticks } = makeHeap();
    ticks.drain();
    expect(ticks.size).toBe(0);
  });

  test('inside of a tick runs the rest there and then', async () => {
    const { nextTick, ticks, asyncIds } = makeHeap();
    const seen = [];
    const note = (what) => seen.push([what, asyncIds.executionAsyncId(), asyncIds.depth]);
    nextTick(() => {
      note('outer');
      ticks.drain();
      note('outer again');
    });
    nextTick(() => {
      note('inner');
      nextTick(note, 'innermost');
    });
    await settled();
    expect(seen).toEqual([
      ['outer', 2, 1],
      ['inner', 3, 2],
      ['innermost', 4, 2],
      ['outer again', 2, 1],
    ]);
    expect(asyncIds.depth).toBe(0);
  });

  test('every tick may drain', () => {
    const { nextTick, ticks } = makeHeap();
    const seen = [];
    for (let i = 0; i < 100; i++) {
      nextTick(() => {
        seen.push(i);
        ticks.drain();
      });
    }
    ticks.drain();
    expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  test('throws what a tick throws; the rest stay queued and run later', async () => {
    const { nextTick, ticks, asyncIds } = makeHeap();
    const seen = [];
    const error = new Error('tick');
    nextTick(() => seen.push(1));
    nextTick(() => {
      throw error;
    });
    nextTick(() => seen.push(2));
    nextTick(() => seen.push(3));
    expect(caught(() => ticks.drain())).toBe(error);
    expect(seen).toEqual([1]);
    expect(ticks.size).toBe(2);
    expect([asyncIds.depth, asyncIds.executionAsyncId(), asyncIds.triggerAsyncId()]).toEqual([
      0, 1, 0,
    ]);
    await settled();
    expect(seen).toEqual([1, 2, 3]);
  });

  test('inside of a tick, which catches the error, the rest still run', async () => {
    const { nextTick, ticks, asyncIds } = makeHeap();
    const seen = [];
    nextTick(() => {
      seen.push(caught(() => ticks.drain()).message, asyncIds.executionAsyncId(), asyncIds.depth);
    });
    nextTick(() => {
      throw new Error('inner');
    });
    nextTick(() => seen.push('rest'));
    await settled();
    expect(seen).toEqual(['inner', 2, 1, 'rest']);
  });

  test('after a drain the host finds nothing left, and is asked again by the next push', async () => {
    const { nextTick, ticks } = makeHeap();
    let ran = 0;
    nextTick(() => ran++);
    ticks.drain();
    nextTick(() => ran++);
    await settled();
    expect(ran).toBe(2);
    nextTick(() => ran++);
    await settled();
    expect(ran).toBe(3);
  });
});

describe('a tick that throws', () => {
  const program = (ticks) => `
    const heap = await createHeap();
    const { nextTick, asyncIds } = heap;
    const seen = [];
    const state = () => [asyncIds.executionAsyncId(), asyncIds.triggerAsyncId(), asyncIds.depth];
    const variable = new heap.AsyncVariable();
    heap.createHook({
      before: (id) => seen.push('before ' + id),
      after: (id) => seen.push('after ' + id),
      destroy: (id) => seen.push('destroy ' + id),
    }).enable();
    process.on('uncaughtException', (error) => {
      seen.push([error.message, variable.get(), ...state()]);
    });
    setTimeout(() => print({ seen, state: state(), size: heap.ticks.size }), 10);
    variable.run('set', () => { ${ticks} });
  `;

  test('reaches the host with its id current; the rest run; all is balanced', () => {
    const result = resultOf(
      program(`
        nextTick(() => seen.push('a'));
        nextTick(() => { throw new Error('one'); });
        nextTick(() => { throw new Error('two'); });
        nextTick(() => seen.push(['b', variable.get(), ...state()]));
        nextTick(() => { asyncIds.push(99, 98); throw new Error('last'); });
      `),
    );
    expect(result).toEqual({
      seen: [
        ...['before 2', 'a', 'after 2', 'destroy 2'],
        ...['before 3', ['one', 'set', 3, 1, 1], 'after 3', 'destroy 3'],
        ...['before 4', ['two', 'set', 4, 1, 1], 'after 4', 'destroy 4'],
        ...['before 5', ['b', 'set', 5, 1, 1], 'after 5', 'destroy 5'],
        ...['before 6', ['last', 'set', 6, 1, 1], 'after 6', 'destroy 6'],
      ],
      state: [1, 0, 0],
      size: 0,
    });
  });

  test('may throw anything', () => {
    const result = resultOf(`
      const { nextTick } = await createHeap();
      const seen = [];
      process.on('uncaughtException', (error) => seen.push(error));
      nextTick(() => { throw undefined; });
      nextTick(() => { throw null; });
      nextTick(() => { throw 'text'; });
      nextTick(() => print(seen));
    `);
    expect(result).toEqual([null, null, 'text']);
  });

  test('ends a program that does not listen, as any uncaught error', () => {
    const { status, stderr } = runModule(`
      const { nextTick } = await createHeap();
      nextTick(function culprit() { throw new Error('nobody listens'); });
    `);
    expect(status).toBe(1);
    expect(stderr).toMatch(/nobody listens/);
    expect(stderr).toMatch(/culprit/);
  });

  test('a handler may drain the rest itself', () => {
    const result = resultOf(`
      const { nextTick, ticks, asyncIds } = await createHeap();
      const seen = [];
      process.on('uncaughtException', (error) => {
        seen.push(error.message);
        ticks.drain();
        seen.push('drained', asyncIds.depth);
      });
      nextTick(() => { throw new Error('one'); });
      nextTick(() => seen.push('rest'));
      setTimeout(() => print(seen), 5);
    `);
    expect(result).toEqual(['one', 'rest', 'drained', 0]);
  });

  test('a stack overflow is a RangeError, and the rest run', () => {
    const result = resultOf(`
      const { nextTick, asyncIds } = await createHeap();
      const seen = [];
      process.on('uncaughtException', (error) => seen.push(error.name));
      const deep = () => { asyncIds.push(5, 5); deep(); asyncIds.pop(5); };
      nextTick(deep);
      nextTick(() => { seen.push('rest', asyncIds.depth); print(seen); });
    `);
    expect(result).toEqual(['RangeError', 'rest', 1]);
  });
});

describe('many', () => {
  test('1e7 ticks queued at once run, and their memory comes back', () => {
    const result = resultOf(
      `
      const heap = await createHeap();
      const { nextTick, ticks } = heap;
      let ran = 0;
      const tick = () => { ran++; };
      const before = process.memoryUsage().rss;
      for (let i = 0; i < 1e7; i++) nextTick(tick);
      const { size } = ticks;
      const most = heap.stats().live.bytes;
      setImmediate(() => {
        gc();
        print({
          size, ran, left: ticks.size, most, problems: heap.check(),
          live: heap.stats().live.bytes, js: process.memoryUsage().heapUsed,
        });
      });
    `,
      { flags: ['--expose-gc'] },
    );
    expect(result).toMatchObject({ size: 1e7, ran: 1e7, left: 0, problems: [] });
    expect(result.most).toBeGreaterThan(150e6);
    expect(result.live).toBeLessThan(1e6);
    expect(result.js).toBeLessThan(20e6);
  });

  test('a tick that queues itself forever keeps memory flat', () => {
    const result = resultOf(
      `
      const heap = await createHeap();
      const { nextTick } = heap;
      const figures = [];
      let left = 6e6;
      const step = (a, b) => {
        if (left % 2e6 === 0) { gc(); figures.push([process.memoryUsage().heapUsed, heap.stats().peak]); }
        if (--left > 0) nextTick(step, a, b); else print(figures);
      };
      nextTick(step, {}, 'two');
      nextTick(() => {});
    `,
      { flags: ['--expose-gc'] },
    );
    const [, [js, peak]] = result;
    expect(result[2][0] - js).toBeLessThan(500e3);
    expect(result[2][1]).toBe(peak);
    expect(peak).toBeLessThan(1e6);
  });

  test('slots are cleared when their tick is taken', () => {
    const result = resultOf(
      `
      const heap = await createHeap();
      const { nextTick } = heap;
      const variable = new heap.AsyncVariable();
      const refs = [];
      const push = () => {
        for (let i = 0; i < 6; i++) {
          const things = Array.from({ length: 6 }, () => ({}));
          const value = {};
          const tick = () => things.length;
          refs.push(...[...things, value, tick].map((thing) => new WeakRef(thing)));
          variable.run(value, () => nextTick(tick, ...things.slice(0, i)));
        }
      };
      push();
      nextTick(() => {});
      setTimeout(() => { gc(); print(refs.filter((ref) => ref.deref()).length); }, 5);
    `,
      { flags: ['--expose-gc'] },
    );
    expect(result).toBe(0);
  });
});

describe('hostile surroundings', () => {
  test('Array.prototype and Object.prototype change nothing', () => {
    const program = (tamper) => `
      const heap = await createHeap();
      const seen = [];
      let sequence = 0;
      const put = (value) => { Object.defineProperty(seen, sequence++, { __proto__: null, value, enumerable: true }); };
      const trap = () => { put('trapped'); };
      // Asks the host for a drain, by Node's own code, which would be trapped.
      heap.nextTick(() => {});
      ${tamper}
      const { nextTick, asyncIds, ticks } = heap;
      const variable = new heap.AsyncVariable({ name: 'v' });
      const hook = heap.createHook({ init: (id) => put('init ' + id), before: (id) => put('before ' + id) });
      const many = (n) => { for (let i = 0; i < n; i++) nextTick(() => {}, i); };
      variable.run(5, () => {
        nextTick((a, b, c, d, e) => { put([a, b, c, d, e, variable.get()].join()); }, 1, 2, 3, 4, 5);
        many(5000);
      });
      hook.enable();
      nextTick((a) => put('last ' + a), 7);
      hook.disable();
      for (let i = 0; i < 20; i++) asyncIds.push(100 + i, i, { i });
      put(asyncIds.executionAsyncResource().i);
      for (let i = 20; i-- > 0;) asyncIds.pop(100 + i);
      ticks.drain();
      ${tamper ? 'restore();' : ''}
      print(seen);
    `;
    const plain = resultOf(program(''));
    expect(plain).toEqual(['init 5004', 19, '1,2,3,4,5,5', 'last 7']);
    const traps = `
      const saved = [];
      const { defineProperty, getOwnPropertyDescriptor } = Object;
      const replace = (object, key, descriptor) => {
        saved[saved.length] = [object, key, getOwnPropertyDescriptor(object, key)];
        defineProperty(object, key, { __proto__: null, configurable: true, ...descriptor });
      };
      const list = ['push', 'pop', 'shift', 'concat', 'slice', 'fill', 'splice', Symbol.iterator, 'constructor'];
      for (let i = 0; i < list.length; i++) {
        if (list[i] !== 'constructor') replace(Array.prototype, list[i], { value: trap, writable: true });
      }
      replace(Array.prototype, Symbol.isConcatSpreadable, { value: false, writable: true });
      replace(Array.prototype, 'constructor', { value: { [Symbol.species]: function () { trap(); return { __proto__: null }; } }, writable: true });
      const keys = ['0', '1', '2', '3', '5', '2047', 'callback', 'frame', 'next', 'args', 'frames'];
      for (let i = 0; i < keys.length; i++) {
        replace(Object.prototype, keys[i], { set: trap, get() { return undefined; } });
      }
      const restore = () => {
        for (let i = saved.length; i-- > 0;) {
          const object = saved[i][0], key = saved[i][1], descriptor = saved[i][2];
          if (descriptor) defineProperty(object, key, descriptor); else delete object[key];
        }
      };
    `;
    expect(resultOf(program(traps))).toEqual(plain);
  });
});

describe('a heap that was disposed of', () => {
  test.each(['nextTick', 'ticks', 'asyncIds', 'createHook', 'AsyncVariable'])(
    'has no %s',
    (name) => {
      const heap = makeHeap();
      if (name.length % 2) heap.nextTick(() => {});
      heap.dispose();
      expect(caught(() => heap[name]).code).toBe('ERR_HEAP_DISPOSED');
    },
  );

  test('runs the ticks that it has, and takes no more', async () => {
    const heap = makeHeap();
    const { nextTick, ticks } = heap;
    const seen = [];
    nextTick(() => seen.push(caught(() => nextTick(() => {})).code));
    nextTick(() => seen.push(2));
    heap.dispose();
    expect(caught(() => nextTick(() => {})).code).toBe('ERR_HEAP_DISPOSED');
    expect(caught(() => ticks.drain()).code).toBe('ERR_HEAP_DISPOSED');
    await settled();
    expect(seen).toEqual(['ERR_HEAP_DISPOSED', 2]);
  });
});

test.each([1, 'yes', null])('options.hostContext refuses %p', (hostContext) => {
  expect(facts(caught(() => makeHeap({ hostContext })))).toEqual({
    class: 'TypeError',
    code: 'ERR_INVALID_ARG_TYPE',
    message: expect.stringMatching(/^The "options.hostContext" property must be of type boolean\./),
  });
});

test('a heap that uses no ticks has nothing allocated for them', () => {
  const heap = makeHeap();
  expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  expect(label(heap.ticks.size)).toBe('0');
  expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
});
