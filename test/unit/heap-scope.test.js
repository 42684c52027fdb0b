import { describe, expect, test } from '@jest/globals';
import { HeapBuffer } from 'slabring';
import { bytesOf, caught, facts, makeHeap, refusal, textOf } from '../support/heap.js';
import { fail, HOSTILE } from '../support/hostile.js';

const { dispose } = Symbol;

const live = (heap) => heap.stats().live.buffers;
const isFreed = (heap, view) => {
  try {
    heap.retained(view);
    return false;
  } catch ({ code }) {
    return code === 'ERR_BUFFER_FREED';
  }
};
/** Some turns of the microtask queue. */
const turn = async () => {
  for (let i = 0; i < 5; i++) await null;
};
/** A promise with its ends. */
const deferred = () => {
  let resolve;
  let reject;
  const promise = new Promise((...ends) => {
    [resolve, reject] = ends;
  });
  return { promise, resolve, reject };
};

const OPTIONS = {
  'an ordinary heap': {},
  'a heap with zeroOnFree': { zeroOnFree: true },
  'a heap in debug mode': { debug: true },
  'a heap in debug mode with zeroOnFree': { debug: true, zeroOnFree: true },
};

/** Every way to make a view. */
const MAKERS = {
  alloc: (from) => from.alloc(100),
  'alloc with a fill': (from) => from.alloc(100, 'x'),
  'alloc, large': (from) => from.alloc(100_000),
  allocUnsafe: (from) => from.allocUnsafe(100),
  'allocUnsafe, large': (from) => from.allocUnsafe(100_000),
  'allocUnsafe, aligned': (from) => from.allocUnsafe(100, { alignment: 512 }),
  allocUnsafeSlow: (from) => from.allocUnsafeSlow(100),
  'from a string': (from) => from.from('abc'),
  'from base64 with blanks': (from) => from.from(' YWJj\nYWJj ', 'base64'),
  'from an array': (from) => from.from([1, 2, 3]),
  'from an ArrayBuffer': (from) => from.from(new ArrayBuffer(10)),
  'from an iterable': (from) => from.from(new Set([1, 2])),
  'typed, an array': (from) => from.typed(Float64Array, 7),
  'typed, a DataView': (from) => from.typed(DataView, 7),
  'typed, large': (from) => from.typed(Float32Array, 70_000),
};

describe.each(Object.keys(OPTIONS))('in %s', (kind) => {
  const make = (options) => makeHeap({ regionSize: 2 ** 22, ...OPTIONS[kind], ...options });

  describe.each(Object.keys(MAKERS))('what %s made', (maker) => {
    test('is freed at the end', () => {
      const heap = make();
      const before = heap.alloc(100);
      let view;
      expect(
        heap.scope(() => {
          view = MAKERS[maker](heap);
          expect(live(heap)).toBe(2);
          expect(isFreed(heap, view)).toBe(false);
          return 5;
        }),
      ).toBe(5);
      expect(isFreed(heap, view)).toBe(true);
      expect(isFreed(heap, before)).toBe(false);
      expect(live(heap)).toBe(1);
      expect(refusal(heap, () => heap.free(view)).code).toBe('ERR_BUFFER_FREED');
    });

    test("by the scope's own method is freed at the end", () => {
      const heap = make();
      heap.scope((scope) => {
        const { alloc, allocUnsafe, allocUnsafeSlow, from, typed } = scope;
        MAKERS[maker]({ alloc, allocUnsafe, allocUnsafeSlow, from, typed });
        expect(live(heap)).toBe(1);
      });
      expect(live(heap)).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test('is freed when it throws', () => {
      const heap = make();
      const error = new Error('mine');
      const thrown = caught(() =>
        heap.scope(() => {
          MAKERS[maker](heap);
          throw error;
        }),
      );
      expect(thrown).toBe(error);
      expect(live(heap)).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test.each([
      ['itself', (view) => view],
      ['in an array', (view) => [1, view, null]],
      ['in an object', (view) => ({ view, more: 5 })],
      ['in an object without prototype', (view) => Object.assign(Object.create(null), { view })],
      ['by a part', (view) => (view.subarray ? view.subarray(1) : view)],
      ['by parts in an array', (view) => [view.subarray ? view.subarray(1, 1) : view]],
    ])('is not freed when it is returned: %s', (_, returned) => {
      const heap = make();
      let view;
      heap.scope(() => {
        MAKERS[maker](heap);
        view = MAKERS[maker](heap);
        return returned(view);
      });
      expect(live(heap)).toBe(1);
      expect(isFreed(heap, view)).toBe(false);
      view.free();
      expect(live(heap)).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test.each([
      ['heap.keep', (heap, _, view) => heap.keep(view)],
      ['scope.keep', (_, { keep }, view) => keep(view)],
      ['heap.keep of a part', (heap, _, view) => heap.keep(view.subarray?.(1) ?? view) && view],
      ['scope.keep of a part', (_, scope, view) => scope.keep(view.subarray?.(1) ?? view) && view],
    ])('is not freed when it is kept: %s', (_, keep) => {
      const heap = make();
      let view;
      heap.scope((scope) => {
        MAKERS[maker](heap);
        view = MAKERS[maker](heap);
        expect(keep(heap, scope, view)).toBe(view);
      });
      expect(live(heap)).toBe(1);
      heap.free(view);
      expect(heap.check()).toEqual([]);
    });

    test('may be freed before the end', () => {
      const heap = make();
      heap.scope(() => {
        const view = MAKERS[maker](heap);
        MAKERS[maker](heap);
        view.free();
        if (dispose) view[dispose]();
        expect(live(heap)).toBe(1);
        expect(refusal(heap, () => heap.keep(view)).code).toBe('ERR_BUFFER_FREED');
      });
      expect(live(heap)).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test('within an asynchronous function, before its first await or by the scope', async () => {
      const heap = make();
      const views = [];
      const other = await heap.scope(async (scope) => {
        views.push(MAKERS[maker](heap));
        await null;
        views.push(MAKERS[maker](scope));
        const outside = MAKERS[maker](heap);
        await turn();
        views.push(MAKERS[maker](scope));
        expect(live(heap)).toBe(4);
        expect(views.map((view) => isFreed(heap, view))).toEqual([false, false, false]);
        return { outside };
      });
      expect(views.map((view) => isFreed(heap, view))).toEqual([true, true, true]);
      expect(live(heap)).toBe(1);
      heap.free(other.outside);
      expect(heap.check()).toEqual([]);
    });
  });

  describe('an asynchronous scope', () => {
    test('that rejects frees all, and rejects with the same', async () => {
      const heap = make();
      const error = new Error('mine');
      const promise = heap.scope(async (scope) => {
        heap.alloc(10);
        await null;
        scope.alloc(20);
        throw error;
      });
      await expect(promise).rejects.toBe(error);
      expect(live(heap)).toBe(0);
    });

    test('that throws before its first await rejects', async () => {
      const heap = make();
      await expect(
        heap.scope(async () => {
          heap.alloc(10);
          throw new Error('mine');
        }),
      ).rejects.toThrow('mine');
      expect(live(heap)).toBe(0);
    });

    test('frees nothing of what it returns or keeps', async () => {
      const heap = make();
      const kept = [];
      const [one, two] = await heap.scope(async (scope) => {
        const first = heap.alloc(10, 'a');
        kept.push(heap.keep(heap.alloc(10, 'b')));
        await null;
        kept.push(scope.keep(scope.alloc(10, 'c')), heap.keep(scope.alloc(10, 'd')));
        scope.alloc(10, 'e');
        return [first, scope.typed(Float64Array, 3).subarray(1)];
      });
      expect(live(heap)).toBe(5);
      expect(bytesOf(one).toString()).toBe('aaaaaaaaaa');
      expect([...two]).toEqual([0, 0]);
      expect(kept.map((view) => textOf(view)[0])).toEqual(['b', 'c', 'd']);
      expect(heap.check()).toEqual([]);
    });

    test('leaves alone what others allocate meanwhile', async () => {
      const heap = make();
      const gate = deferred();
      const promise = heap.scope(async () => {
        heap.alloc(10);
        await gate.promise;
      });
      const views = Array.from({ length: 50 }, () => heap.alloc(10, 'x'));
      gate.resolve();
      await promise;
      expect(live(heap)).toBe(50);
      for (const view of views) expect(textOf(view)).toBe('xxxxxxxxxx');
    });

    // The same object may be another's by then.
    test.each([
      ['before its first await', async (heap, _, gate) => [heap.alloc(10), await gate][0]],
      ['after it', async (_, scope, gate) => [await gate, scope.alloc(10)][1]],
    ])('never frees again what was freed in it and is another’s: made %s', async (_, makeOne) => {
      const heap = make();
      // Parked ones, to be handed out in the scope.
      for (const view of Array.from({ length: 5 }, () => heap.alloc(10))) heap.free(view);
      const gates = [deferred(), deferred()];
      const promise = heap.scope(async (scope) => {
        const view = await makeOne(heap, scope, gates[0].promise);
        heap.free(view);
        await gates[1].promise;
      });
      gates[0].resolve();
      await turn();
      const others = Array.from({ length: 100 }, () => heap.alloc(10, 'o'));
      gates[1].resolve();
      await promise;
      expect(live(heap)).toBe(100);
      for (const view of others) expect(isFreed(heap, view)).toBe(false);
      const more = Array.from({ length: 100 }, () => heap.alloc(10, 'm'));
      for (const view of others) expect(textOf(view)).toBe('oooooooooo');
      expect(new Set([...others, ...more]).size).toBe(200);
      expect(new Set([...others, ...more].map((view) => view.byteOffset)).size).toBe(200);
      expect(heap.check()).toEqual([]);
      for (const view of [...others, ...more]) heap.free(view);
      heap.trim();
      expect(heap.stats().regions[0].inUse).toBe(0);
    });

    test('never frees again what was freed before its first await and is another’s', async () => {
      const heap = make();
      const gate = deferred();
      const promise = heap.scope(async () => {
        heap.free(heap.alloc(10));
        heap.typed(Int16Array, 5).free();
        await gate.promise;
      });
      const others = Array.from({ length: 5 }, () => heap.alloc(10, 'o'));
      gate.resolve();
      await promise;
      expect(others.map((view) => isFreed(heap, view))).toEqual(new Array(5).fill(false));
      expect(live(heap)).toBe(5);
    });

    test('of which a buffer had been used before does not spoil the cache', async () => {
      const heap = make();
      for (let round = 0; round < 3; round++) {
        const views = Array.from({ length: round + 1 }, () => heap.alloc(24));
        for (const view of views) heap.free(view);
        await heap.scope(async (scope) => {
          heap.alloc(24);
          await null;
          scope.alloc(24);
          scope.alloc(24).free();
        });
        const after = Array.from({ length: 20 }, (_, i) => heap.alloc(24, i + 1));
        expect(new Set(after.map((view) => view.byteOffset)).size).toBe(20);
        for (const [i, view] of after.entries()) {
          expect(view.every((byte) => byte === i + 1)).toBe(true);
          heap.free(view);
        }
        expect(heap.check()).toEqual([]);
      }
      heap.trim();
      expect(heap.stats().regions[0].inUse).toBe(0);
    });

    test('keeps to itself while another runs', async () => {
      const heap = make();
      const gates = [deferred(), deferred()];
      const run = (gate) => {
        const views = [];
        const promise = heap.scope(async (scope) => {
          views.push(heap.alloc(10));
          await gate.promise;
          for (let i = 0; i < 3; i++) {
            views.push(scope.alloc(10));
            await null;
          }
        });
        return { views, promise };
      };
      const [first, second] = gates.map(run);
      gates[1].resolve();
      await second.promise;
      expect(second.views.map((view) => isFreed(heap, view))).toEqual(new Array(4).fill(true));
      expect(isFreed(heap, first.views[0])).toBe(false);
      expect(live(heap)).toBe(1);
      gates[0].resolve();
      await first.promise;
      expect(live(heap)).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test('ends well when the heap was disposed of', async () => {
      const heap = make();
      await heap.scope(async () => {
        heap.alloc(10);
        await null;
        heap.dispose();
      });
      expect(facts(caught(() => heap.scope(() => {}))).code).toBe('ERR_HEAP_DISPOSED');
    });

    test.each([
      ['calls back twice', (yes) => [yes(5), yes(6)], 5],
      ['calls back both ways', (yes, no) => [yes(5), no(6)], 5],
      ['throws after it called back', (yes) => yes(5) ?? fail(), 5],
      ['calls back at once with a promise', (yes) => yes(Promise.resolve(5)), 5],
    ])('may be any thenable: one that %s', async (_, then, expected) => {
      const heap = make();
      const result = await heap.scope(() => {
        heap.alloc(10);
        return Object.defineProperty({}, 'then', { value: then });
      });
      expect(result).toBe(expected);
      expect(live(heap)).toBe(0);
    });

    test('is what returns a promise, too', async () => {
      const heap = make();
      const gate = deferred();
      let view;
      const promise = heap.scope(() => {
        view = heap.alloc(10);
        return gate.promise;
      });
      await turn();
      expect(isFreed(heap, view)).toBe(false);
      gate.resolve(view);
      expect(await promise).toBe(view);
      expect(isFreed(heap, view)).toBe(false);
      expect(live(heap)).toBe(1);
    });
  });

  describe('nested scopes', () => {
    test('free their own', () => {
      const heap = make();
      const views = [];
      heap.scope((outer) => {
        views.push(heap.alloc(10));
        heap.scope((inner) => {
          views.push(heap.alloc(10), outer.alloc(10), inner.alloc(10));
        });
        expect(views.map((view) => isFreed(heap, view))).toEqual([false, true, false, true]);
        views.push(heap.alloc(20));
        expect(isFreed(heap, views[4])).toBe(false);
      });
      expect(live(heap)).toBe(0);
      expect(heap.check()).toEqual([]);
    });

    test('hand what they return to the one around', () => {
      const heap = make();
      let view;
      const result = heap.scope(() => {
        view = heap.scope(() => heap.scope(() => heap.alloc(10)));
        expect(isFreed(heap, view)).toBe(false);
        return heap.scope(() => heap.alloc(20));
      });
      expect(isFreed(heap, view)).toBe(true);
      expect(isFreed(heap, result)).toBe(false);
      expect(live(heap)).toBe(1);
    });

    test('keep for all around', () => {
      const heap = make();
      const kept = [];
      heap.scope(() => {
        heap.scope((scope) => {
          kept.push(heap.keep(heap.alloc(10)), scope.keep(heap.alloc(10)));
          heap.alloc(10);
          return kept[0];
        });
        kept.push(heap.keep(heap.scope(() => heap.alloc(10))));
      });
      expect(kept.map((view) => isFreed(heap, view))).toEqual([false, false, false]);
      expect(live(heap)).toBe(3);
    });

    test('do not free the buffer of another that was freed in them before', () => {
      const heap = make();
      heap.scope((outer) => {
        let view;
        heap.scope(() => {
          heap.alloc(10).free();
          view = outer.alloc(10, 'v');
          expect(isFreed(heap, view)).toBe(false);
        });
        expect(isFreed(heap, view)).toBe(false);
        expect(textOf(view)).toBe('vvvvvvvvvv');
      });
      expect(live(heap)).toBe(0);
    });

    test('that throw leave those around open', () => {
      const heap = make();
      heap.scope(() => {
        const view = heap.alloc(10);
        caught(() => heap.scope(() => heap.alloc(10) && fail()));
        expect(live(heap)).toBe(1);
        heap.alloc(10);
        expect(isFreed(heap, view)).toBe(false);
      });
      expect(live(heap)).toBe(0);
    });

    test('return what another holds without taking it', () => {
      const heap = make();
      const before = heap.alloc(5);
      heap.scope(() => {
        const view = heap.alloc(10);
        expect(heap.scope(() => [view, before])).toEqual([view, before]);
        expect(isFreed(heap, view)).toBe(false);
      });
      expect(isFreed(heap, before)).toBe(false);
      expect(live(heap)).toBe(1);
    });

    test('that outlive the one around free their own', async () => {
      const heap = make();
      let inner;
      heap.scope(() => {
        inner = heap.scope(async (scope) => {
          heap.alloc(10);
          await null;
          scope.alloc(10);
          return scope.alloc(30);
        });
        heap.alloc(10);
      });
      expect(live(heap)).toBe(1);
      const view = await inner;
      expect(view.length).toBe(30);
      expect(live(heap)).toBe(1);
      heap.free(view);
    });

    test('in asynchronous ones hand over before the first await, and not after it', async () => {
      const heap = make();
      const views = [];
      await heap.scope(async () => {
        const inner = heap.scope(async (scope) => scope.alloc(10));
        views.push(heap.scope(() => heap.alloc(10)));
        views.push(await inner);
        views.push(heap.scope(() => heap.alloc(10)));
        views.push(await heap.scope(async (scope) => scope.alloc(10)));
        expect(live(heap)).toBe(4);
      });
      expect(views.map((view) => isFreed(heap, view))).toEqual([true, true, false, false]);
      expect(live(heap)).toBe(2);
    });
  });

  test('buffers are used again within a scope, and freed once', () => {
    const heap = make();
    heap.scope(() => {
      const kept = heap.alloc(10, 'k');
      for (let i = 0; i < 100; i++) {
        const view = heap.alloc(10);
        expect(view.every((byte) => byte === 0)).toBe(true);
        view.fill('x').free();
      }
      expect(live(heap)).toBe(1);
      expect(textOf(kept)).toBe('kkkkkkkkkk');
    });
    expect(live(heap)).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('a call refused within a scope leaves nothing behind', () => {
    const heap = make();
    heap.scope((scope) => {
      for (const from of [heap, scope]) {
        caught(() => from.alloc(20, Symbol('x')));
        caught(() => from.from([1, Symbol('x')]));
        caught(() => from.from('x', 'nope'));
        caught(() => from.alloc(2 ** 32));
        caught(() => from.alloc(-1));
        caught(() => from.typed(Float64Array, -1));
      }
      expect(live(heap)).toBe(0);
      heap.alloc(10);
    });
    expect(live(heap)).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('frees buffers from outside of the heap', () => {
    const heap = make({ onExhausted: 'fallback', regionSize: 2 ** 20 });
    heap.allocUnsafeSlow(heap.stats().regions[0].usable - 65536);
    let [one, two] = [];
    heap.scope(() => {
      one = heap.alloc(100_000);
      two = heap.keep(heap.alloc(100_000));
      expect([one.inHeap, two.inHeap]).toEqual([false, false]);
    });
    expect([isFreed(heap, one), isFreed(heap, two)]).toEqual([true, false]);
  });
});

describe('a scope object after the end', () => {
  const USES = {
    alloc: (scope) => scope.alloc(10),
    allocUnsafe: (scope) => scope.allocUnsafe(10),
    allocUnsafeSlow: (scope) => scope.allocUnsafeSlow(10),
    from: (scope) => scope.from('x'),
    typed: (scope) => scope.typed(Int8Array, 1),
    keep: (scope, view) => scope.keep(view),
  };
  const ended = {
    class: 'Error',
    code: 'ERR_INVALID_STATE',
    message: 'Invalid state: the scope has ended',
  };

  test.each(Object.keys(USES))('refuses %s', async (name) => {
    const heap = makeHeap();
    const view = heap.alloc(5);
    const scopes = [];
    heap.scope((scope) => {
      scopes.push(scope);
    });
    caught(() => heap.scope((scope) => scopes.push(scope) && fail()));
    await heap.scope(async (scope) => {
      await null;
      scopes.push(scope);
    });
    await heap
      .scope(async (scope) => {
        scopes.push(scope);
        throw new Error('x');
      })
      .catch(() => {});
    expect(scopes.length).toBe(4);
    for (const scope of scopes) {
      expect(facts(refusal(heap, () => USES[name](scope, view)))).toEqual(ended);
    }
    expect(isFreed(heap, view)).toBe(false);
  });
});

describe('scope refuses', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an object', {}],
    ['a string', 'fn'],
    ['a promise', Promise.resolve()],
  ])('%s for a function', (_, fn) => {
    const heap = makeHeap();
    const error = facts(refusal(heap, () => heap.scope(fn)));
    expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
    expect(error.message).toMatch(/^The "fn" argument must be of type function\. Received /);
  });

  test('to work on a heap that was disposed of', () => {
    const heap = makeHeap();
    let called = false;
    heap.dispose();
    const fn = () => {
      called = true;
    };
    expect(caught(() => heap.scope(fn)).code).toBe('ERR_HEAP_DISPOSED');
    expect(called).toBe(false);
  });
});

describe('keep', () => {
  test('outside of any scope gives the view back', () => {
    const heap = makeHeap();
    for (const view of [heap.alloc(5), heap.alloc(0), heap.typed(Float64Array, 2)]) {
      expect(heap.keep(view)).toBe(view);
    }
    expect(live(heap)).toBe(2);
  });

  test('refuses what is no live buffer of this heap', () => {
    const heap = makeHeap();
    const freed = heap.alloc(5);
    freed.free();
    heap.scope((scope) => {
      for (const keep of [heap.keep, scope.keep]) {
        expect(refusal(heap, () => keep(freed)).code).toBe('ERR_BUFFER_FREED');
        for (const view of [Buffer.alloc(5), new Float64Array(2), makeHeap().alloc(5)]) {
          expect(refusal(heap, () => keep(view)).code).toBe('ERR_NOT_IN_HEAP');
        }
        for (const value of [undefined, null, 5, 'x', {}, [freed]]) {
          expect(refusal(heap, () => keep(value)).code).toBe('ERR_INVALID_ARG_TYPE');
        }
      }
    });
    expect(live(heap)).toBe(0);
  });

  test('works in an asynchronous function at any time', async () => {
    const heap = makeHeap();
    let view;
    await heap.scope(async () => {
      view = heap.alloc(10);
      await turn();
      heap.keep(view);
    });
    expect(isFreed(heap, view)).toBe(false);
  });

  test('of a buffer that is used again does not keep the next', () => {
    const heap = makeHeap();
    const first = heap.scope(() => heap.alloc(10));
    heap.keep(first);
    heap.free(first);
    heap.scope(() => {
      expect(heap.alloc(10)).toBe(first);
    });
    expect(isFreed(heap, first)).toBe(true);
  });
});

describe('what a scope returns', () => {
  test.each(Object.keys(HOSTILE))('may be anything: %s', async (name) => {
    const heap = makeHeap();
    const value = HOSTILE[name]();
    let result;
    let error;
    try {
      result = await heap.scope(() => {
        heap.alloc(10);
        return value;
      });
    } catch (thrown) {
      error = thrown;
    }
    expect(live(heap)).toBe(0);
    expect(heap.check()).toEqual([]);
    if (error === undefined) expect([value, await value]).toContainEqual(result);
    heap.scope(() => {
      heap.alloc(10);
    });
    expect(live(heap)).toBe(0);
  });

  test('may throw when it is looked at', () => {
    const heap = makeHeap();
    for (const result of [
      Object.defineProperty({}, 'x', { get: fail, enumerable: true }),
      Object.defineProperty({}, 'then', { get: fail }),
    ]) {
      expect(() => heap.scope(() => heap.alloc(10) && result)).toThrow('touched');
      expect(live(heap)).toBe(0);
      // What comes after is in no scope.
      const after = heap.alloc(10);
      heap.scope(() => {});
      heap.free(after);
    }
  });

  test('is looked into one step deep only, and not in other objects', () => {
    const heap = makeHeap();
    class Mine {
      constructor(view) {
        this.view = view;
      }
    }
    for (const wrap of [
      (view) => [[view]],
      (view) => ({ deep: { view } }),
      (view) => new Map([[1, view]]),
      (view) => new Mine(view),
      (view) => () => view,
    ]) {
      heap.scope(() => wrap(heap.alloc(10)));
      expect(live(heap)).toBe(0);
    }
  });

  test('is not saved by a view that a program made itself', () => {
    const heap = makeHeap();
    heap.scope(() => {
      const view = heap.alloc(10);
      return new Uint8Array(view.buffer, view.byteOffset, 10);
    });
    expect(live(heap)).toBe(0);
  });

  test('is told by what it is, not by its prototype', () => {
    const heap = makeHeap();
    const view = heap.scope(() => Object.setPrototypeOf(heap.alloc(10), null));
    expect(isFreed(heap, view)).toBe(false);
    heap.scope(
      () => heap.alloc(10) && Object.setPrototypeOf(Buffer.alloc(5), HeapBuffer.prototype),
    );
    expect(live(heap)).toBe(1);
  });
});

test('scopes of two heaps do not mix', () => {
  const [one, two] = [makeHeap(), makeHeap()];
  one.scope((scope) => {
    const view = two.alloc(10);
    two.scope(() => {
      one.alloc(10);
      two.alloc(10);
      scope.alloc(10);
      expect([live(one), live(two)]).toEqual([2, 2]);
    });
    expect([live(one), live(two)]).toEqual([2, 1]);
    return view;
  });
  expect([live(one), live(two)]).toEqual([0, 1]);
});

test('scope is bound, and gives the scope object', () => {
  const { scope, alloc, keep } = makeHeap();
  const view = scope((given) => {
    expect(Object.keys(given)).toEqual(
      expect.arrayContaining(['alloc', 'allocUnsafe', 'allocUnsafeSlow', 'from', 'typed', 'keep']),
    );
    return keep(alloc(5));
  });
  expect(view.length).toBe(5);
});

test('a scope recycles views as ever, and leaves them for the next', () => {
  const heap = makeHeap();
  let first;
  heap.scope(() => {
    first = heap.alloc(10);
    first.free();
    expect(heap.alloc(10)).toBe(first);
  });
  expect(heap.alloc(10)).toBe(first);
});

test('in debug mode a buffer written to past its end does not keep the others from being freed', () => {
  const heap = makeHeap({ debug: true });
  const error = new Error('mine');
  for (const end of [() => 5, () => []]) {
    let [bad, ...others] = [];
    const run = () =>
      heap.scope(() => {
        others = [heap.alloc(10)];
        bad = heap.alloc(10);
        others.push(heap.alloc(10));
        new Uint8Array(bad.buffer)[bad.byteOffset + 10] = 1;
        return end();
      });
    expect(caught(run).code).toBe('ERR_HEAP_CORRUPTED');
    expect(others.map((view) => isFreed(heap, view))).toEqual([true, true]);
    expect(isFreed(heap, bad)).toBe(false);
    new Uint8Array(bad.buffer)[bad.byteOffset + 10] = 0xfd;
    heap.free(bad);
  }
  const thrown = caught(() =>
    heap.scope(() => {
      const view = heap.alloc(10);
      new Uint8Array(view.buffer)[view.byteOffset - 1] = 1;
      throw error;
    }),
  );
  expect(thrown).toBe(error);
  expect(heap.check().length).toBe(1);
});
