/** Errors, ids, variables and bursts of ticks in browsers; what comes in which order: order.test.js. */

import { expect, test } from '@jest/globals';
import { describeInBrowsers } from './browser.js';

const IDLE = { size: 0, depth: 0, ids: [1, 0], problems: [] };
const calls = ['call', 'callInWorker'];
const presets = ['wasm-release', 'wasm-debug'];

describeInBrowsers((open) => {
  const result = async (call, ...args) => {
    const page = await open();
    const value = await page[call]('/ticks.js', ...args);
    await page.close();
    return value;
  };

  test.each(calls)('errors are the host’s, with the tick still current: %s', async (call) => {
    expect(await result(call, 'errors')).toEqual({
      lines: [
        ...['before 2', 'onerror one in 2 of 1, first', 'event, the same: true', 'after 2'],
        ...['before 3', 'tick in 3 of 1, second', 'after 3'],
        ...['before 4', 'onerror a string in 4 of 1, nowhere', 'event, the same: true', 'after 4'],
        ...['before 5', 'onerror undefined in 5 of 1, nowhere', 'event, the same: true', 'after 5'],
        ...['before 6', 'onerror null in 6 of 1, nowhere', 'event, the same: true', 'after 6'],
        ...['before 7', 'last in 7 of 1, nowhere', 'after 7'],
        ...['before 8', 'tick of the handler in 8 of 2, first', 'after 8'],
      ],
      rest: IDLE,
    });
  });

  test.each(calls)('an error of drain() is the caller’s: %s', async (call) => {
    expect(await result(call, 'drainByHand')).toEqual({
      lines: ['caught: to the caller', 'the rest'],
      rest: IDLE,
    });
  });

  test.each(calls)('errors without reportError: %s', async (call) => {
    expect(await result(call, 'withoutReportError')).toEqual({
      lines: ['onerror tick 1', 'tick 2', 'onerror tick 3', 'tick 4'],
      rest: IDLE,
    });
  });

  test.each(calls)('ids and triggers: %s', async (call) => {
    expect(await result(call, 'ids')).toEqual({
      lines: [
        ['main', 1, 0],
        ['a', 2, 1],
        ['b', 3, 1],
        ['c', 5, 1],
        ['a a', 6, 2],
        ['microtask', 1, 0],
      ],
      rest: IDLE,
    });
  });

  test.each(calls)('variables: %s', async (call) => {
    expect(await result(call, 'variables')).toEqual({
      lines: [
        ['main, in ann', 'ann', null],
        ['main', 'nobody', null],
        ['a', 'ann', null],
        ['b', 'ann', 1],
        ['c', 'nobody', null],
        ['b b', 'ann', 1],
        ['b c', 'bob', 1],
        ['later', 'nobody', null],
      ],
      rest: IDLE,
    });
  });

  test.each(calls)(
    'a burst of 1e6 drains, in order, and its memory comes back: %s',
    async (call) => {
      const { full, left, ...others } = await result(call, 'burst', 1e6);
      expect(others).toEqual({ ran: 1e6, wrong: 0, queued: 1e6, rest: IDLE });
      expect(full).toBeGreaterThan(16e6);
      expect(left).toBeLessThan(1e6);
    },
  );

  test.each(presets)('a burst of 1e6 native ticks, %s', async (preset) => {
    expect(await result('call', 'nativeBurst', preset, 1e6)).toEqual({
      pushed: 1e6,
      before: 0,
      seen: 1e6,
      ran: 1e6 + 1,
      rest: IDLE,
    });
  });

  test.each(presets)('native ticks and JavaScript’s in one order, %s', async (preset) => {
    expect(await result('callInWorker', 'nativeOrder', preset)).toEqual({
      notes: [
        [10, 2, 1],
        [20, 3, 1],
        [30, 5, 1],
        [11, 6, 2],
        [40, 7, 4],
        [41, 8, 7],
      ],
      rest: IDLE,
    });
  });
});
