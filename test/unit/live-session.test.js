/** The heap of the live view, its workloads and their pace, without a page: web/live/. */

import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { History } from '../../web/live/history.js';
import {
  marksOf,
  nearestMark,
  RATE,
  readOptions,
  unusual,
  usualOptions,
} from '../../web/live/options.js';
import { Pacer } from '../../web/live/pacer.js';
import { tally } from '../../web/live/page-map.js';
import { buffersOf, Session } from '../../web/live/session.js';
import { sharesOf } from '../../web/live/shares.js';
import { workloads } from '../../web/live/workloads.js';
import { caught, MIB, PAGE } from '../support/heap.js';

const module = new WebAssembly.Module(
  readFileSync(new URL('../../build/wasm-release/live.wasm', import.meta.url)),
);

const open = (options) =>
  new Session(module, {
    workload: 'churn',
    size: 1,
    regionSize: MIB,
    maxBytes: 8 * MIB,
    onExhausted: 'throw',
    seed: 1,
    ...options,
  });

/** A size of each that fits in 8 MiB for 1e5 steps, and one that does not for so many. */
const SIZES = {
  churn: [2, 20, 20_000],
  ramp: [3, 20, 12_000],
  requests: [100, 10_000, 2000],
  large: [3, 40, 1000],
  dropped: [30, 20_000, 2000],
  ticks: [3000, 100_000, 200_000],
  ids: [1000, 100_000, 10_000],
};

const talliesOf = ({ regionPages, map }) => {
  let from = 0;
  return Array.from(regionPages, (pages) => {
    const region = tally(map, from, pages);
    from += pages;
    return region;
  });
};

// 1e5 requests are two million buffers.
jest.setTimeout(60_000);

/** That a snapshot says what the heap says, in all that both say. */
function expectAgreement(snapshot, { stats, check }) {
  expect(check).toEqual([]);
  const { figures, classes } = snapshot;
  const tallies = talliesOf(snapshot);
  expect(figures).toMatchObject({
    reserved: stats.reserved,
    live: stats.live.bytes,
    cached: stats.cached.bytes,
    buffers: stats.live.buffers,
    fallbacks: stats.fallbacks,
    // What was never touched is all that cannot be resident.
    touched: stats.resident,
  });
  expect(
    tallies.map(({ pages, slabs, inRuns, own, free, untouched }) => ({
      reserved: pages * PAGE,
      usable: (pages - own) * PAGE,
      inUse: (slabs + inRuns) * PAGE,
      touched: (pages - own - untouched) * PAGE,
      free,
    })),
  ).toEqual(
    stats.regions.map(({ reserved, usable, inUse, touched }) => ({
      reserved,
      usable,
      inUse,
      touched,
      free: (touched - inUse) / PAGE,
    })),
  );
  const ofClasses = stats.sizeClasses.flatMap(({ cellSize, slabs, live }) => [
    cellSize,
    slabs,
    live,
  ]);
  expect([...classes]).toEqual(ofClasses);
  const sum = (name) => tallies.reduce((total, region) => total + region[name], 0);
  expect(sum('cells')).toBe(stats.sizeClasses.reduce((total, { live }) => total + live, 0));
  expect(sum('slabs')).toBe(stats.sizeClasses.reduce((total, { slabs }) => total + slabs, 0));
  const shares = Object.values(sharesOf(figures, tallies));
  expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
}

describe.each(workloads.map(({ id }) => id))('the workload %s', (workload) => {
  test.each(['throw', 'fallback'])('runs for 1e5 steps, whatever fits: %s', async (onExhausted) => {
    const session = open({ workload, onExhausted, size: SIZES[workload][0] });
    for (let step = 1; step <= 1e5; step++) {
      session.step();
      if (step % 5000 !== 0) continue;
      // Finalizers and ticks run in between.
      await turn();
      // The heap's own words first: a snapshot counts, it changes nothing.
      const report = session.report();
      expectAgreement(session.snapshot(), report);
    }
    const { steps, figures } = session.snapshot();
    expect(steps).toBe(1e5);
    expect(figures.reserved).toBeLessThanOrEqual(8 * MIB);
    expect([figures.refused, figures.fallbacks]).toEqual([0, 0]);
    session.dispose();
  });

  test.each(['throw', 'fallback'])('goes on where it does not fit: %s', async (onExhausted) => {
    const session = open({ workload, onExhausted, size: SIZES[workload][1] });
    const steps = SIZES[workload][2];
    const events = new Map();
    for (let step = 1; step <= steps; step++) {
      session.step();
      if (step % 500 !== 0) continue;
      await turn();
      const report = session.report();
      const snapshot = session.snapshot();
      expectAgreement(snapshot, report);
      for (const { kind, count } of snapshot.events) {
        events.set(kind, (events.get(kind) ?? 0) + count);
      }
      // Whatever is set, no more than this is held.
      expect(snapshot.figures.live + snapshot.figures.outside).toBeLessThan(400 * MIB);
    }
    const { figures } = session.snapshot();
    expect(events.get('exhausted') ?? 0).toBe(figures.refused);
    expect(events.get('fallback') ?? 0).toBe(figures.fallbacks);
    if (['ticks', 'ids'].includes(workload)) expect(figures.refused + figures.fallbacks).toBe(0);
    else expect(onExhausted === 'throw' ? figures.refused : figures.fallbacks).toBeGreaterThan(0);
    session.dispose();
  });

  test('lets go of all, and goes on', async () => {
    const session = open({ workload, size: SIZES[workload][0] });
    for (let step = 0; step < 5000; step++) session.step();
    session.freeAll();
    const { figures } = session.snapshot();
    expect([figures.asked, figures.outside, figures.ticks, figures.depth]).toEqual([0, 0, 0, 0]);
    await turn();
    for (let step = 0; step < 5000; step++) session.step();
    const report = session.report();
    expectAgreement(session.snapshot(), report);
    session.dispose();
  });

  test('does the same again with the same seed, and something else with another', async () => {
    const run = (seed) => {
      const session = open({ workload, seed, size: SIZES[workload][0] });
      for (let step = 0; step < 2999; step++) session.step();
      const { figures, map } = session.snapshot();
      session.dispose();
      return JSON.stringify([figures, [...map.kinds], [...map.used]]);
    };
    expect(run(5)).toBe(run(5));
    // What is drawn of ticks is whether a burst is a chain: no burst has come yet.
    if (workload !== 'ticks') expect(run(5)).not.toBe(run(6));
    await turn();
  });

  test('is told in two sentences, within its scale', () => {
    const { about, size, rate } = workloads.find(({ id }) => id === workload);
    expect(about.split(/[.](?: |$)/).filter(Boolean)).toHaveLength(2);
    expect(size.usual).toBeGreaterThanOrEqual(size.least);
    expect(size.usual).toBeLessThanOrEqual(size.most);
    expect(marksOf(size)).toContain(size.usual);
    expect(marksOf(RATE)).toContain(rate);
  });
});

describe('a session', () => {
  let session;
  beforeAll(() => {
    session = open({ workload: 'large', size: 4, regionSize: 2 * MIB });
  });

  test('numbers its snapshots and says what happened once', () => {
    const first = session.snapshot();
    expect(first.events).toEqual([
      { kind: 'new heap', text: 'regions of 2 MiB, 8 MiB at most', count: 1 },
    ]);
    const second = session.snapshot();
    expect(second.sequence).toBe(first.sequence + 1);
    expect(second.events).toEqual([]);
  });

  test('tells of regions that come and go, in the order of the heap', () => {
    const kinds = [];
    for (let step = 0; step < 400; step++) {
      session.step();
      const snapshot = session.snapshot();
      kinds.push(...snapshot.events.map(({ kind }) => kind));
      expect(snapshot.regionPages.length).toBe(session.report().stats.regions.length);
    }
    expect(kinds).toEqual(expect.arrayContaining(['region added', 'region dropped']));
  });

  test('gives back what is kept when it is trimmed', () => {
    session.freeAll();
    session.trim();
    const { figures, events, regionPages } = session.snapshot();
    expect(figures).toMatchObject({ live: 0, cached: 0, asked: 0, inUse: 0, reserved: 2 * MIB });
    expect([...regionPages]).toEqual([32]);
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['freed all', 'trimmed']),
    );
  });

  test('takes another size while it runs', () => {
    session.resize(1);
    for (let step = 0; step < 500; step++) session.step();
    const { figures } = session.snapshot();
    // It is the last buffer that goes past what shall be held.
    expect(figures.asked).toBeLessThan(MIB + 0.6 * 2 * MIB);
  });

  test('sends all arrays without a copy', () => {
    const snapshot = session.snapshot();
    const bytes = snapshot.map.kinds.length;
    const arrived = structuredClone(snapshot, { transfer: buffersOf(snapshot) });
    expect(arrived.map.kinds).toHaveLength(bytes);
    expect([snapshot.map.kinds.length, snapshot.classes.length]).toEqual([0, 0]);
  });

  test('ends with its heap', () => {
    session.dispose();
    expect(caught(() => session.snapshot()).code).toBe('ERR_HEAP_DISPOSED');
    expect(caught(() => session.step()).code).toBe('ERR_HEAP_DISPOSED');
  });

  test('counts the ticks of a burst while they are queued', async () => {
    const ticks = open({ workload: 'ticks', size: 5000 });
    let most = 0;
    for (let step = 0; step < 40_000; step++) {
      ticks.step();
      const { figures } = step % 5000 === 4999 ? ticks.snapshot() : { figures: { ticks: 0 } };
      most = Math.max(most, figures.ticks);
      if (figures.ticks > 0) {
        expect(figures.segments).toBe(Math.ceil(figures.ticks / 2048));
        await turn();
        expect(ticks.snapshot().figures.ticks).toBe(0);
      }
    }
    expect(most).toBe(5000);
    ticks.dispose();
  });
});

describe('the pace', () => {
  /** A pacer whose steps take some time each. */
  function paced(rate, each, enough = () => true) {
    let now = 0;
    let steps = 0;
    const pacer = new Pacer(
      () => {
        steps++;
        now += each;
        return enough(steps);
      },
      rate,
      () => now,
    );
    pacer.start();
    return {
      pacer,
      wait(milliseconds) {
        now += milliseconds;
        const before = steps;
        pacer.slice();
        return steps - before;
      },
    };
  }

  test.each([1, 3, 60, 1000, 999_999])('%p steps a second, over ten seconds', (rate) => {
    const { wait } = paced(rate, 0);
    let steps = 0;
    for (let i = 0; i < 1000; i++) steps += wait(10);
    expect(Math.abs(steps - rate * 10)).toBeLessThanOrEqual(1);
  });

  test('a slice ends in time', () => {
    const { wait } = paced(1e6, 1);
    expect(wait(16)).toBe(16);
    expect(wait(16)).toBe(16);
  });

  test('what was missed in a long sleep is not caught up', () => {
    const { wait } = paced(1000, 0);
    expect(wait(60_000)).toBe(100);
    expect(paced(1, 0).wait(60_000)).toBe(1);
  });

  test('a step may end its slice', () => {
    const { wait } = paced(1000, 0, (steps) => steps % 3 !== 0);
    expect([wait(10), wait(0), wait(0), wait(0), wait(0)]).toEqual([3, 3, 3, 1, 0]);
  });

  test('another rate counts from then on', () => {
    const { pacer, wait } = paced(1000, 0);
    expect(wait(10)).toBe(10);
    pacer.rate = 100;
    expect(wait(10)).toBe(1);
    pacer.start();
    expect(wait(10)).toBe(1);
  });
});

describe('the last seconds', () => {
  test('are as a list that is cut at its start', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer()), { maxLength: 60 }),
        (steps) => {
          const history = new History(2, 10, 20);
          let all = [];
          let time = 0;
          for (const [later, value] of steps) {
            time += later;
            history.add(time, [value, -value]);
            all.push([time, value]);
          }
          all = all.slice(-20).filter(([at]) => time - at <= 10);
          expect(history.lists([1, 0])).toEqual([
            all.map(([at]) => at),
            all.map(([, value]) => -value),
            all.map(([, value]) => value),
          ]);
          const stretches = new Map(all.map((entry) => [Math.floor(entry[0] / 5), entry]));
          expect(history.rows(5).map(({ time: at, row: [value] }) => [at, value])).toEqual(
            [...stretches.values()].reverse(),
          );
        },
      ),
    );
  });

  test('are none once it was cleared', () => {
    const history = new History(1, 10, 20);
    expect(history.lists([0])).toEqual([[], []]);
    history.add(1, [5]);
    history.clear();
    expect([history.lists([0]), history.rows(5)]).toEqual([[[], []], []]);
  });
});

describe('the options', () => {
  test('of nothing are as usual', () => {
    expect(readOptions(undefined)).toEqual({ options: usualOptions(), wrong: [] });
    expect(readOptions({})).toEqual({ options: usualOptions(), wrong: [] });
  });

  test('come back from what is not as usual', () => {
    for (const { id, size } of workloads) {
      const options = {
        ...usualOptions(id),
        size: size.most,
        region: 4,
        full: 'fallback',
        seed: 9,
      };
      expect(readOptions(unusual(options))).toEqual({ options, wrong: [] });
      expect(readOptions(unusual(usualOptions(id))).options).toEqual(usualOptions(id));
    }
    expect(unusual(usualOptions())).toEqual({});
  });

  test.each([
    ['workload', ['', 'nope', '__proto__', 'constructor', 5, null]],
    ['rate', [0, 1e6 + 1, 1.5, NaN, Infinity, '1000', null, -1]],
    ['size', [0, 501, 1.5, NaN, '5', {}]],
    ['region', [0, 1, 3, 64, '8', NaN]],
    ['most', [0, 31, 1000, 2 ** 40, '64']],
    ['full', ['', 'THROW', 1, null, true]],
    ['seed', [0, -1, 2 ** 31, 0.5, 'x']],
  ])('%s: what is wrong is as usual, and told', (name, values) => {
    for (const value of values) {
      expect(readOptions({ [name]: value })).toEqual({ options: usualOptions(), wrong: [name] });
    }
  });

  test('both ends of each scale are right', () => {
    for (const { id, size } of workloads) {
      for (const value of [size.least, size.most]) {
        expect(readOptions({ workload: id, size: value }).options.size).toBe(value);
      }
      expect(readOptions({ workload: id, size: size.most + 1 }).wrong).toEqual(['size']);
    }
    for (const rate of [1, 1e6]) expect(readOptions({ rate }).options.rate).toBe(rate);
  });

  test.each([[null], [5], ['churn'], [[]], [() => {}]])('%p is none', (value) => {
    expect(readOptions(value)).toEqual({ options: usualOptions(), wrong: ['live'] });
  });

  test('nothing unknown is taken', () => {
    const { options, wrong } = readOptions({ nope: 1, toString: 2 });
    expect([options, wrong]).toEqual([usualOptions(), ['nope', 'toString']]);
  });

  test('a value has the nearest mark', () => {
    const marks = marksOf(RATE);
    expect(marks.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
    expect(marks.at(-1)).toBe(1e6);
    for (const [i, mark] of marks.entries()) expect(nearestMark(RATE, mark)).toBe(i);
    expect(marks[nearestMark(RATE, 8)]).toBe(10);
    expect(marks[nearestMark(RATE, 0)]).toBe(1);
    expect(marks[nearestMark(RATE, 1e9)]).toBe(1e6);
  });
});
