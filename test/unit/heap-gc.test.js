/**
 * Buffers that nobody frees. Programs of their own, on each Node there is: they collect differently.
 */

import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';
import { KIB, MIB, PAGE } from '../support/heap.js';
import { nodes } from '../support/nodes.js';

const GIB = 1024 * MIB;

const FLAGS = [
  '--expose-gc',
  // Room for young objects: nothing is collected but when the program says so.
  '--min-semi-space-size=32',
  // A compiler in a thread of its own holds what the code that it compiles has seen.
  '--no-concurrent-recompilation',
];

describe.each(nodes)('Node %s', (_, program) => {
  const run = (code, flags = FLAGS) =>
    resultOf(
      `
      const MIB = ${MIB};
      const PAGE = ${PAGE};
      const turn = () => new Promise(setImmediate);
      // Finalizers run in turns of their own.
      const collect = async () => {
        for (let i = 0; i < 3; i++) {
          gc();
          await turn();
          await turn();
        }
      };
      const make = (options) => createHeap({ regionSize: MIB, maxBytes: MIB, ...options });
      const pageOf = ({ byteOffset }) => byteOffset >>> 16;
      const holds = (view, byte) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
        .every((one) => one === byte);
      const usable = (heap) => heap.stats().regions[0].usable;
      // Whoever is called leaves nothing on the stack.
      const here = (action) => void action();
      ${code}
      `,
      { flags, program },
    );

  describe('dropped a MiB a turn, in 64 MiB of JavaScript heap', () => {
    test.each([
      [64, 4 * GIB, 64],
      [KIB, 4 * GIB, KIB],
      [16 * KIB, 4 * GIB, 16 * KIB],
      [MIB, 4 * GIB, MIB],
      // Of pages of their own, as few as there are: a run weighs more than its bytes.
      [PAGE, GIB, 10],
    ])('buffers come back: %p bytes each, %p in all, asked for as %p', (size, total, length) => {
      const make = size === length ? 'allocUnsafe' : 'allocUnsafeSlow';
      const result = run(
        `
        import { readFileSync } from 'node:fs';
        const resident = () =>
          Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
        const heap = await createHeap({ maxBytes: 256 * MIB });
        // A hundredth of a turn's buffers, any of all there ever were.
        const kept = [];
        const most = Math.ceil(MIB / ${size} / 100);
        let made = 0;
        let peak = 0;
        let peakResident = 0;
        let seed = 1;
        const random = (below) => (seed = (seed * 48_271) % 0x7fffffff) % below;
        for (let done = 0; done < ${total}; done += MIB) {
          for (let left = MIB; left > 0; left -= ${size}) {
            const view = heap.${make}(${length});
            view[0] = view[${length - 1}] = made;
            const at = kept.length < most ? kept.length : random(++made);
            if (at < most) kept[at] = { view, byte: view[0] };
          }
          const { live, cached } = heap.stats();
          peak = Math.max(peak, live.bytes + cached.bytes);
          if (done % (32 * MIB) === 0) peakResident = Math.max(peakResident, resident());
          await turn();
        }
        const broken = kept.filter(({ view, byte }) => view[0] !== byte || view.at(-1) !== byte);
        const { fallbacks, regions } = heap.stats();
        print({
          peak,
          peakResident,
          kept: kept.length,
          made,
          broken: broken.length,
          problems: heap.check(),
          fallbacks,
          regions: regions.length,
        });
        `,
        ['--max-old-space-size=64'],
      );
      expect(result).toMatchObject({ broken: 0, problems: [], fallbacks: 0, regions: 1 });
      expect(result.kept).toBe(Math.ceil(MIB / size / 100));
      // V8 waits until 64 MiB of ballast are there, and lets 128 become of it at the most.
      expect(result.peak).toBeLessThan(144 * MIB);
      // With the program itself and its views, and none of the ballast.
      expect(result.peakResident).toBeLessThan(240 * MIB);
    });
  });

  // A view keeps its slab of 64 KiB: a hundredth of all buffers keeps nearly all slabs of small
  // ones, 1 - 0.99^n of slabs with n cells.
  test.each([
    [64, 16 * MIB],
    [KIB, 64 * MIB],
    [16 * KIB, 128 * MIB],
    [MIB, 256 * MIB],
  ])('what a random hundredth of all buffers keeps: %p bytes', (size, total) => {
    const result = run(`
      const heap = await createHeap({ maxBytes: 512 * MIB });
      const kept = [];
      let seed = 1;
      const random = (below) => (seed = (seed * 48_271) % 0x7fffffff) % below;
      const more = () => {
        for (let left = MIB; left > 0; left -= ${size}) {
          const view = heap.allocUnsafe(${size});
          view.fill(left / ${size});
          if (random(100) === 0) kept.push(view);
        }
      };
      for (let done = 0; done < ${total}; done += MIB) {
        more();
        await turn();
      }
      await collect();
      heap.trim();
      const pages = new Set(kept.map(pageOf));
      print({
        kept: kept.length,
        pages: pages.size,
        inUse: heap.stats().regions[0].inUse / PAGE,
        retained: heap.retained(kept[0]),
        intact: kept.every((view) => holds(view, view[0])),
        problems: heap.check(),
      });
    `);
    expect(result).toMatchObject({ intact: true, problems: [] });
    expect(result.retained).toBe(Math.max(size, PAGE));
    const pagesEach = size / PAGE;
    const kept = size < PAGE ? result.pages : result.kept * pagesEach;
    expect(result.inUse).toBeGreaterThanOrEqual(kept);
    // And that which is being filled.
    expect(result.inUse).toBeLessThanOrEqual(kept + 1);
    const share = (result.inUse * PAGE) / total;
    const cells = Math.max(1, PAGE / size);
    expect(share).toBeLessThan(1.3 * (1 - 0.99 ** cells) + 0.01);
  });

  describe('what keeps a buffer', () => {
    // Of a HeapBuffer, of all bytes 7, what is kept in its place.
    test.each([
      ['itself', 'view'],
      ['a part', 'view.subarray(10, 20)'],
      ['a part by slice', 'view.slice(10, 20)'],
      ['a part of a part', 'view.subarray(5).subarray(1, 30).subarray(2)'],
      ['an empty part and a part of that', '[view.subarray(3, 3).subarray(0), view.length][0]'],
      ['a closure', '() => view'],
    ])('%s', (_name, derived) => {
      const result = run(`
        const heap = await make();
        const kept = [];
        const others = [];
        here(() => {
          for (let i = 0; i < 20; i++) {
            const view = heap.alloc(1000, 7);
            kept.push(${derived});
          }
          heap.allocUnsafeSlow(100);
        });
        await collect();
        const before = heap.stats().live.buffers;
        // Whatever is given back is taken, and written to.
        for (let i = 0; i < 400; i++) others.push(heap.alloc(1000, 9));
        const views = kept.map((one) => (typeof one === 'function' ? one() : one));
        const intact = views.every((view) => holds(view, 7)) && others.every((view) => holds(view, 9));
        others.length = views.length = kept.length = 0;
        heap.trim(); // no cells at hand: they hold the lease
        await collect();
        print({ before, intact, ...heap.stats().live, problems: heap.check() });
      `);
      expect(result).toEqual({ before: 20, intact: true, bytes: 0, buffers: 0, problems: [] });
    });

    test.each(['Uint8Array', 'Float64Array', 'BigInt64Array', 'DataView'])(
      'a typed view, or a part of it: %s',
      (type) => {
        const result = run(`
          const heap = await make();
          const kept = [];
          const others = [];
          here(() => {
            for (let i = 0; i < 20; i++) {
              const view = heap.typed(${type}, 64);
              new Uint8Array(view.buffer, view.byteOffset, view.byteLength).fill(7);
              kept.push(i % 2 && view.subarray ? view.subarray(8, 16).subarray(1) : view);
            }
          });
          await collect();
          const before = heap.stats().live.buffers;
          for (let i = 0; i < 400; i++) others.push(heap.alloc(512, 9), heap.alloc(64, 9));
          const intact = kept.every((view) => holds(view, 7));
          others.length = kept.length = 0;
          heap.trim();
          await collect();
          print({ before, intact, ...heap.stats().live, problems: heap.check() });
        `);
        expect(result).toEqual({ before: 20, intact: true, bytes: 0, buffers: 0, problems: [] });
      },
    );
  });

  test('every kind comes back, of cells and of pages, in home and elsewhere', () => {
    const result = run(`
      const heap = await make({ maxBytes: 8 * MIB });
      const events = [];
      heap.onRegion(({ type }) => events.push(type));
      const one = (size) => {
        heap.alloc(size);
        heap.alloc(size, 'x');
        heap.allocUnsafe(size);
        heap.allocUnsafe(size, { alignment: 64 });
        heap.allocUnsafe(size, { alignment: 2 * PAGE });
        heap.allocUnsafeSlow(size);
        heap.from('x'.repeat(size));
        heap.from('AAAA '.repeat(size), 'base64');
        heap.from(new Uint8Array(size));
        heap.typed(DataView, size);
        heap.scope(() => heap.alloc(size));
      };
      here(() => [1, 100, 5000, 40_000, 100_000].forEach(one));
      const { live, regions } = heap.stats();
      await collect();
      heap.trim();
      const after = heap.stats();
      print({
        filled: live.buffers,
        most: regions.length,
        live: after.live,
        inUse: after.regions.map(({ inUse }) => inUse),
        same: events.filter((type) => type === 'added').length ===
          events.filter((type) => type === 'dropped').length,
        problems: heap.check(),
      });
    `);
    expect(result).toEqual({
      filled: expect.any(Number),
      most: expect.any(Number),
      live: { bytes: 0, buffers: 0 },
      inUse: [0],
      same: true,
      problems: [],
    });
    expect(result.filled).toBeGreaterThanOrEqual(55);
    expect(result.most).toBeGreaterThan(2);
  });

  test('a region goes when the last of its buffers is collected', () => {
    const result = run(`
      const heap = await make({ maxBytes: 4 * MIB });
      const home = [];
      while (heap.stats().regions[0].inUse < usable(heap)) home.push(heap.allocUnsafeSlow(1));
      const events = [];
      heap.onRegion(({ type, reserved }) => events.push([type, reserved / MIB]));
      const kept = [];
      here(() => {
        for (let i = 0; i < 500; i++) heap.alloc(100);
        heap.allocUnsafeSlow(10);
        kept.push(heap.allocUnsafe(100, { alignment: 16 }).fill(3).subarray(1));
      });
      await collect();
      const still = events.length;
      const intact = holds(kept[0], 3);
      kept.pop();
      await collect();
      // Of the cells that were at hand, the slab is held.
      heap.trim();
      await collect();
      heap.trim();
      print({ still, intact, events, home: home.length * PAGE === heap.stats().live.bytes });
    `);
    expect(result).toEqual({
      still: 1,
      intact: true,
      events: [
        ['added', 2],
        ['dropped', 1],
      ],
      home: true,
    });
  });

  describe('recycled views', () => {
    test('that are parked stay, and go with trim', () => {
      const result = run(`
        const heap = await make({ regionSize: 4 * MIB, maxBytes: 4 * MIB });
        here(() => {
          for (const size of [10, 11, 100, 5000]) {
            const views = Array.from({ length: 20 }, () => heap.alloc(size));
            for (const view of views) heap.free(view);
          }
        });
        await collect();
        const { live, cached } = heap.stats();
        heap.trim();
        await collect();
        print({ live, parked: cached.buffers > 20, after: heap.stats().regions[0].inUse });
      `);
      expect(result).toEqual({ live: { bytes: 0, buffers: 0 }, parked: true, after: 0 });
    });

    test('that were handed out again and dropped are not held', () => {
      const result = run(`
        const heap = await make({ regionSize: 8 * MIB, maxBytes: 8 * MIB });
        const some = (count) => Array.from({ length: count }, () => heap.alloc(5000));
        // As many as are kept, handed out once more, and dropped.
        here(() => some(60).forEach(heap.free));
        here(() => some(60));
        await collect();
        const held = heap.stats().live.buffers;
        // A new one is made when there is none at hand: now they are let go.
        here(() => some(2));
        await collect();
        const { live } = heap.stats();
        heap.trim();
        await collect();
        heap.trim();
        print({ held, live: live.buffers, inUse: heap.stats().regions[0].inUse });
      `);
      expect(result.held).toBeLessThanOrEqual(60);
      // Of 13 each: the slab of the cells at hand, and that of the last one parked.
      expect(result.live).toBeLessThanOrEqual(26);
      expect(result.inUse).toBe(0);
    });

    test('of one length after another hold one slab each, at most, and none after trim', () => {
      const result = run(`
        const heap = await make({ regionSize: 16 * MIB, maxBytes: 16 * MIB });
        here(() => {
          for (let size = 1; size <= 1000; size++) {
            heap.alloc(size).free();
            heap.alloc(size);
          }
        });
        await collect();
        const { live } = heap.stats();
        heap.trim();
        await collect();
        heap.trim();
        print({ live: live.buffers, after: heap.stats().regions[0].inUse });
      `);
      expect(result.live).toBeLessThanOrEqual(1000);
      expect(result.after).toBe(0);
    });
  });

  describe('a buffer that was freed, and then collected', () => {
    /**
     * Frees all buffers of a page, has other tenants in that page, and collects the old views.
     * @param {string} tenant makes one, by heap
     */
    const program = (tenant, options, stale = 'stale.length = 0;') => `
      const heap = await make(${options});
      const stale = [];
      const kept = [];
      const tenants = [];
      // Aligned ones are not parked: their cells go back at once.
      const old = () => {
        for (let i = 0; i < 13; i++) stale.push(heap.allocUnsafe(5000, { alignment: 8 * 16 }));
      };
      old();
      await turn();
      const page = pageOf(stale[0]);
      stale.forEach(heap.free);
      heap.trim();
      const empty = heap.stats().regions[0].inUse;
      // Until the page is used again.
      const tenant = () => ${tenant};
      for (let i = 0; i < 4; i++) {
        const view = tenant();
        view.fill(5);
        (pageOf(view) === page ? tenants : kept).push(view);
      }
      const live = heap.stats().live.buffers;
      ${stale}
      await collect();
      const after = heap.stats().live.buffers;
      const problems = heap.check();
      // What was given back by mistake would be handed out now.
      const more = [];
      try {
        for (;;) more.push(heap.alloc(5000, 6), heap.allocUnsafeSlow(10).fill(6));
      } catch {}
      const intact = [...tenants, ...kept].every((view) => holds(view, 5)) &&
        more.every((view) => holds(view, 6));
      print({ empty, reused: tenants.length > 0, live: after - live, intact, problems });
    `;
    const FINE = { empty: 0, reused: true, live: 0, intact: true, problems: [] };

    describe.each(['{}', '{ zeroOnFree: true }'])('with %s', (options) => {
      test.each([
        ['cells of that size', 'heap.allocUnsafe(5000, { alignment: 8 * 16 })'],
        ['cells of another size', 'heap.alloc(100)'],
        ['pages', 'heap.allocUnsafeSlow(PAGE)'],
        ['many pages', 'heap.allocUnsafeSlow(3 * PAGE)'],
        ['a typed view', 'heap.typed(Uint8Array, 700)'],
      ])('does no harm to who has the page now: %s', (_name, tenant) => {
        expect(run(program(tenant, options))).toEqual(FINE);
      });

      test('does no harm to blocks of C++', () => {
        const tenant = `(() => {
          const { buffer } = (stale[0]);
          const { sr_alloc: alloc } = kernels;
          return new Uint8Array(buffer, alloc(5000), 5000);
        })()`;
        const code = program(tenant, options).replace(
          'const old =',
          'const kernels = heap.exportsOf(heap.alloc(0));\nconst old =',
        );
        expect(run(code)).toEqual(FINE);
      });

      test('does no harm to an arena', () => {
        const tenant = 'heap.arena({ size: 1000 }).u8';
        expect(run(program(tenant, options))).toMatchObject({ ...FINE });
      });
    });

    test('holds nothing of who has the page now', () => {
      const result = run(`
        const heap = await make();
        const stale = [];
        const old = () => {
          for (let i = 0; i < 13; i++) stale.push(heap.allocUnsafe(5000, { alignment: 128 }));
        };
        old();
        const page = pageOf(stale[0]);
        await turn();
        stale.forEach(heap.free);
        heap.trim();
        let same = false;
        here(() => {
          for (let i = 0; i < 30; i++) same ||= pageOf(heap.alloc(1000)) === page;
        });
        await collect();
        heap.trim();
        await collect();
        print({ same, live: heap.stats().live, stale: stale.length });
      `);
      expect(result).toEqual({ same: true, live: { bytes: 0, buffers: 0 }, stale: 13 });
    });

    test('does no harm to others of its slab, whose lease it has', () => {
      const result = run(`
        const heap = await make();
        const kept = [];
        const fill = (count, byte) => Array.from({ length: count }, () =>
          heap.allocUnsafe(1000, { alignment: 8 * 2 }).fill(byte));
        here(() => {
          const views = fill(40, 1);
          kept.push(...views.splice(0, 10));
          views.forEach(heap.free);
        });
        await collect();
        const others = fill(40, 2);
        await collect();
        print({
          live: heap.stats().live.buffers,
          intact: kept.every((view) => holds(view, 1)) && others.every((view) => holds(view, 2)),
          problems: heap.check(),
        });
      `);
      expect(result).toEqual({ live: 50, intact: true, problems: [] });
    });

    test('of pages, whose lease another buffer has by now', () => {
      const result = run(`
        const heap = await make({ regionSize: 16 * MIB, maxBytes: 16 * MIB });
        const kept = [];
        for (let round = 0; round < 30; round++) {
          here(() => {
            const size = [10, PAGE, 100_000, 2 * MIB][round % 4];
            const stale = heap.allocUnsafeSlow(size);
            heap.free(stale);
            kept.push(heap.allocUnsafeSlow(size).fill(round));
            heap.allocUnsafeSlow(size);
            if (kept.length > 3) heap.free(kept.shift());
          });
          if (round % 3 === 0) await collect();
        }
        await collect();
        print({
          live: heap.stats().live.buffers,
          intact: kept.every((view) => holds(view, view[0])),
          problems: heap.check(),
        });
      `);
      expect(result).toEqual({ live: 3, intact: true, problems: [] });
    });
  });

  test('runs that were freed, more than there are spare leases, do no harm to the next ones', () => {
    const result = run(`
      const heap = await make({ regionSize: 8 * MIB, maxBytes: 8 * MIB });
      const some = (count) => Array.from({ length: count }, () => heap.allocUnsafeSlow(10).fill(1));
      const kept = [];
      for (let round = 0; round < 3; round++) {
        here(() => some(40).forEach(heap.free));
        await turn();
        here(() => kept.push(...some(40)));
        await collect();
        here(() => kept.splice(0, 20).forEach(heap.free));
        await collect();
      }
      const others = some(100 - 40);
      others.forEach((view) => view.fill(2));
      print({
        live: heap.stats().live.buffers,
        intact: kept.every((view) => holds(view, 1)),
        problems: heap.check(),
      });
      void others;
    `);
    expect(result).toEqual({ live: 60 + 60, intact: true, problems: [] });
  });

  describe('where a lease is collected and its finalizer has not run yet', () => {
    test.each([
      ['one cell', '5000, { alignment: 8 }', 12],
      ['a row', '1000', 3],
      ['a row, in the second word of the bitmap', '16', 100],
      ['one cell, in the second word of the bitmap', '16, { alignment: 16 }', 100],
    ])('who takes cells of that slab keeps them: %s', (_name, args, count) => {
      const result = run(`
        const heap = await make();
        const pages = new Set();
        const offsets = new Set();
        here(() => {
          for (let i = 0; i < ${count}; i++) {
            const view = heap.allocUnsafe(${args}).fill(1);
            pages.add(pageOf(view));
            offsets.add(view.byteOffset);
          }
        });
        heap.trim(); // no cells at hand: they hold the lease
        await turn();
        gc();
        const before = heap.stats().live.buffers;
        const view = heap.allocUnsafe(${args}).fill(2);
        const during = heap.stats().live.buffers;
        const same = pages.has(pageOf(view)) && !offsets.has(view.byteOffset);
        const problems = heap.check();
        await collect();
        const after = heap.stats().live.buffers;
        const others = [];
        for (let i = 0; i < ${count} + 20; i++) others.push(heap.allocUnsafe(${args}).fill(3));
        await collect();
        print({
          before,
          during,
          same,
          after,
          end: heap.stats().live.buffers - others.length,
          intact: holds(view, 2) && others.every((one) => holds(one, 3)),
          problems: [...problems, ...heap.check()],
        });
      `);
      expect(result).toEqual({
        before: count,
        during: 1,
        same: true,
        after: 1,
        end: 1,
        intact: true,
        problems: [],
      });
    });

    test.each([
      ['cells', 'heap.alloc(1000)'],
      ['aligned cells', 'heap.allocUnsafe(1000, { alignment: 16 })'],
      ['pages', 'heap.allocUnsafeSlow(PAGE)'],
    ])('a full heap finds that out by itself: %s', (_name, one) => {
      const result = run(`
        const heap = await make();
        let made = 0;
        const fill = () => {
          try {
            for (;;) {
              ${one};
              made++;
            }
          } catch {}
        };
        fill();
        const first = made;
        await turn();
        gc();
        // In this very turn.
        const view = heap.allocUnsafeSlow(usable(heap) - 2 * PAGE).fill(1);
        const { live } = heap.stats();
        await collect();
        print({
          filled: first > 10,
          live: live.bytes - (usable(heap) - 2 * PAGE),
          intact: holds(view, 1),
          after: heap.stats().live.buffers,
          problems: heap.check(),
        });
      `);
      expect(result).toMatchObject({ filled: true, intact: true, after: 1, problems: [] });
      expect(result.live).toBe(0);
    });

    test('trim gives all of that back, in this turn', () => {
      const result = run(`
        const heap = await make({ maxBytes: 4 * MIB });
        here(() => {
          for (let i = 0; i < 1500; i++) heap.alloc(1000);
          for (let i = 0; i < 5; i++) heap.allocUnsafeSlow(PAGE);
        });
        heap.trim();
        const { live, regions } = heap.stats();
        await turn();
        gc();
        heap.trim();
        const { live: after, regions: left } = heap.stats();
        await collect();
        print({
          before: live.buffers,
          regions: regions.length,
          after,
          left: left.map(({ inUse }) => inUse),
          problems: heap.check(),
        });
      `);
      expect(result).toEqual({
        before: 1505,
        regions: 3,
        after: { bytes: 0, buffers: 0 },
        left: [0],
        problems: [],
      });
    });

    test('dispose ends that', () => {
      const result = run(`
        const [one, two] = [await make(), await make()];
        const kept = [];
        here(() => {
          for (let i = 0; i < 100; i++) {
            one.alloc(1000);
            two.alloc(1000);
          }
          one.allocUnsafeSlow(10);
          kept.push(one.alloc(1000, 4), two.alloc(1000, 4));
        });
        const arena = one.arena({ size: 1000 });
        await turn();
        gc();
        one.dispose();
        await collect();
        const after = two.stats().live.buffers;
        print({ after, intact: kept.every((view) => holds(view, 4)), problems: two.check() });
      `);
      expect(result).toMatchObject({ intact: true, problems: [] });
      expect(result.after).toBeLessThan(100);
    });
  });

  test('heaps do not collect for each other', () => {
    const result = run(`
      const heaps = [];
      for (let i = 0; i < 30; i++) heaps.push(await make());
      const kept = [];
      here(() => {
        heaps.forEach((heap, i) => {
          for (let n = 0; n < 50; n++) heap.alloc(1000);
          heap.allocUnsafeSlow(10);
          if (i % 2) kept.push(heap.alloc(5000, i));
        });
      });
      await collect();
      for (const heap of heaps) heap.trim();
      // V8 runs the finalizers of one registry a turn.
      for (let i = 0; i < heaps.length / 4; i++) await collect();
      print({
        live: heaps.map((heap) => heap.stats().live.buffers),
        intact: kept.every((view) => holds(view, view[0])),
        problems: heaps.flatMap((heap) => heap.check()),
      });
    `);
    expect(result).toEqual({
      live: Array.from({ length: 30 }, (_, i) => i % 2),
      intact: true,
      problems: [],
    });
  });

  test('heaps that are dropped with all their buffers go', () => {
    const result = run(
      `
      import { readFileSync } from 'node:fs';
      const resident = () =>
        Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
      const before = resident();
      for (let i = 0; i < 200; i++) {
        const heap = await createHeap({ regionSize: 16 * MIB, maxBytes: 32 * MIB });
        heap.allocUnsafeSlow(2 * MIB).fill(1);
        heap.alloc(100);
        heap.arena();
        await turn();
      }
      print(resident() - before);
      `,
      [],
    );
    expect(result).toBeLessThan(300 * MIB);
  });

  test('arenas stay until they are disposed of; what they gave out is collected', () => {
    const result = run(`
      const heap = await make();
      here(() => {
        const arena = heap.arena({ size: 1000 });
        const pointer = arena.alloc(100);
        for (let i = 0; i < 50; i++) arena.materialize(pointer, 100);
      });
      const arena = heap.arena({ size: 1000 });
      const kept = arena.materialize(arena.alloc(100), 100);
      kept.fill(8);
      await collect();
      const { live } = heap.stats();
      arena.dispose();
      await collect();
      print({ live: live.buffers, after: heap.stats().live.buffers, intact: holds(kept, 8) });
    `);
    // Both arenas, and the slab of those that were materialized, with `kept` in it.
    expect(result).toEqual({ live: 53, after: 52, intact: true });
  });

  test('zeroOnFree clears what is collected', () => {
    const result = run(`
      const heap = await make({ zeroOnFree: true });
      const bytes = [];
      here(() => {
        for (const view of [
          heap.alloc(1000, 'secret'),
          heap.allocUnsafe(100, { alignment: 64 }).fill(1),
          heap.allocUnsafeSlow(3 * PAGE).fill(1),
        ]) {
          bytes.push(new Uint8Array(view.buffer, view.byteOffset, view.length));
        }
      });
      heap.trim();
      await collect();
      print({ live: heap.stats().live.buffers, clear: bytes.map((view) => holds(view, 0)) });
    `);
    expect(result).toEqual({ live: 0, clear: [true, true, true] });
  });

  test('debug mode tells of them', () => {
    const result = run(`
      const heap = await make({ debug: true });
      here(() => {
        heap.alloc(1000);
        heap.allocUnsafeSlow(10);
        heap.free(heap.alloc(123));
      });
      heap.trim();
      await collect();
      print(heap.check().map((text) => text.split('\\n')[0].replace(/ at .*/, '')).sort());
    `);
    expect(result).toEqual([
      'Collected, but never freed: 10 bytes',
      'Collected, but never freed: 1000 bytes',
    ]);
  });
});
