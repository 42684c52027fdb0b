/**
 * The order in which ticks, microtasks and the host's callbacks run: each program runs with
 * process.nextTick and with a heap's nextTick, in a process of its own, and must say the same.
 */

import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';

/** `tick` is the one or the other; `log` notes what runs. */
const programs = {
  'the main script': `
    tick(() => log('tick'));
    Promise.resolve().then(() => log('microtask'));
    setImmediate(() => { log('immediate'); setTimeout(() => log('timer')); });
    tick(() => log('tick 2'));
    log('end');
  `,
  'a timer': `
    setTimeout(() => {
      tick(() => log('tick'));
      Promise.resolve().then(() => log('microtask'));
      setImmediate(() => log('immediate'));
      log('end');
    });
  `,
  'a promise job': `
    Promise.resolve().then(() => {
      tick(() => log('tick'));
      queueMicrotask(() => log('microtask'));
      log('end');
    }).then(() => log('next job'));
  `,
  'a promise job in a timer': `
    setTimeout(() => Promise.resolve().then(() => {
      tick(() => log('tick'));
      queueMicrotask(() => log('microtask'));
    }).then(() => log('next job')));
  `,
  'ticks that queue microtasks': `
    setTimeout(() => {
      for (const i of [1, 2, 3]) {
        tick(() => {
          log('tick ' + i);
          queueMicrotask(() => log('microtask ' + i));
        });
      }
    });
  `,
  'microtasks that queue ticks': `
    setTimeout(() => {
      for (const i of [1, 2, 3]) {
        queueMicrotask(() => {
          log('microtask ' + i);
          tick(() => log('tick ' + i));
        });
      }
    });
  `,
  'ticks and microtasks that queue each other': `
    const step = (n, name) => {
      log(name + n);
      if (n === 0) return;
      tick(() => step(n - 1, name + 't'));
      queueMicrotask(() => step(n - 1, name + 'm'));
    };
    setTimeout(() => step(4, ''));
  `,
  'ticks that queue ticks, timers and immediates': `
    setTimeout(() => {
      tick(() => {
        setImmediate(() => log('immediate'));
        tick(() => { log('inner'); tick(() => log('innermost')); });
        log('outer');
      });
      tick(() => log('second'));
    });
  `,
  'two timers that are due together': `
    setTimeout(() => { log('timer 1'); tick(() => log('tick 1')); });
    setTimeout(() => { log('timer 2'); tick(() => log('tick 2')); });
  `,
  'awaits between ticks': `
    setTimeout(async () => {
      tick(() => log('tick 1'));
      await null;
      log('after await');
      tick(() => log('tick 2'));
      await new Promise((resolve) => tick(resolve));
      log('after a tick');
    });
  `,
  'ticks that throw': `
    process.on('uncaughtException', (error) => log(error.message));
    setTimeout(() => {
      tick(() => log('first'));
      tick(() => { queueMicrotask(() => log('microtask')); throw new Error('one'); });
      tick(() => { throw new Error('two'); });
      tick(() => log('between'));
      tick(() => { throw new Error('last'); });
      setImmediate(() => setImmediate(() => log('immediate')));
    });
  `,
  'random trees of ticks and microtasks': `
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
    let left = 400;
    const grow = (name) => {
      log(name);
      for (let i = 0; i < 3; i++) {
        if (left-- <= 0) return;
        const child = name + i;
        if (random() < 0.5) tick(grow, child);
        else queueMicrotask(() => grow(child));
      }
    };
    setTimeout(() => grow(''));
  `,
};

const run = (program, tick) =>
  resultOf(`
    const heap = await createHeap();
    const lines = [];
    const log = (line) => { lines.push(line); print(lines); };
    const tick = ${tick};
    ${program}
  `);

describe('the order is that of process.nextTick', () => {
  test.each(Object.entries(programs))('%s', (_, program) => {
    const expected = run(program, 'process.nextTick');
    expect(expected.length).toBeGreaterThan(2);
    expect(run(program, 'heap.nextTick')).toEqual(expected);
  });
});

test('mixed with process.nextTick each keeps its own order, and a heap’s ticks stay together', () => {
  const lines = resultOf(`
    const { nextTick } = await createHeap();
    const lines = [];
    setTimeout(() => {
      process.nextTick(() => lines.push('node 1'));
      nextTick(() => lines.push('heap 1'));
      process.nextTick(() => lines.push('node 2'));
      nextTick(() => { lines.push('heap 2'); process.nextTick(() => lines.push('node 3')); });
      queueMicrotask(() => lines.push('microtask'));
      setImmediate(() => print(lines));
    });
  `);
  expect(lines).toEqual(['node 1', 'heap 1', 'heap 2', 'node 2', 'node 3', 'microtask']);
});

test('without Node’s process, ticks are one microtask', () => {
  const lines = resultOf(`
    const { process: node } = globalThis;
    globalThis.process = undefined;
    const wasm = await (await import('node:fs/promises')).readFile(new URL('./slabring.wasm', '${new URL('../../dist/', import.meta.url)}'));
    const { nextTick } = createHeapSync(wasm);
    globalThis.process = node;
    const lines = [];
    setTimeout(() => {
      queueMicrotask(() => lines.push('microtask 1'));
      nextTick(() => { lines.push('tick 1'); queueMicrotask(() => lines.push('microtask 3')); });
      queueMicrotask(() => lines.push('microtask 2'));
      nextTick(() => { lines.push('tick 2'); nextTick(() => lines.push('tick 3')); });
      lines.push('end');
      setTimeout(() => print(lines));
    });
  `);
  expect(lines).toEqual([
    'end',
    'microtask 1',
    'tick 1',
    'tick 2',
    'tick 3',
    'microtask 2',
    'microtask 3',
  ]);
});
