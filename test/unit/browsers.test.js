/** How browsers start and end; what they do once they run is tested in test/browser/. */

import { describe, expect, jest, test } from '@jest/globals';
import { startInTime } from '../../tools/browsers/driver.js';
import { Browser } from '../../tools/browsers/index.js';

/** Never starts, and says so when it is told to give up. */
const hanging = (signal) =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('gave up')), { once: true }),
  );

describe('startInTime', () => {
  test('gives what was started, and never tells that to end', async () => {
    let given;
    const started = await startInTime(
      async (signal) => {
        given = signal;
        return 'browser';
      },
      { timeout: 5 },
    );
    expect(started).toBe('browser');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(given.aborted).toBe(false);
  });

  test('starts once more what hangs', async () => {
    const start = jest.fn().mockImplementationOnce(hanging).mockResolvedValueOnce('browser');
    expect(await startInTime(start, { timeout: 5 })).toBe('browser');
    expect(start).toHaveBeenCalledTimes(2);
  });

  test('gives up what hangs again', async () => {
    const start = jest.fn(hanging);
    await expect(startInTime(start, { timeout: 5, attempts: 3 })).rejects.toThrow('gave up');
    expect(start).toHaveBeenCalledTimes(3);
  });

  test('does not repeat what fails by itself', async () => {
    const start = jest.fn().mockRejectedValue(new Error('no such program'));
    await expect(startInTime(start)).rejects.toThrow('no such program');
    expect(start).toHaveBeenCalledTimes(1);
  });
});

test('a browser ends, also when its pages have crashed', async () => {
  const page = { close: jest.fn().mockRejectedValue(new Error('no such session')) };
  const driver = { version: '1', open: async () => page, close: jest.fn().mockResolvedValue() };
  const browser = new Browser('webkit', driver);
  await browser.open('http://127.0.0.1/');
  await browser.open('http://127.0.0.1/');
  await browser.close();
  expect(page.close).toHaveBeenCalledTimes(2);
  expect(driver.close).toHaveBeenCalledTimes(1);
});
