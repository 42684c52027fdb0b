/** The map of pages of the live view: web/live/page-map.js, and what live.cpp tells it. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeapSync } from 'slabring';
import { randomFrom } from '../../bench/harness/random.js';
import { groupOf, layout, pageAt } from '../../web/live/map-drawing.js';
import {
  FREE,
  fragmentation,
  makePageMap,
  OWN,
  REST,
  RUN,
  readPages,
  SLAB,
  tally,
  UNTOUCHED,
} from '../../web/live/page-map.js';
import { MIB, PAGE } from '../support/heap.js';

const module = new WebAssembly.Module(
  readFileSync(new URL('../../build/wasm-release/live.wasm', import.meta.url)),
);

/** Runs of pages as C++ packs them, and the pages one by one. */
const word = {
  untouched: ({ pages }) => pages * 4,
  free: ({ pages }) => 1 + pages * 4,
  run: ({ pages }) => 2 + pages * 4,
  slab: ({ sizeClass, used }) => 3 + sizeClass * 4 + used * 256,
};
const pagesOf = {
  untouched: ({ pages }) => Array(pages).fill([UNTOUCHED, 0]),
  free: ({ pages }) => Array(pages).fill([FREE, 0]),
  run: ({ pages }) => [[RUN, 0], ...Array(pages - 1).fill([REST, 0])],
  slab: ({ sizeClass, used }) => [[SLAB + sizeClass, used]],
};

function modelOf(runs) {
  const pages = runs.flatMap((run) => pagesOf[run.kind](run));
  const words = new Map();
  let at = 0;
  for (const run of runs) {
    words.set(at, word[run.kind](run) | 0);
    at += pagesOf[run.kind](run).length;
  }
  return { pages, live_page_count: () => pages.length, live_pages_at: (page) => words.get(page) };
}

const someRun = fc.oneof(
  fc.record({
    kind: fc.constantFrom('untouched', 'free', 'run'),
    pages: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({
    kind: fc.constant('slab'),
    sizeClass: fc.integer({ min: 0, max: 40 }),
    used: fc.integer({ min: 0, max: 4096 }),
  }),
);

describe('a map', () => {
  test('has every page as a model has it, and touches no other', () => {
    fc.assert(
      fc.property(
        fc.array(someRun, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 9 }),
        (runs, own, from) => {
          const model = modelOf(runs);
          const pages = own + model.pages.length;
          const map = makePageMap(from + pages + 3);
          map.kinds.fill(99);
          map.used.fill(9999);
          readPages(model, map, from, pages);
          const expected = [
            ...Array(from).fill([99, 9999]),
            ...Array(own).fill([OWN, 0]),
            ...model.pages,
            ...Array(3).fill([99, 9999]),
          ];
          expect([...map.kinds].map((kind, i) => [kind, map.used[i]])).toEqual(expected);
        },
      ),
    );
  });

  test('of a whole region of 4 GiB is one of 65,536 pages', () => {
    const model = modelOf([{ kind: 'run', pages: 65_536 }]);
    const map = makePageMap(65_536);
    readPages(model, map, 0, 65_536);
    expect(tally(map, 0, 65_536)).toMatchObject({ runs: 1, inRuns: 65_536, slabs: 0, longest: 0 });
  });

  test.each([0, 6, 2 ** 29])('a run of %p pages where 5 are left is refused', (pages) => {
    const source = { live_page_count: () => 5, live_pages_at: () => (1 + pages * 4) | 0 };
    expect(() => readPages(source, makePageMap(5), 0, 5)).toThrow(RangeError);
  });

  test('is tallied as it was made', () => {
    fc.assert(
      fc.property(fc.array(someRun, { minLength: 1, maxLength: 30 }), (runs) => {
        const model = modelOf(runs);
        const { length } = model.pages;
        const map = makePageMap(length);
        readPages(model, map, 0, length);
        const text = model.pages.map(([kind]) => (kind === FREE || kind === UNTOUCHED ? 'a' : ' '));
        const count = (...kinds) => model.pages.filter(([kind]) => kinds.includes(kind)).length;
        expect(tally(map, 0, length)).toEqual({
          pages: length,
          own: 0,
          untouched: count(UNTOUCHED),
          free: count(FREE),
          runs: count(RUN),
          inRuns: count(RUN, REST),
          slabs: model.pages.filter(([kind]) => kind >= SLAB).length,
          cells: model.pages.reduce((sum, [, used]) => sum + used, 0),
          longest: Math.max(
            ...text
              .join('')
              .split(' ')
              .map((stretch) => stretch.length),
          ),
        });
      }),
    );
  });
});

describe('fragmentation', () => {
  const region = (free, untouched, longest) => ({ free, untouched, longest });

  test('is none where each region has its free pages in one piece, or has none', () => {
    expect(fragmentation([])).toBe(0);
    expect(fragmentation([region(0, 0, 0)])).toBe(0);
    expect(fragmentation([region(3, 4, 7), region(0, 5, 5), region(0, 0, 0)])).toBe(0);
  });

  test('is the share outside of the longest pieces', () => {
    expect(fragmentation([region(10, 0, 1)])).toBeCloseTo(0.9);
    expect(fragmentation([region(6, 2, 4), region(2, 0, 2)])).toBeCloseTo(0.4);
  });
});

describe('the module tells where the buffers are', () => {
  /** What the map must show, from the addresses of the buffers that are held alone. */
  function compare(heap, views) {
    const { regions, sizeClasses } = heap.stats();
    const cellSizes = sizeClasses.map(({ cellSize }) => cellSize);
    const home = heap.exportsOf(heap.alloc(0));
    const bySource = new Map();
    for (const view of views) {
      const source = heap.exportsOf(view);
      if (!bySource.has(source)) bySource.set(source, []);
      bySource.get(source).push(view);
    }
    for (const [source, held] of bySource) {
      const pages = held[0].buffer.byteLength / PAGE;
      const map = makePageMap(pages);
      readPages(source, map, 0, pages);
      if (source === home) {
        const { usable, touched, inUse } = regions[0];
        const sums = tally(map, 0, pages);
        expect(sums.own).toBe(pages - usable / PAGE);
        expect(sums.slabs + sums.inRuns).toBe(inUse / PAGE);
        expect(sums.untouched).toBe((usable - touched) / PAGE);
        expect(sums.own + sums.slabs + sums.inRuns + sums.free + sums.untouched).toBe(pages);
      }
      const cells = new Map();
      for (const { byteOffset, length } of held) {
        const page = byteOffset >>> 16;
        const kind = map.kinds[page];
        if (kind >= SLAB) {
          expect(cellSizes[kind - SLAB]).toBeGreaterThanOrEqual(length);
          expect((byteOffset % PAGE) % cellSizes[kind - SLAB]).toBe(0);
          cells.set(page, (cells.get(page) ?? 0) + 1);
        } else {
          const rest = Math.ceil(length / PAGE) - 1;
          expect([...map.kinds.subarray(page, page + rest + 1)]).toEqual([
            RUN,
            ...Array(rest).fill(REST),
          ]);
        }
      }
      for (const [page, count] of cells) expect(map.used[page]).toBeGreaterThanOrEqual(count);
    }
  }

  test.each([1, 2, 3])('in every region, after each of many steps: seed %p', (seed) => {
    const heap = createHeapSync(module, { regionSize: 2 * MIB, maxBytes: 64 * MIB });
    const random = randomFrom(seed);
    const views = [];
    let most = 0;
    for (let step = 0; step < 3000; step++) {
      const filling = step % 1000 < 600;
      if (views.length > 0 && random() < (filling ? 0.3 : 0.8)) {
        const [view] = views.splice(Math.floor(random() * views.length), 1);
        view.free();
      } else {
        views.push(heap.allocUnsafe(1 + Math.floor(400_000 ** random())));
      }
      if (step % 100 === 0 && views.length > 0) compare(heap, views);
      most = Math.max(most, heap.stats().regions.length);
    }
    expect(most).toBeGreaterThan(1);
    expect(heap.check()).toEqual([]);
  });

  test('how many cells of a slab are handed out', () => {
    const heap = createHeapSync(module, { regionSize: 2 * MIB, maxBytes: 2 * MIB });
    // Whole cells of C++: nothing is kept in between.
    const { sr_alloc, sr_free, live_pages_at, live_page_count } = heap.exportsOf(heap.alloc(0));
    const at = (address) =>
      live_pages_at((address >>> 16) - (2 * MIB) / PAGE + live_page_count()) >>> 0;
    const cells = [];
    for (let i = 1; i <= 4096; i++) {
      cells.push(sr_alloc(16));
      if (i < 3 || i > 4094) expect(at(cells[0])).toBe(3 + i * 256);
    }
    expect(sr_alloc(16) >>> 16).not.toBe(cells[0] >>> 16);
    for (const cell of cells) sr_free(cell);
    expect(at(cells[0]) & 3).toBe(1);
  });

  test('segments of the ring and room for ids', () => {
    const heap = createHeapSync(module, { regionSize: 2 * MIB, maxBytes: 2 * MIB });
    const { live_tick_segments, live_async_capacity } = heap.exportsOf(heap.alloc(0));
    expect([live_tick_segments(), live_async_capacity()]).toEqual([0, 0]);
    for (const [ticks, segments] of [
      [1, 1],
      [2047, 1],
      [1, 2],
      [3 * 2048, 5],
    ]) {
      for (let i = 0; i < ticks; i++) heap.nextTick(() => {});
      expect(live_tick_segments()).toBe(segments);
    }
    heap.ticks.drain();
    expect(live_tick_segments()).toBe(1);
    for (let i = 0; i < 17; i++) heap.asyncIds.push(i, 1);
    expect(live_async_capacity()).toBe(48);
  });
});

describe('the picture', () => {
  test.each([90, 339, 340, 1000, 2500])('%p pixels wide, shows every page once', (width) => {
    const regions = Uint32Array.of(128, 128, 64, 512, 1, 128);
    const { blocks, height } = layout(regions, width);
    const seen = new Map();
    for (let y = 0; y < height; y += 5) {
      for (let x = 0; x < width; x += 5) {
        const page = pageAt(blocks, x, y);
        if (page >= 0) seen.set(page, (seen.get(page) ?? 0) + 1);
      }
    }
    expect([...seen.keys()].sort((a, b) => a - b)).toEqual([...Array(961).keys()]);
    expect(new Set(seen.values())).toEqual(new Set([4]));
    expect(pageAt(blocks, 0, 0)).toBe(-1);
  });

  test('groups cells by their size', () => {
    expect([16, 64, 80, 256, 320, 1024, 1280, 4096, 5040, 32_768].map(groupOf)).toEqual([
      0, 0, 1, 1, 2, 2, 3, 3, 4, 4,
    ]);
  });
});
