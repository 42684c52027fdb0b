/** The page's side of the live view, with a worker that is none: web/live/live.js. */

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeLive } from '../../web/live/live.js';
import { usualOptions } from '../../web/live/options.js';
import { Session } from '../../web/live/session.js';
import { counted, inBytes, percent, seconds, whole } from '../../web/live/text.js';
import { MIB } from '../support/heap.js';

const module = new WebAssembly.Module(
  readFileSync(new URL('../../build/wasm-release/live.wasm', import.meta.url)),
);

let now;
let frames;
let globals;

beforeEach(() => {
  now = 1000;
  frames = [];
  globals = { performance: globalThis.performance, frame: globalThis.requestAnimationFrame };
  Object.defineProperty(globalThis, 'performance', {
    value: { now: () => now },
    configurable: true,
    writable: true,
  });
  globalThis.requestAnimationFrame = (callback) => frames.push(callback);
});

afterEach(() => {
  Object.defineProperty(globalThis, 'performance', { value: globals.performance });
  globalThis.requestAnimationFrame = globals.frame;
});

/** A live view whose worker takes note of what it is sent. */
function watched() {
  const workers = [];
  const live = makeLive({
    createWorker() {
      const worker = {
        sent: [],
        isOver: false,
        postMessage: (command) => worker.sent.push(command),
        terminate() {
          worker.isOver = true;
        },
      };
      workers.push(worker);
      return worker;
    },
  });
  return { live, workers, types: (i = 0) => workers[i].sent.map(({ type }) => type) };
}

const newSession = () =>
  new Session(module, {
    workload: 'churn',
    size: 1,
    regionSize: MIB,
    maxBytes: 8 * MIB,
    onExhausted: 'throw',
    seed: 1,
  });

const tell = (worker, session, report) =>
  worker.onmessage({ data: { type: 'snapshot', snapshot: session.snapshot(), report } });

describe('the page', () => {
  test('has no worker before it is asked for one', () => {
    const { live, workers } = watched();
    live.trim();
    live.run(true);
    expect([workers.length, live.phase.value]).toEqual([0, 'off']);
  });

  test('opens a heap as the options say, paused, and runs it', () => {
    const { live, workers, types } = watched();
    live.open({
      ...usualOptions('large'),
      rate: 5,
      region: 4,
      most: 64,
      full: 'fallback',
      seed: 3,
    });
    expect(live.phase.value).toBe('paused');
    expect(workers[0].sent).toEqual([
      {
        type: 'open',
        rate: 5,
        every: 50,
        options: {
          workload: 'large',
          size: 50,
          regionSize: 4 * MIB,
          maxBytes: 64 * MIB,
          onExhausted: 'fallback',
          seed: 3,
        },
      },
    ]);
    live.run(true);
    live.run(false);
    live.open(usualOptions());
    expect([types(), live.phase.value]).toEqual([['open', 'run', 'run', 'open'], 'paused']);
    live.run(true);
    live.open(usualOptions());
    expect(types().slice(4)).toEqual(['run', 'open', 'run']);
    expect(workers).toHaveLength(1);
  });

  test('asks for pictures twice a second where motion shall be reduced', () => {
    const { live, workers } = watched();
    live.reduce(true);
    live.open(usualOptions());
    expect(workers[0].sent[0].every).toBe(500);
    live.reduce(false);
    expect(workers[0].sent[1]).toEqual({ type: 'every', every: 50 });
  });

  test('asks for another picture only when the last one was drawn', () => {
    const { live, workers, types } = watched();
    live.open(usualOptions());
    tell(workers[0], newSession());
    expect([types(), frames.length]).toEqual([['open'], 1]);
    frames[0]();
    expect(types()).toEqual(['open', 'drawn']);
  });

  test('shows every picture, and numbers that stand for half a second', () => {
    const { live, workers } = watched();
    const session = newSession();
    live.open(usualOptions());
    tell(workers[0], session);
    const first = live.calm.value;
    expect(first).toBe(live.latest.value);
    live.run(true);
    for (let i = 1; i <= 11; i++) {
      now += 50;
      session.step();
      tell(workers[0], session);
      expect(live.latest.value.snapshot.steps).toBe(i);
      expect(live.calm.value.snapshot.steps).toBe(i < 10 ? 0 : 10);
    }
    expect(live.latest.value.time).toBeCloseTo(0.55);
    live.run(false);
    now += 1000;
    tell(workers[0], session, { stats: {}, check: [] });
    expect(live.calm.value).toBe(live.latest.value);
    const { sequence } = live.calm.value.snapshot;
    expect(live.report.value).toEqual({ sequence, stats: {}, check: [] });
    // Time that it did not run is none.
    expect(live.latest.value.time).toBeCloseTo(0.55);
    expect(live.history.lists([0])[0]).toHaveLength(13);
  });

  test('has a report at once while it is paused, and every two seconds while it runs', () => {
    const { live, workers } = watched();
    const session = newSession();
    live.open(usualOptions());
    tell(workers[0], session, session.report());
    tell(workers[0], session, session.report());
    expect(live.report.value.sequence).toBe(live.calm.value.snapshot.sequence);
    const { sequence } = live.report.value;
    live.run(true);
    const seen = [];
    for (let i = 1; i <= 50; i++) {
      now += 50;
      tell(workers[0], session, session.report());
      seen.push(live.report.value.sequence - sequence);
    }
    expect([...new Set(seen)]).toEqual([0, 40]);
    live.run(false);
    tell(workers[0], session, session.report());
    expect(live.report.value.sequence).toBe(sequence + 51);
  });

  test('begins its lines and its log anew with another heap', () => {
    const { live, workers } = watched();
    live.open(usualOptions());
    for (let i = 0; i < 3; i++) tell(workers[0], newSession());
    expect(live.history.lists([0])[0]).toHaveLength(1);
    expect(live.log.value).toEqual([
      expect.objectContaining({ kind: 'new heap', count: 3, number: 1 }),
    ]);
    live.open(usualOptions());
    expect(live.log.value).toEqual([]);
  });

  test('has what happened newest first, the same in a row once, and no more than a hundred', () => {
    const { live, workers } = watched();
    const session = newSession();
    live.open(usualOptions());
    tell(workers[0], session);
    for (let i = 0; i < 120; i++) {
      session.trim();
      session.trim();
      tell(workers[0], session);
      session.freeAll();
      tell(workers[0], session);
    }
    const entries = live.log.value;
    expect(entries).toHaveLength(100);
    expect(entries.slice(0, 2).map(({ kind, count }) => [kind, count])).toEqual([
      ['freed all', 1],
      ['trimmed', 2],
    ]);
    expect(entries[0].number).toBe(241);
  });

  test('says why it ended, and may start again', () => {
    const { live, workers } = watched();
    live.open(usualOptions());
    live.run(true);
    workers[0].onmessage({ data: { type: 'error', message: 'no such module' } });
    expect([live.phase.value, live.error.value]).toEqual(['failed', 'no such module']);
    expect(workers[0].isOver).toBe(true);
    live.open(usualOptions());
    expect([live.phase.value, live.error.value, workers.length]).toEqual(['paused', '', 2]);
    // What the first one had still to say is nobody's.
    workers[0].onmessage({ data: { type: 'error', message: 'late' } });
    expect(live.phase.value).toBe('paused');
    let isPrevented = false;
    workers[1].onerror({
      message: '',
      preventDefault() {
        isPrevented = true;
      },
    });
    expect([live.phase.value, live.error.value, isPrevented]).toEqual([
      'failed',
      'The worker could not be loaded.',
      true,
    ]);
  });

  test('ends its worker when it is closed', () => {
    const { live, workers } = watched();
    live.open(usualOptions());
    live.close();
    expect([workers[0].isOver, live.phase.value]).toEqual([true, 'off']);
  });
});

describe('numbers', () => {
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [102_400, '100 KiB'],
    [1024 ** 2, '1 MiB'],
    [4 * 1024 ** 3, '4 GiB'],
    [5000 * 1024 ** 3, '5,000 GiB'],
  ])('%p bytes are %p', (bytes, text) => {
    expect(inBytes(bytes)).toBe(text);
  });

  test('of other kinds', () => {
    expect([whole(12_345), percent(0.1234), seconds(3)]).toEqual(['12,345', '12.3%', '3.0 s']);
    expect([counted(1, 'byte|bytes'), counted(2, 'byte|bytes'), counted(5, 'MiB')]).toEqual([
      '1 byte',
      '2 bytes',
      '5 MiB',
    ]);
  });
});
