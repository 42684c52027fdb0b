/**
 * The order in which ticks, microtasks and tasks run: in each browser, and for comparison in Node.
 * What is written here is what docs/architecture.md promises.
 */

import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';
import { programs } from '../support/order-programs.js';
import { describeInBrowsers } from './browser.js';

/** A list: the same in browsers and in Node. */
const expected = {
  'a tick, a microtask, a tick': ['end', 'tick 1', 'tick 2', 'job', 'microtask'],

  'a microtask before the first tick': {
    browser: [
      ...['end', 'microtask 1'],
      ...['tick 1', 'tick 2', 'tick 3'],
      ...['microtask 2', 'microtask 3'],
    ],
    node: [
      ...['end', 'tick 1', 'tick 2', 'tick 3'],
      ...['microtask 1', 'microtask 2', 'microtask 3'],
    ],
  },

  'inside ticks': [
    ...['tick 1', 'tick 2', 'tick 3', 'tick 4'],
    ...['microtask 1', 'job 1', 'microtask 2', 'job 2'],
  ],

  'a promise job': {
    browser: ['job 1', 'tick', 'microtask', 'job 2'],
    node: ['job 1', 'microtask', 'job 2', 'tick'],
  },

  'microtasks that queue ticks': {
    browser: [
      ...['microtask 1', 'microtask 2', 'microtask 3'],
      ...['tick 1', 'tick 2', 'tick 3'],
      ...['microtask 1, inner', 'microtask 2, inner', 'microtask 3, inner'],
    ],
    node: [
      ...['microtask 1', 'microtask 2', 'microtask 3'],
      ...['microtask 1, inner', 'microtask 2, inner', 'microtask 3, inner'],
      ...['tick 1', 'tick 2', 'tick 3'],
    ],
  },

  'awaits between ticks': ['tick 1', 'after await', 'tick 2', 'after a tick'],
  'tasks of either kind': {
    browser: ['end', 'microtask', 'tick 1', 'tick 2', 'task', 'task'],
    node: ['end', 'tick 1', 'tick 2', 'microtask', 'task', 'task'],
  },
  'from timers': ['timer 1', 'tick 1', 'microtask 1', 'timer 2', 'tick 2', 'microtask 2'],
  'from messages': ['message 1', 'tick 1', 'microtask 1', 'message 2', 'tick 2', 'microtask 2'],
  'from listeners of an event that the script dispatches': [
    ...['listener 1', 'listener 2', 'end'],
    ...['tick 1', 'tick 2'],
  ],
  'a drain by hand': {
    browser: ['tick 1', 'tick 2', 'tick 3', 'tick 2 ends', 'end', 'microtask', 'tick 4'],
    node: ['tick 1', 'tick 2', 'tick 3', 'tick 2 ends', 'end', 'tick 4', 'microtask'],
  },
  'two heaps': ['a 1', 'a 2', 'b 1', 'b 2', 'b 3', 'a 3'],
  'ticks that throw': {
    browser: [
      ...['microtask 1', 'tick 1', 'tick 2 failed', 'tick 3 failed', 'tick 4', 'tick 5'],
      ...['microtask 2', 'microtask 3'],
    ],
    node: [
      ...['tick 1', 'tick 2 failed', 'tick 3 failed', 'tick 4', 'tick 5'],
      ...['microtask 1', 'microtask 2', 'microtask 3'],
    ],
  },
};

const names = Object.keys(programs);
const expectedIn = (host, name) => expected[name]?.[host] ?? expected[name];

describeInBrowsers((open) => {
  test.each(names)('%s', async (name) => {
    const page = await open();
    const lines = {
      main: await page.call('/order.js', 'fromMainScript', name),
      timer: await page.call('/order.js', 'fromTimer', name),
      worker: await page.callInWorker('/order.js', 'fromTimer', name),
    };
    const wanted = expectedIn('browser', name);
    expect(lines).toEqual({ main: wanted, timer: wanted, worker: wanted });
    await page.close();
  });

  test('random trees: as a plain queue drained by one microtask', async () => {
    const page = await open();
    const seeds = Array.from({ length: 20 }, (_, i) => 1000 + i);
    for (const call of ['call', 'callInWorker']) {
      for (const [plain, heap] of await page[call]('/order.js', 'trees', seeds)) {
        expect(plain.length).toBe(301);
        expect(heap).toEqual(plain);
      }
    }
    await page.close();
  });

  test('ticks of a frame’s callback come before the next callback', async () => {
    const page = await open();
    expect(await page.call('/order.js', 'frames')).toEqual([
      ...['frame 1', 'tick 1'],
      ...['frame 2', 'tick 2'],
    ]);
    await page.close();
  });
});

describe('Node', () => {
  const module = new URL('../support/order-programs.js', import.meta.url).href;

  test.each(names)('%s', (name) => {
    const lines = resultOf(`
      import { run } from ${JSON.stringify(module)};
      const onUncaught = (note) => process.on('uncaughtException', note);
      print(await run(${JSON.stringify(name)}, createHeap, onUncaught));
    `);
    expect(lines).toEqual(expectedIn('node', name));
  });
});
