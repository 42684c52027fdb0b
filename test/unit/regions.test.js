import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createHeapSync } from 'slabring';
import { resultOf, runModule } from '../support/child.js';
import {
  bytesOf,
  caught,
  facts,
  MIB,
  makeHeap,
  PAGE,
  refusal,
  textOf,
  wasmModule,
} from '../support/heap.js';

/** A heap of regions of 1 MiB, four of them at most. */
const smallHeap = (options) => makeHeap({ regionSize: MIB, maxBytes: 4 * MIB, ...options });

const exhausted = (size, live, reserved) => ({
  class: 'RangeError',
  code: 'ERR_HEAP_EXHAUSTED',
  message: `Cannot allocate ${size} bytes: ${live} bytes live of ${reserved} reserved`,
});

/** Takes every page that is left in the regions there are. Each buffer has bytes of its own. */
function fill(heap, marks = 0) {
  const { regions } = heap.stats();
  const left = regions.reduce((sum, { usable, inUse }) => sum + usable - inUse, 0) / PAGE;
  return Array.from({ length: left }, (_, i) => heap.allocUnsafeSlow(PAGE).fill(marks + i));
}

const intact = (views, marks = 0) =>
  views.every((view, i) => bytesOf(view).equals(Buffer.alloc(PAGE, marks + i)));

/** All that the heap says of its regions, in the words of the events. */
function recorded(heap) {
  const events = [];
  heap.onRegion(({ exports, ...event }) => {
    const { regions, reserved } = heap.stats();
    expect([event.regions, event.reserved]).toEqual([regions.length, reserved]);
    events.push(event);
  });
  return events;
}

const added = (size, regions, reserved) => ({ type: 'added', size, regions, reserved });
const dropped = (size, regions, reserved) => ({ type: 'dropped', size, regions, reserved });

/** Every kind of block: makes one of at least that size, and says how it is given back. */
const KINDS = {
  alloc: (heap, size) => heap.alloc(size),
  'alloc, filled': (heap, size) => heap.alloc(size, 'fill'),
  allocUnsafe: (heap, size) => heap.allocUnsafe(size),
  'allocUnsafe, aligned': (heap, size) => heap.allocUnsafe(size, { alignment: 64 }),
  'allocUnsafe, aligned to pages': (heap, size) => heap.allocUnsafe(size, { alignment: 2 * PAGE }),
  allocUnsafeSlow: (heap, size) => heap.allocUnsafeSlow(size),
  'from a string': (heap, size) => heap.from('x'.repeat(size)),
  'from base64': (heap, size) => heap.from(`${'AAAA'.repeat(size / 3)}AAA=  `, 'base64'),
  'from an array': (heap, size) => heap.from(new Array(size).fill(7)),
  'from an ArrayBuffer': (heap, size) => heap.from(new ArrayBuffer(size)),
  'from an iterable': (heap, size) => heap.from(new Set(Array.from({ length: size }, (_, i) => i))),
  typed: (heap, size) => heap.typed(Float64Array, Math.ceil(size / 8)),
  DataView: (heap, size) => heap.typed(DataView, size),
  arena: (heap, size) => heap.arena({ size }),
};

const memoryOf = (made) => (made.u8 ?? made).buffer;
const giveBack = (made) => (made.u8 === undefined ? made.free() : made.dispose());

describe.each(Object.keys(KINDS))('a full heap gets another region: %s', (kind) => {
  const make = KINDS[kind];

  test.each([1, 100, 5000, 32_768, 100_000])('of %p bytes', (size) => {
    const heap = smallHeap();
    const views = fill(heap);
    const [{ buffer: home }] = views;
    const events = recorded(heap);
    const made = make(heap, size);
    expect(events).toEqual([added(MIB, 2, 2 * MIB)]);
    expect(memoryOf(made)).not.toBe(home);
    expect(memoryOf(made).byteLength).toBe(MIB);
    expect(home.byteLength).toBe(MIB);
    expect(views.every((view) => view.buffer === home) && intact(views)).toBe(true);
    expect(heap.stats()).toMatchObject({ reserved: 2 * MIB, fallbacks: 0 });
    expect(heap.check()).toEqual([]);

    giveBack(made);
    expect(events).toEqual([added(MIB, 2, 2 * MIB), dropped(MIB, 1, MIB)]);
    const { regions, live, reserved } = heap.stats();
    expect([regions.length, live.bytes, reserved]).toEqual([1, views.length * PAGE, MIB]);
    expect(intact(views)).toBe(true);
    for (const view of views) heap.free(view);
    expect(heap.check()).toEqual([]);
    expect(heap.stats().regions[0].inUse).toBe(0);
  });
});

describe('the size of a region', () => {
  const { usable } = smallHeap().stats().regions[0];

  test('is the usual one for all that certainly fits', () => {
    for (const size of [1, PAGE, usable - 4 * PAGE, usable]) {
      const heap = smallHeap();
      heap.alloc(1);
      const home = fill(heap);
      expect(heap.allocUnsafeSlow(size).length).toBe(size);
      expect(heap.stats().regions.map(({ reserved }) => reserved)).toEqual([MIB, MIB]);
      expect(intact(home)).toBe(true);
    }
  });

  test.each([1, PAGE, MIB, 5 * MIB + 1, 100 * MIB])(
    'fits the request where that is larger, by %p bytes',
    (more) => {
      const heap = makeHeap({ regionSize: MIB, maxBytes: 200 * MIB });
      const size = usable + more;
      const view = heap.alloc(size);
      const [, { reserved, usable: room }] = heap.stats().regions;
      expect([view.length, view[size - 1]]).toEqual([size, 0]);
      expect(room).toBeGreaterThanOrEqual(size);
      expect(reserved % PAGE).toBe(0);
      expect(reserved).toBeLessThan(size * 1.02 + 16 * PAGE);
      heap.free(view);
      expect(heap.stats().regions.length).toBe(1);
    },
  );

  test.each([2 * PAGE, MIB, 64 * MIB, 2 ** 31])('and its alignment: %p', (alignment) => {
    const heap = makeHeap({ regionSize: MIB, maxBytes: 5 * 2 ** 30 });
    for (const size of [1, PAGE + 1, usable]) {
      fill(heap);
      for (const method of ['allocUnsafe', 'allocUnsafeSlow']) {
        const view = heap[method](size, { alignment });
        expect([view.length, view.byteOffset % alignment]).toEqual([size, 0]);
        view[size - 1] = 9;
        expect(heap.stats().regions.length).toBe(2);
        expect(heap.check()).toEqual([]);
        heap.free(view);
        expect(heap.stats().regions.length).toBe(1);
      }
    }
  });

  test('is the largest there is for a buffer of almost 4 GiB', () => {
    const heap = makeHeap({ regionSize: MIB, maxBytes: 8 * 2 ** 30 });
    const view = heap.alloc(2 ** 32 - 48 * MIB);
    view[view.length - 1] = 5;
    expect(view.at(-1)).toBe(5);
    expect(heap.stats().regions[1].reserved).toBeGreaterThan(view.length);
    const again = heap.alloc(2 ** 31);
    expect(heap.stats().regions.length).toBe(3);
    for (const size of [2 ** 32 - PAGE, 2 ** 32 - 1, 2 ** 32]) {
      const live = heap.stats().live.bytes;
      const { reserved } = heap.stats();
      for (const method of ['alloc', 'allocUnsafe', 'allocUnsafeSlow']) {
        expect(facts(refusal(heap, () => heap[method](size)))).toEqual(
          exhausted(size, live, reserved),
        );
      }
    }
    heap.free(again);
    heap.free(view);
    expect(heap.stats().reserved).toBe(MIB);
  });

  test('is what maxBytes leaves, where that is less', () => {
    const heap = makeHeap({ regionSize: 4 * MIB, maxBytes: 5.5 * MIB + 1 });
    fill(heap);
    const events = recorded(heap);
    heap.alloc(10);
    expect(events).toEqual([added(1.5 * MIB, 2, 5.5 * MIB)]);
    expect(heap.check()).toEqual([]);
  });
});

describe('maxBytes', () => {
  test('bounds all regions together', () => {
    const heap = makeHeap({ regionSize: MIB, maxBytes: 3 * MIB + PAGE });
    const events = recorded(heap);
    const views = [];
    const error = caught(() => {
      for (;;) views.push(heap.allocUnsafeSlow(PAGE).fill(views.length));
    });
    const live = views.length * PAGE;
    expect(events).toEqual([added(MIB, 2, 2 * MIB), added(MIB, 3, 3 * MIB)]);
    expect(facts(error)).toEqual(exhausted(PAGE, live, 3 * MIB));
    expect(live).toBe(heap.stats().regions.reduce((sum, { usable }) => sum + usable, 0));
    expect(intact(views)).toBe(true);
    for (const kind of Object.keys(KINDS)) {
      const refused = refusal(heap, () => KINDS[kind](heap, 5000));
      expect(refused.message).toMatch(
        new RegExp(`^Cannot allocate \\d+ bytes: ${live} bytes live of ${3 * MIB} reserved$`),
      );
      expect([refused.code, refused.cause]).toEqual(['ERR_HEAP_EXHAUSTED', undefined]);
    }
    // As much as one buffer has, and no more.
    heap.free(views.pop());
    expect(heap.alloc(PAGE).length).toBe(PAGE);
    expect(caught(() => heap.alloc(1)).code).toBe('ERR_HEAP_EXHAUSTED');
    expect(heap.check()).toEqual([]);
  });

  test('below the usual size makes home that large', () => {
    const heap = createHeapSync(wasmModule, { regionSize: 64 * MIB, maxBytes: 2 * MIB + 5 });
    expect(heap.stats().reserved).toBe(2 * MIB);
    const { usable } = heap.stats().regions[0];
    expect(heap.alloc(usable).length).toBe(usable);
    expect(facts(refusal(heap, () => heap.alloc(1)))).toEqual(exhausted(1, usable, 2 * MIB));
    expect(createHeapSync(wasmModule, { maxBytes: 4 * MIB }).stats().reserved).toBe(4 * MIB);
  });

  test('frees what a dropped region took', () => {
    const heap = makeHeap({ regionSize: MIB, maxBytes: 3 * MIB });
    for (let round = 0; round < 12; round++) {
      const large = heap.alloc(1.5 * MIB);
      expect(heap.stats().regions.length).toBe(2);
      heap.free(large);
      expect(heap.stats().reserved).toBe(MIB);
    }
  });

  test.each([MIB - 1, 0, -1, NaN, -Infinity])(
    'must be that of one region at least: %p',
    (value) => {
      expect(caught(() => makeHeap({ maxBytes: value })).code).toBe('ERR_OUT_OF_RANGE');
    },
  );
});

describe('an empty region', () => {
  /** A heap whose home is full, and where blocks are made of one kind. */
  function withSecond(kind, size, count) {
    const heap = smallHeap();
    const home = fill(heap);
    const events = recorded(heap);
    const made = Array.from({ length: count }, () => KINDS[kind](heap, size));
    expect(events).toEqual([added(MIB, 2, 2 * MIB)]);
    return { heap, home, events, made };
  }

  test.each([
    ['alloc', 100, 500],
    ['alloc', 5000, 20],
    ['allocUnsafe, aligned', 200, 100],
    ['allocUnsafe, aligned', 5000, 20],
    ['allocUnsafeSlow', 10, 4],
    ['typed', 80, 100],
    ['from base64', 300, 30],
    ['arena', 1000, 4],
  ])('is dropped with its last block: %s of %p bytes', (kind, size, count) => {
    const { heap, home, events, made } = withSecond(kind, size, count);
    const last = made.splice(made.length >> 1, 1)[0];
    for (const one of made) giveBack(one);
    expect(events.length).toBe(1);
    expect(heap.check()).toEqual([]);
    giveBack(last);
    expect(events).toEqual([added(MIB, 2, 2 * MIB), dropped(MIB, 1, MIB)]);
    expect(heap.stats()).toMatchObject({ cached: { bytes: 0, buffers: 0 }, reserved: MIB });
    expect(intact(home)).toBe(true);
    // And another one comes when it is needed.
    giveBack(KINDS[kind](heap, size));
    expect(events.length).toBe(4);
    expect(heap.check()).toEqual([]);
  });

  test('is dropped with the last of all kinds, in any order', () => {
    for (let round = 0; round < 10; round++) {
      const heap = smallHeap();
      const home = fill(heap);
      const made = Object.values(KINDS)
        .filter((_, i) => i % 3 !== round % 3)
        .map((make) => make(heap, 900));
      while (made.length > 0) {
        expect(heap.stats().regions.length).toBeGreaterThan(1);
        giveBack(made.splice((round * 7919) % made.length, 1)[0]);
        expect(heap.check()).toEqual([]);
      }
      expect(heap.stats().regions.length).toBe(1);
      expect(intact(home)).toBe(true);
    }
  });

  test('is dropped by trim, once C++ has given back the last block', () => {
    const heap = smallHeap();
    const home = fill(heap);
    const view = heap.alloc(100);
    const { sr_alloc: alloc, sr_free: free } = heap.exportsOf(view);
    const block = alloc(5000);
    heap.free(view);
    heap.trim();
    expect(heap.stats().regions.length).toBe(2);
    free(block);
    expect(heap.stats().regions.length).toBe(2);
    heap.trim();
    expect(heap.stats().regions.length).toBe(1);
    expect(intact(home)).toBe(true);
    expect(heap.check()).toEqual([]);
  });

  test('is dropped by trim, once nothing but freed buffers of debug mode are in it', () => {
    const heap = smallHeap({ debug: true });
    const views = [];
    while (heap.stats().regions.length === 1) views.push(heap.allocUnsafeSlow(10));
    heap.free(views.pop());
    expect(heap.stats().regions.length).toBe(2);
    heap.trim();
    expect(heap.stats().regions.length).toBe(1);
    expect(heap.check()).toEqual([]);
  });

  test('keeps no memory once it is gone: more come and go than Chromium has room for', () => {
    const heap = smallHeap();
    const home = fill(heap);
    for (let i = 0; i < 150; i++) {
      // Within one job, to whose end engines hold what a WeakRef was made of.
      const [slab, run] = [heap.alloc(100), heap.allocUnsafeSlow(PAGE)];
      expect(heap.stats().regions.length).toBe(2);
      heap.free(slab);
      heap.free(run);
      heap.trim();
      expect(heap.stats().regions.length).toBe(1);
    }
    expect(intact(home)).toBe(true);
  });

  test('in the middle goes, and the others stay', () => {
    const heap = smallHeap();
    const groups = [fill(heap)];
    const { usable } = heap.stats().regions[0];
    for (let i = 1; i < 4; i++) {
      groups.push(
        Array.from({ length: usable / PAGE }, (_, n) =>
          heap.allocUnsafeSlow(PAGE).fill(i * 40 + n),
        ),
      );
    }
    expect(heap.stats().regions.length).toBe(4);
    for (const group of groups) expect(new Set(group.map(({ buffer }) => buffer)).size).toBe(1);
    for (const view of groups[1]) heap.free(view);
    expect(heap.stats().regions.length).toBe(3);
    expect([0, 2, 3].every((i) => intact(groups[i], i * 40))).toBe(true);
    const again = heap.allocUnsafeSlow(PAGE);
    expect([groups[0], groups[2], groups[3]].every(([view]) => view.buffer !== again.buffer)).toBe(
      true,
    );
    expect(heap.check()).toEqual([]);
  });

  test('home never goes', () => {
    const heap = smallHeap();
    const events = recorded(heap);
    const home = fill(heap);
    const other = heap.alloc(100);
    for (const view of home) heap.free(view);
    heap.trim();
    expect(heap.stats().regions.map(({ inUse }) => inUse)).toEqual([0, PAGE]);
    heap.free(other);
    heap.trim();
    expect(events).toEqual([added(MIB, 2, 2 * MIB), dropped(MIB, 1, MIB)]);
    expect(heap.alloc(100).buffer).toBe(home[0].buffer);
  });

  test('its buffers can still be read, and not be freed again', () => {
    const heap = smallHeap();
    fill(heap);
    const view = heap.from('over there');
    const part = view.subarray(5);
    heap.free(view);
    expect(heap.stats().regions.length).toBe(1);
    expect(textOf(view)).toBe('over there');
    expect(textOf(part)).toBe('there');
    for (const one of [view, part]) {
      expect(facts(refusal(heap, () => heap.free(one))).code).toBe('ERR_BUFFER_FREED');
      expect(caught(() => heap.exportsOf(one)).code).toBe('ERR_BUFFER_FREED');
    }
  });
});

describe('onRegion', () => {
  test('tells what was added and dropped, until it is told no more', () => {
    const heap = smallHeap();
    fill(heap);
    const [one, two] = [[], []];
    const stop = heap.onRegion((event) => one.push(event.type));
    heap.onRegion((event) => two.push(event.type));
    heap.free(heap.alloc(10));
    stop();
    heap.free(heap.alloc(10));
    stop();
    expect([one, two]).toEqual([
      ['added', 'dropped'],
      ['added', 'dropped', 'added', 'dropped'],
    ]);
  });

  test('tells whose exports a region has', () => {
    const heap = smallHeap();
    fill(heap);
    const told = [];
    heap.onRegion(({ exports }) => told.push(exports));
    const view = heap.allocUnsafeSlow(PAGE);
    expect(told).toEqual([heap.exportsOf(view)]);
    expect(told[0]).not.toBe(heap.exportsOf(heap.alloc(0)));
    heap.free(view);
    expect(told[1]).toBe(told[0]);
  });

  test('the same function may be there twice', () => {
    const heap = smallHeap();
    fill(heap);
    let calls = 0;
    const count = () => calls++;
    const stop = heap.onRegion(count);
    heap.onRegion(count);
    heap.alloc(10);
    expect(calls).toBe(2);
    stop();
    stop();
    fill(heap);
    heap.allocUnsafeSlow(PAGE);
    expect(calls).toBe(3);
  });

  test.each([undefined, null, 5, {}, 'x'])('wants a function: %p', (listener) => {
    const heap = smallHeap();
    expect(refusal(heap, () => heap.onRegion(listener)).code).toBe('ERR_INVALID_ARG_TYPE');
  });

  test('after dispose is refused, and nobody is told of the end', () => {
    const heap = smallHeap();
    fill(heap);
    heap.arena({ size: 100 });
    heap.alloc(10);
    const events = recorded(heap);
    heap.dispose();
    expect(events).toEqual([]);
    expect(caught(() => heap.onRegion(() => {})).code).toBe('ERR_HEAP_DISPOSED');
  });

  test('a listener that throws is the host’s to hear of', () => {
    const result = resultOf(`
      const errors = [];
      process.on('uncaughtException', (error) => errors.push(error.message));
      const heap = await createHeap({ regionSize: ${MIB}, maxBytes: ${4 * MIB} });
      const told = [];
      heap.onRegion(({ type }) => { throw new Error('mine: ' + type); });
      heap.onRegion(({ type }) => told.push(type));
      while (heap.stats().regions.length === 1) heap.allocUnsafeSlow(65536);
      const view = heap.alloc(100);
      const before = errors.length;
      await new Promise(setImmediate);
      print({ length: view.length, told, before, errors, problems: heap.check() });
    `);
    expect(result).toEqual({
      length: 100,
      told: ['added'],
      before: 0,
      errors: ['mine: added'],
      problems: [],
    });
  });

  /** What a listener may do, and may not break. */
  const DEEDS = {
    'allocates the same': (_heap, kept, make) => kept.push(make()),
    'allocates the same and frees it': (_heap, _kept, make) => giveBack(make()),
    'allocates a page and frees it': (heap) => heap.free(heap.allocUnsafeSlow(1)),
    'allocates small ones': (heap, kept) => {
      for (let i = 0; i < 100; i++) kept.push(heap.allocUnsafe(100 + i));
    },
    'frees what it can': (_heap, kept) => {
      while (kept.length > 0) giveBack(kept.pop());
    },
    trims: (heap) => heap.trim(),
    'asks for all': (heap) => caught(() => heap.allocUnsafeSlow(4 * MIB)),
  };

  describe.each(Object.keys(DEEDS))('a listener that %s', (deed) => {
    test.each(Object.keys(KINDS))('at the time of %s', (kind) => {
      const heap = smallHeap();
      const home = fill(heap);
      const kept = [];
      let depth = 0;
      let left = 0;
      heap.onRegion(() => {
        if (depth > 0 || left-- <= 0) return;
        depth++;
        DEEDS[deed](heap, kept, () => KINDS[kind](heap, 900));
        depth--;
        expect(heap.check()).toEqual([]);
      });
      for (let round = 0; round < 4; round++) {
        // At the first only when a region is added, then when it is dropped too.
        left = round + 1;
        const made = KINDS[kind](heap, 900);
        expect(heap.stats().regions.length).toBe(2);
        expect(heap.stats().live.buffers).toBe(home.length + kept.length + 1);
        const [, { live }] = heap.stats().regions;
        expect(live.bytes).toBeGreaterThanOrEqual(900);
        giveBack(made);
        expect(heap.check()).toEqual([]);
        expect(heap.stats().live.buffers).toBe(home.length + kept.length);
        left = Math.min(left, round);
        while (kept.length > 0) giveBack(kept.pop());
        heap.trim();
        left = 0;
        while (kept.length > 0) giveBack(kept.pop());
        expect(heap.stats().live).toEqual({ bytes: home.length * PAGE, buffers: home.length });
        expect(heap.stats().reserved).toBe(heap.stats().regions.length * MIB);
      }
      expect(intact(home)).toBe(true);
    });
  });

  test.each(Object.keys(KINDS))('a listener that disposes of the heap: %s', (kind) => {
    const heap = smallHeap();
    const home = fill(heap);
    heap.onRegion(() => heap.dispose());
    expect(caught(() => KINDS[kind](heap, 900)).code).toBe('ERR_HEAP_DISPOSED');
    expect(caught(() => heap.stats()).code).toBe('ERR_HEAP_DISPOSED');
    expect(intact(home)).toBe(true);
  });

  test('a listener that disposes of the heap when a region is dropped', () => {
    for (const kind of Object.keys(KINDS)) {
      const heap = smallHeap();
      fill(heap);
      const made = KINDS[kind](heap, 900);
      heap.onRegion(() => heap.dispose());
      giveBack(made);
      expect(caught(() => heap.stats()).code).toBe('ERR_HEAP_DISPOSED');
    }
  });

  test('a listener that frees the last of another region, while trim goes over them', () => {
    const heap = smallHeap();
    fill(heap);
    const second = fill2(heap);
    const third = fill2(heap);
    expect(heap.stats().regions.length).toBe(3);
    const events = [];
    heap.onRegion(({ type, reserved }) => {
      events.push([type, reserved]);
      while (third.length > 0) heap.free(third.pop());
    });
    for (const view of second) heap.free(view);
    heap.trim();
    expect(events).toEqual([
      ['dropped', 2 * MIB],
      ['dropped', MIB],
    ]);
    expect(heap.stats()).toMatchObject({ reserved: MIB });
    expect(heap.check()).toEqual([]);
  });

  test('a listener that has a region dropped which trim comes to later', () => {
    const heap = smallHeap();
    const home = fill(heap);
    const second = fill2(heap);
    // Nothing but a block of C++ is left in the second region.
    const { sr_alloc: alloc, sr_free: free } = heap.exportsOf(second[0]);
    const last = second.pop();
    heap.free(last);
    const block = alloc(5000);
    const third = fill2(heap);
    for (const view of second) heap.free(view);
    free(block);
    const events = [];
    heap.onRegion(({ type, regions, reserved }) => {
      events.push([type, regions, reserved]);
      while (third.length > 0) heap.free(third.pop());
    });
    heap.trim();
    expect(events).toEqual([
      ['dropped', 2, 2 * MIB],
      ['dropped', 1, MIB],
    ]);
    expect(heap.stats()).toMatchObject({ reserved: MIB, live: { buffers: home.length } });
    expect(heap.check()).toEqual([]);
  });

  /** One region more, and all of it. */
  function fill2(heap) {
    const first = heap.allocUnsafeSlow(PAGE).fill(0);
    return [first, ...fill(heap, 1)];
  }
});

describe('stats', () => {
  test('are sums over all regions', () => {
    const heap = smallHeap();
    const views = [];
    let seed = 11;
    for (let i = 0; i < 4000; i++) {
      seed = (seed * 48_271) % 0x7fffffff;
      const size = 1 + (seed % (seed % 40 === 0 ? 100_000 : 2000));
      if (seed % 5 < 2 && views.length > 0) heap.free(views.splice(seed % views.length, 1)[0]);
      else if (heap.stats().live.bytes < 3 * MIB) {
        views.push(seed % 2 ? heap.alloc(size) : heap.allocUnsafe(size, { alignment: 16 }));
      }
      if (i % 200 !== 199) continue;
      const { regions, ...all } = heap.stats();
      const sum = (read) => regions.reduce((total, region) => total + read(region), 0);
      expect(all.reserved).toBe(sum(({ reserved }) => reserved));
      expect(all.resident).toBe(sum(({ resident }) => resident));
      expect(all.live.bytes + all.cached.bytes).toBe(sum(({ live }) => live.bytes));
      expect(all.live.buffers + all.cached.buffers).toBe(sum(({ live }) => live.blocks));
      expect(all.live.buffers).toBe(views.length);
      expect(all.peak).toBeGreaterThanOrEqual(all.live.bytes);
      for (const [n, sizeClass] of all.sizeClasses.entries()) {
        for (const key of ['live', 'slabs']) {
          expect(sizeClass[key]).toBe(sum(({ sizeClasses }) => sizeClasses[n][key]));
        }
      }
      for (const { resident, reserved, usable, touched } of regions) {
        expect(resident).toBe(reserved - usable + touched);
      }
      expect(heap.check()).toEqual([]);
    }
    expect(heap.stats().regions.length).toBeGreaterThan(2);
    for (const view of views) heap.free(view);
    heap.trim();
    expect(heap.stats()).toMatchObject({
      reserved: MIB,
      live: { bytes: 0, buffers: 0 },
      cached: { bytes: 0, buffers: 0 },
    });
  });

  test('keep the peak of regions that are gone', () => {
    const heap = smallHeap();
    const home = fill(heap);
    const full = home.length * PAGE;
    const more = heap.alloc(5 * PAGE);
    expect(heap.stats().peak).toBe(full + 5 * PAGE);
    heap.free(more);
    expect(heap.stats().regions.length).toBe(1);
    expect(heap.stats().peak).toBe(full + 5 * PAGE);
    heap.free(heap.alloc(2 * PAGE));
    expect(heap.stats().peak).toBe(full + 5 * PAGE);
    heap.alloc(6 * PAGE);
    expect(heap.stats().peak).toBe(full + 6 * PAGE);
  });
});

test.each(['home', 'another region'])('retained tells what a view keeps, in %s', (where) => {
  const heap = smallHeap();
  const home = where === 'home' ? [] : fill(heap);
  expect(heap.retained(heap.alloc(10))).toBe(PAGE);
  expect(heap.retained(heap.alloc(10).subarray(3))).toBe(PAGE);
  expect(heap.retained(heap.allocUnsafe(10, { alignment: 64 }))).toBe(PAGE);
  expect(heap.retained(heap.allocUnsafeSlow(10))).toBe(PAGE);
  expect(heap.retained(heap.typed(Float64Array, 20_000))).toBe(3 * PAGE);
  expect(heap.retained(heap.alloc(0))).toBe(0);
  expect(heap.stats().regions.length).toBe(home.length > 0 ? 2 : 1);
});

describe('buffers of other regions than home', () => {
  test('are recycled by cells, not by objects, and zeroed by alloc', () => {
    const heap = smallHeap();
    fill(heap);
    const keep = heap.alloc(50);
    for (let i = 0; i < 300; i++) {
      const views = Array.from({ length: 30 }, () => heap.alloc(100 + (i % 3)));
      expect(new Set(views.map(({ byteOffset }) => byteOffset)).size).toBe(30);
      for (const view of views) {
        expect(view.every((byte) => byte === 0)).toBe(true);
        view.fill(0xff);
      }
      for (const view of views) (i % 2 ? heap.free : (one) => one.free())(view);
      expect(caught(() => views[0].free()).code).toBe('ERR_BUFFER_FREED');
    }
    expect(heap.stats().regions.length).toBe(2);
    expect(heap.stats().regions[1].inUse).toBeLessThan(4 * PAGE);
    expect(keep.every((byte) => byte === 0)).toBe(true);
    expect(heap.check()).toEqual([]);
  });

  test('do not mix with home’s parked ones of that length', () => {
    const heap = smallHeap();
    const parked = Array.from({ length: 10 }, () => heap.alloc(100));
    fill(heap);
    // No cell of that size is left in home.
    const rest = [];
    while (heap.stats().regions.length === 1) rest.push(heap.alloc(100).fill(1));
    const other = rest.pop();
    expect(other.buffer).not.toBe(parked[0].buffer);
    for (const view of parked) heap.free(view.fill(2));
    for (let i = 0; i < 10; i++) {
      const view = heap.alloc(100);
      expect([view.buffer === parked[0].buffer, view.every((byte) => byte === 0)]).toEqual([
        true,
        true,
      ]);
    }
    expect(other.every((byte) => byte === 1)).toBe(true);
    expect(rest.every((view) => view.every((byte) => byte === 1))).toBe(true);
    expect(heap.check()).toEqual([]);
  });

  test('are freed by scopes, and kept by them', () => {
    const heap = smallHeap();
    fill(heap);
    const kept = heap.scope((scope) => {
      heap.alloc(100);
      heap.typed(Int32Array, 10);
      heap.allocUnsafeSlow(100);
      expect(heap.stats().regions.length).toBe(2);
      scope.keep(heap.alloc(10));
      return heap.from('result');
    });
    expect(heap.stats().regions[1].live.blocks - heap.stats().cached.buffers).toBe(2);
    expect(textOf(kept)).toBe('result');
    expect(heap.check()).toEqual([]);
  });

  test('zeroOnFree clears them', () => {
    const heap = smallHeap({ zeroOnFree: true });
    fill(heap);
    const keep = heap.alloc(10);
    for (const view of [heap.from('secret'), heap.allocUnsafeSlow(100).fill('x')]) {
      const bytes = bytesOf(view);
      heap.free(view);
      expect(bytes.every((byte) => byte === 0)).toBe(true);
    }
    expect(keep.length).toBe(10);
  });

  test('debug mode watches them', () => {
    const heap = smallHeap({ debug: true });
    fill(heap);
    while (heap.stats().regions.length === 1) heap.allocUnsafeSlow(10);
    const view = heap.alloc(100);
    expect(view.buffer.byteLength).toBe(MIB);
    const past = new Uint8Array(view.buffer, view.byteOffset + 100, 1);
    past[0] = 1;
    expect(heap.check().length).toBe(1);
    past[0] = 0xfd;
    expect(heap.check()).toEqual([]);
    heap.free(view);
    expect(caught(() => heap.free(view)).code).toBe('ERR_BUFFER_FREED');
  });
});

test('kernels run on the bytes of any region', () => {
  const text = readFileSync(new URL('../../build/wasm-release/text.wasm', import.meta.url));
  const heap = createHeapSync(text, { regionSize: MIB, maxBytes: 4 * MIB });
  const views = [heap.from('a\nb\n')];
  for (let region = 2; region <= 4; region++) {
    fill(heap);
    // Of another size than before: no cells of it are at hand.
    views.push(heap.from('line\n'.repeat(10 ** region)));
    expect(heap.stats().regions.length).toBe(region);
  }
  expect(new Set(views.map(({ buffer }) => buffer)).size).toBe(4);
  expect(new Set(views.map(heap.exportsOf)).size).toBe(4);
  for (const [i, view] of views.entries()) {
    const lines = i === 0 ? 2 : 10 ** (i + 1);
    expect(heap.exportsOf(view).count_lines(view.byteOffset, view.length)).toBe(lines);
    const part = view.subarray(view.length - 2);
    expect(heap.exportsOf(part).count_lines(part.byteOffset, part.length)).toBe(1);
  }
  const typed = heap.typed(Uint8Array, 3);
  typed.fill(10);
  expect(heap.exportsOf(typed).count_lines(typed.byteOffset, 3)).toBe(3);
  const arena = heap.arena({ size: 100 });
  const pointer = arena.alloc(3);
  arena.u8.fill(10, pointer, pointer + 3);
  expect(arena.exports.count_lines(arena.address(pointer), 3)).toBe(3);
});

describe('addresses past 2 GiB', () => {
  test('in a region of 4 GiB that was added', () => {
    const heap = makeHeap({ regionSize: MIB, maxBytes: 5 * 2 ** 30, zeroOnFree: false });
    fill(heap);
    // Untouched, so no memory is used: up to 16 MiB below the end.
    const large = heap.alloc(2 ** 32 - 48 * MIB);
    const [, { usable, inUse }] = heap.stats().regions;
    expect(inUse).toBeGreaterThan(2 ** 31);
    const low = heap.allocUnsafeSlow(Math.max(PAGE, usable - inUse - 3 * MIB));
    expect(low.buffer).toBe(large.buffer);
    check(heap, large.buffer, 2 ** 32 - 16 * MIB - 40 * MIB);
    heap.free(low);
    heap.free(large);
    expect(heap.stats().regions.length).toBe(1);
  });

  test('in home', () => {
    const heap = makeHeap({ regionSize: 2 ** 32, maxBytes: 2 ** 32 });
    const { usable } = heap.stats().regions[0];
    const large = heap.alloc(usable - 2 * MIB);
    check(heap, large.buffer, 2 ** 32 - 2 * MIB);
    heap.free(large);
    expect(heap.stats().live.bytes).toBe(0);
  });

  /** All that can be done up there; what is there is at least so far up. */
  function check(heap, buffer, from) {
    const made = [];
    const place = (view) => {
      expect(view.buffer).toBe(buffer);
      expect(view.byteOffset).toBeGreaterThanOrEqual(from);
      made.push(view);
      return view;
    };
    for (const size of [1, 10, 100, 5000, 32_768, 100_000]) {
      place(heap.alloc(size)).fill(1);
      place(heap.allocUnsafe(size)).fill(1);
      place(heap.allocUnsafe(size, { alignment: 64 })).fill(1);
      place(heap.from('é'.repeat(size)))
        .subarray(1)
        .fill(1);
      place(heap.typed(Uint8Array, size)).subarray(0).fill(1);
    }
    const [first] = made;
    expect(first.subarray(0).byteOffset).toBe(first.byteOffset);
    place(heap.allocUnsafeSlow(10, { alignment: 4 * PAGE }));
    const numbers = heap.typed(Float64Array, 8);
    numbers[7] = 0.1;
    expect(new DataView(buffer).getFloat64(numbers.byteOffset + 56, true)).toBe(0.1);
    numbers.free();
    const arena = heap.arena({ size: 1000 });
    const pointer = arena.alloc(16);
    expect(arena.address(pointer)).toBeGreaterThan(from);
    arena.f64[pointer >> 3] = 2.5;
    expect(new DataView(buffer).getFloat64(arena.address(pointer), true)).toBe(2.5);
    const copy = arena.materialize(pointer, 8);
    expect(bytesOf(copy).readDoubleLE()).toBe(2.5);
    place(copy);
    arena.dispose();
    expect(heap.check()).toEqual([]);
    const live = heap.stats().live.buffers;
    for (const view of made) view.free();
    expect(heap.stats().live.buffers).toBe(live - made.length);
    expect(caught(() => made[0].free()).code).toBe('ERR_BUFFER_FREED');
    for (const size of [1, 10, 100, 5000, 32_768, 100_000]) {
      const view = heap.alloc(size);
      expect(view.every((byte) => byte === 0)).toBe(true);
      view.free();
    }
    heap.trim();
    expect(heap.stats().cached.bytes).toBe(0);
    expect(heap.check()).toEqual([]);
  }
});

describe('where the engine refuses memory', () => {
  /** A program in which no Memory of more than `most` bytes can be made, and `count` in all. */
  const program = (most, count, code) => `
    const asked = [];
    const { Memory } = WebAssembly;
    let left = ${count};
    WebAssembly.Memory = class extends Memory {
      constructor(limits) {
        asked.push(limits.initial / 16);
        if (limits.initial * 65536 > ${most} || left-- <= 0) throw new RangeError('no room');
        super(limits);
      }
    };
    const facts = ({ code, message, cause }) => [code, message, cause?.message];
    const caught = (action) => { try { action(); } catch (error) { return facts(error); } };
    const attempt = (promise) => promise.catch(facts);
    ${code}
  `;

  test('home is halved, down to 16 MiB', () => {
    const made = (most) =>
      resultOf(
        program(most, 9, 'const heap = await createHeap(); print([heap.stats().reserved, asked]);'),
      );
    expect(made(100 * MIB)).toEqual([64 * MIB, [256, 128, 64]]);
    expect(made(16 * MIB)).toEqual([16 * MIB, [256, 128, 64, 32, 16]]);
  });

  test('and then the heap is refused', () => {
    expect(
      resultOf(program(16 * MIB - 1, 9, 'print([await attempt(createHeap()), asked]);')),
    ).toEqual([
      ['ERR_HEAP_EXHAUSTED', expect.stringMatching(/^Cannot allocate 16777216 bytes/), 'no room'],
      [256, 128, 64, 32, 16],
    ]);
  });

  test('a size that was asked for is not halved', () => {
    expect(
      resultOf(
        program(40 * MIB, 9, 'print([await attempt(createHeap({ regionSize: 2 ** 26 })), asked]);'),
      ),
    ).toEqual([
      ['ERR_HEAP_EXHAUSTED', expect.stringMatching(/^Cannot allocate 67108864 bytes/), 'no room'],
      [64],
    ]);
  });

  test('further regions are halved too, and then the request is refused', () => {
    const [regions, asked, error, same, problems] = resultOf(
      program(
        64 * MIB,
        3,
        `
        const heap = await createHeap();
        const views = [];
        const error = caught(() => {
          for (;;) views.push(heap.alloc(8 * 2 ** 20));
        });
        const before = heap.stats();
        const again = caught(() => heap.alloc(1e6 * 8));
        const same = JSON.stringify(heap.stats()) === JSON.stringify(before);
        const sizes = before.regions.map(({ reserved }) => reserved / 2 ** 20);
        print([sizes, asked, error, same, heap.check()]);
      `,
      ),
    );
    expect(regions).toEqual([64, 64, 64]);
    expect(asked.slice(0, 9)).toEqual([256, 128, 64, 256, 128, 64, 256, 128, 64]);
    expect(asked.slice(9, 14)).toEqual([256, 128, 64, 32, 16]);
    expect(error).toEqual([
      'ERR_HEAP_EXHAUSTED',
      `Cannot allocate ${8 * MIB} bytes: ${3 * 7 * 8 * MIB} bytes live of ${192 * MIB} reserved`,
      'no room',
    ]);
    expect([same, problems]).toEqual([true, []]);
  });

  test('a region for one buffer is not made smaller than that', () => {
    const [asked, error] = resultOf(
      program(
        64 * MIB,
        3,
        'const heap = await createHeap(); print([asked, caught(() => heap.alloc(2 ** 27))]);',
      ),
    );
    expect(asked.slice(0, 3)).toEqual([256, 128, 64]);
    expect(asked.slice(3).every((size) => size > 128)).toBe(true);
    expect(error[0]).toBe('ERR_HEAP_EXHAUSTED');
    expect(error[2]).toBe('no room');
  });

  test('and a fault of another kind is not taken for that', () => {
    const { printed } = runModule(`
      const heap = await createHeap({ regionSize: ${MIB} , maxBytes: ${4 * MIB} });
      const { Memory } = WebAssembly;
      WebAssembly.Memory = class { constructor() { throw new TypeError('not mine'); } };
      let thrown;
      try { for (;;) heap.allocUnsafeSlow(65536); } catch (error) { thrown = error.message; }
      WebAssembly.Memory = Memory;
      print([thrown, heap.check(), heap.stats().regions.length, heap.alloc(10).length]);
    `);
    expect(printed).toEqual(['not mine', [], 1, 10]);
  });
});

describe('the memory of a dropped region', () => {
  const SIZE = 192 * MIB;
  const program = (after) => `
    import { readFileSync } from 'node:fs';
    // What is mapped and in memory, of this process.
    const resident = () => Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
    const heap = await createHeap({ regionSize: ${MIB}, maxBytes: ${1024 * MIB} });
    const before = resident();
    let view = heap.alloc(${SIZE});
    const untouched = resident() - before;
    for (let i = 0; i < view.length; i += 4096) view[i] = 1;
    const filled = resident() - before;
    heap.free(view);
    view = undefined;
    const { regions, resident: said } = heap.stats();
    for (let i = 0; i < 20; i++) {
      ${after}
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (resident() - before < ${SIZE / 4}) break;
    }
    print({ untouched, filled, after: resident() - before, regions: regions.length, said });
  `;

  test.each([
    ['the garbage collector', ['--expose-gc'], 'gc();'],
    ['another region', [], 'heap.free(heap.alloc(2 ** 26));'],
  ])('goes back to the system with %s', (_, flags, after) => {
    const result = resultOf(program(after), { flags });
    expect(result.untouched).toBeLessThan(SIZE / 8);
    expect(result.filled).toBeGreaterThan(SIZE * 0.95);
    expect(result.after).toBeLessThan(SIZE / 4);
    expect([result.regions, result.said < MIB]).toEqual([1, true]);
  });
});

test('a heap at the edge of a region does not add and drop one with each buffer', () => {
  const heap = makeHeap({ maxBytes: 4 * MIB });
  const events = [];
  heap.onRegion(({ type }) => events.push(type));
  let last = heap.alloc(PAGE);
  while (heap.stats().regions.length === 1) last = heap.alloc(PAGE);
  last.free();
  for (let i = 0; i < 200; i++) heap.alloc(10 * PAGE).free();
  const { length } = events;
  expect(length).toBeLessThan(60);
  for (let i = 0; i < 200; i++) heap.alloc(10 * PAGE).free();
  expect(events.length).toBe(length);
  // Not where it is in the way.
  heap.alloc(2.5 * MIB).free();
  heap.trim();
  expect(heap.stats().regions.length).toBe(1);
  expect(heap.check()).toEqual([]);
});
