/** slabring/process beside Node's own process, and beside npm's, whose place it takes. */

import { afterEach, describe, expect, jest, test } from '@jest/globals';
import npmProcess from 'process/browser.js';
import { createHeap } from 'slabring';
import ours, * as names from 'slabring/process';
import { resultOf, runModule } from '../support/child.js';
import { caught, facts, makeHeap } from '../support/heap.js';

const PROCESS = new URL('../../dist/process.js', import.meta.url).href;

/** The same program with Node's process and with ours, each in a process of its own. */
const onBoth = (code) =>
  ['node:process', PROCESS].map((from) =>
    runModule(`
      import its, { nextTick } from ${JSON.stringify(from)};
      ${code}
    `),
  );

describe('what there is', () => {
  test('all that npm’s process has is there, and of the same type', () => {
    for (const [name, value] of Object.entries(npmProcess)) {
      expect([name, typeof ours[name]]).toEqual([name, typeof value]);
    }
  });

  test('tells, as npm’s, that this is no Node', () => {
    const { title, browser, version, versions, argv } = npmProcess;
    expect(ours).toMatchObject({ title, browser, version, versions, argv });
    expect(ours.platform).toBe('browser');
    expect([ours.cwd(), ours.umask(), ours.listeners('exit'), ours.listenerCount('exit')]).toEqual([
      npmProcess.cwd(),
      npmProcess.umask(),
      [],
      0,
    ]);
    expect([ours.stdout, ours.stderr]).toEqual([undefined, undefined]);
  });

  test('is exported by name, too, for bundlers that give those to CommonJS', () => {
    const { default: all, useHeap, ...rest } = names;
    expect(typeof useHeap).toBe('function');
    expect({ ...rest }).toEqual({ ...all });
  });

  test('env may be written to, and is one object', () => {
    ours.env.SLABRING_TEST = 'x';
    expect(names.env.SLABRING_TEST).toBe('x');
    delete ours.env.SLABRING_TEST;
  });

  test('listeners are let go', () => {
    for (const name of ['on', 'once', 'addListener', 'prependListener', 'off', 'removeListener']) {
      expect(ours[name]('exit', () => {})).toBe(ours);
    }
    expect(ours.emit('exit')).toBe(false);
    expect(ours.listenerCount('exit')).toBe(0);
  });

  test.each(['chdir', 'binding'])('%s says that it is not there', (name) => {
    expect(facts(caught(() => ours[name]('x')))).toEqual({
      class: 'Error',
      code: 'ERR_METHOD_NOT_IMPLEMENTED',
      message: `The ${name}() method is not implemented`,
    });
  });
});

describe('hrtime and uptime', () => {
  const NS = 1_000_000_000n;
  const total = ([seconds, rest]) => BigInt(seconds) * NS + BigInt(rest);

  test('go forward, and agree', () => {
    const before = ours.hrtime.bigint();
    const now = total(ours.hrtime());
    const after = BigInt(Math.round(ours.uptime() * 1e9));
    expect(now).toBeGreaterThanOrEqual(before);
    // A double holds it to less than a microsecond.
    expect(after + 1000n).toBeGreaterThanOrEqual(now);
  });

  test.each([[[0, 0]], [[0, 999_999_999]], [[1, 1]], [[12, 5]]])(
    'are counted from an earlier time: %j',
    (since) => {
      const before = ours.hrtime.bigint();
      const [seconds, rest] = ours.hrtime(since);
      const after = ours.hrtime.bigint();
      expect(total([seconds, rest]) + total(since)).toBeGreaterThanOrEqual(before);
      expect(total([seconds, rest]) + total(since)).toBeLessThanOrEqual(after);
      expect(Math.abs(rest)).toBeLessThan(1e9);
    },
  );

  test.each([[[]], [[1]], [[1, 2, 3]], [1], ['ab'], [null], [{}]])(
    'refuse what is no time, as Node’s: %j',
    (time) => {
      expect(facts(caught(() => ours.hrtime(time)))).toEqual(
        facts(caught(() => process.hrtime(time))),
      );
    },
  );
});

describe('emitWarning', () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => {});
  afterEach(() => warn.mockClear());

  test.each([
    [['text'], 'Warning: text'],
    [['text', 'Kind'], 'Kind: text'],
    [['text', 'Kind', 'CODE'], '[CODE] Kind: text'],
    [['text', { type: 'Kind', code: 'CODE', detail: 'more' }], '[CODE] Kind: text\nmore'],
    [[new RangeError('text')], 'RangeError: text'],
    [[Object.assign(new Error('text'), { code: 'CODE' })], '[CODE] Error: text'],
  ])('writes to the console: %j', (args, expected) => {
    ours.emitWarning(...args);
    expect(warn.mock.calls).toEqual([[expected]]);
  });

  test('in Node’s words', () => {
    const [node, mine] = onBoth(`
      its.emitWarning('text', { type: 'Kind', code: 'CODE', detail: 'more' });
      its.emitWarning(new RangeError('second'));
    `).map(({ stderr }) => stderr.replace(/\(node:\d+\) |\(Use `.*\n/g, '').trim());
    expect(mine).toBe(node);
  });

  test.each([[undefined], [5], [null], [{}]])('refuses what is no warning: %p', (warning) => {
    expect(facts(caught(() => ours.emitWarning(warning)))).toEqual(
      facts(caught(() => process.emitWarning(warning))),
    );
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('nextTick', () => {
  test('calls with all arguments, once, in order, as Node', () => {
    const [node, mine] = onBoth(`
      const seen = [];
      for (let count = 0; count < 9; count++) {
        its.nextTick((...args) => seen.push(args), ...Array.from({ length: count }, (_, i) => i));
      }
      nextTick(function () { seen.push(['this', this === undefined || this === globalThis]); });
      nextTick((a) => { seen.push(['outer', a]); nextTick(() => seen.push(['inner'])); }, 1);
      Promise.resolve().then(() => { seen.push(['promise']); nextTick(() => seen.push(['late'])); });
      queueMicrotask(() => seen.push(['microtask']));
      setTimeout(() => seen.push(['timer']));
      setImmediate(() => print(seen));
      setTimeout(() => print(seen), 20);
    `);
    expect(mine.stderr).toBe('');
    // A module is itself a microtask: those that it queues run before ticks, in both.
    expect(mine.printed).toEqual(node.printed);
    expect(mine.printed.length).toBe(16);
  });

  test('an error reaches the host, and the rest run, as in Node', () => {
    const [node, mine] = onBoth(`
      const seen = [];
      process.on('uncaughtException', (error) => seen.push(error.message));
      nextTick(() => seen.push('first'));
      nextTick(() => { throw new Error('thrown'); });
      nextTick(() => seen.push('third'));
      queueMicrotask(() => seen.push('microtask'));
      setTimeout(() => print(seen), 20);
    `);
    expect(mine.status).toBe(0);
    expect(mine.printed).toEqual(node.printed);
    expect(mine.printed).toContain('thrown');
  });

  test.each([[undefined], [null], [5], ['x'], [{}]])('refuses what is no function: %p', (value) => {
    expect(facts(caught(() => ours.nextTick(value)))).toEqual(
      facts(caught(() => process.nextTick(value))),
    );
  });

  test('may be taken out, and needs no this', () => {
    expect(
      resultOf(`
        import { nextTick } from ${JSON.stringify(PROCESS)};
        const seen = [];
        nextTick.call(null, (a) => seen.push(a), 1);
        const { nextTick: other } = (await import(${JSON.stringify(PROCESS)})).default;
        other((a) => seen.push(a), 2);
        setTimeout(() => print([seen, other === nextTick]));
      `),
    ).toEqual([[1, 2], true]);
  });

  test('makes its heap at the first tick, not before, a small one, and one only', () => {
    expect(
      resultOf(`
        const sizes = [];
        const { Memory } = WebAssembly;
        WebAssembly.Memory = class extends Memory {
          constructor(limits) { super(limits); sizes.push(limits.initial * 65536); }
        };
        const { nextTick } = await import(${JSON.stringify(PROCESS)});
        const before = [...sizes];
        for (let i = 0; i < 10_000; i++) nextTick(() => {});
        setTimeout(() => print({ before, sizes }));
      `),
    ).toEqual({ before: [], sizes: [16 * 2 ** 20] });
  });
});

describe('useHeap', () => {
  /** With names of its own: the module keeps the heap that it was given. */
  const program = (code) =>
    resultOf(`import { nextTick, useHeap } from ${JSON.stringify(PROCESS)};
      const seen = [];
      const codeOf = (f) => { try { f(); return 'done'; } catch ({ code }) { return code; } };
      ${code}`);

  test('queues on a heap that there is, in order with its other ticks', () => {
    expect(
      program(`
        const heap = await createHeap();
        useHeap(heap);
        heap.nextTick((a) => seen.push(a), 1);
        nextTick((a) => seen.push(a), 2);
        heap.nextTick((a) => seen.push(a), 3);
        print({ queued: heap.ticks.size, drained: heap.ticks.drain(), seen });
      `),
    ).toEqual({ queued: 3, seen: [1, 2, 3] });
  });

  test('keeps the order: another heap is refused while ticks are queued', () => {
    expect(
      program(`
        const [one, two] = [await createHeap(), await createHeap()];
        useHeap(one);
        useHeap(one);
        nextTick(() => seen.push(codeOf(() => useHeap(two))));
        nextTick(() => seen.push(codeOf(() => useHeap(two))));
        seen.push(codeOf(() => useHeap(two)), codeOf(() => useHeap(one)));
        one.ticks.drain();
        nextTick(() => seen.push([one.ticks.size, two.ticks.size]));
        seen.push([one.ticks.size, two.ticks.size]);
        setTimeout(() => print(seen));
      `),
    ).toEqual(['ERR_INVALID_STATE', 'done', 'ERR_INVALID_STATE', 'done', [0, 1], [0, 0]]);
  });

  test('takes the place of a heap that was disposed of', () => {
    expect(
      program(`
        const [one, two] = [await createHeap(), await createHeap()];
        useHeap(one);
        one.dispose();
        seen.push(codeOf(() => nextTick(() => seen.push('lost'))));
        useHeap(two);
        nextTick(() => print(seen));
      `),
    ).toEqual(['ERR_HEAP_DISPOSED']);
  });

  test.each([[undefined], [null], [5], [{}], [{ ticks: {} }], [() => {}]])(
    'refuses what is no heap: %p',
    (value) => {
      expect(facts(caught(() => names.useHeap(value)))).toMatchObject({
        class: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringMatching(
          /^The "heap" argument must be an instance of Heap\. Received/,
        ),
      });
    },
  );

  test('refuses a heap that was disposed of', async () => {
    const heap = await createHeap();
    heap.dispose();
    expect(caught(() => names.useHeap(heap)).code).toBe('ERR_HEAP_DISPOSED');
    names.useHeap(makeHeap());
  });
});
