/**
 * `slabring/process` in place of npm's: packages that were written for Node stream bytes in a page,
 * on a heap's ticks.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { expectations } from '../support/stream-expectations.js';
import { commandOf, freePort, whileServing } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const files = {
  'workloads.js': readFileSync(new URL('../support/stream-workloads.js', import.meta.url), 'utf8'),

  // readable-stream 4 requires `process/`; duplexify, and the readable-stream 3 in it, take the name.
  'program.js': `
    import { Buffer } from 'buffer';
    import duplexify from 'duplexify';
    import * as streams from 'readable-stream';
    import * as process from 'slabring/process';
    import { workloads } from './workloads.js';

    /** What it queues on the heap's ticks, and where among others that runs. */
    function traced(heap, start) {
      const order = [];
      return new Promise((resolve) => {
        queueMicrotask(() => order.push('microtask before'));
        heap.nextTick(() => order.push('tick before'));
        const { size } = heap.ticks;
        start(() => order.push('stream'));
        const queued = heap.ticks.size > size;
        heap.nextTick(() => order.push('tick after'));
        queueMicrotask(() => order.push('microtask after'));
        setTimeout(() => order.push('timer'));
        setTimeout(() => resolve({ queued, order }), 50);
      });
    }

    export async function run(heap) {
      process.useHeap(heap);
      const { nextTick } = process;
      const results = {};
      for (const [name, workload] of Object.entries(workloads)) {
        results[name] = await workload({ streams, Buffer, nextTick });
      }

      const readable = await traced(heap, (log) => {
        const stream = new streams.Readable({ read() {} });
        stream.once('readable', log);
        stream.push(Buffer.from('abc'));
      });
      const duplex = await traced(heap, (log) => duplexify().once('close', log).destroy());

      let passed = '';
      const passThrough = new streams.PassThrough();
      const both = duplexify(passThrough, passThrough);
      for (const text of ['a', 'b', 'naïve €']) both.write(Buffer.from(text));
      both.end();
      for await (const chunk of both) passed += chunk;
      return { results, readable, duplex, passed, left: heap.ticks.size };
    }
  `,

  'main.js': `
    import { createHeapSync } from 'slabring/inline';
    import { run } from './program.js';
    document.querySelector('output').value = JSON.stringify(await run(createHeapSync()));
  `,
};

const ORDER = [
  'microtask before',
  'tick before',
  'stream',
  'tick after',
  'microtask after',
  'timer',
];
const packages = ['readable-stream', 'duplexify', 'buffer'];

function expectStreams({ shown }) {
  const { results, ...rest } = JSON.parse(shown);
  for (const [name, check] of Object.entries(expectations)) check(results[name]);
  const traced = { queued: true, order: ORDER };
  expect(rest).toEqual({ readable: traced, duplex: traced, passed: 'abnaïve €', left: 0 });
}

const { showFolder, show } = useBrowser();

describe('Vite', () => {
  const page = documented('Vite').files;
  const consumer = useConsumer({
    files: { ...files, ...page, ...documented('process: Vite').files },
    tools: ['vite'],
    packages,
  });
  const [develop, build] = documented('Vite').commands;

  test('in production', async () => {
    await consumer.output(...commandOf(consumer, build));
    expectStreams(await showFolder(consumer.path('dist')));
  });

  test('in development', async () => {
    const port = await freePort();
    const [program, args] = commandOf(consumer, develop);
    const serverArgs = [...args, '--host', '127.0.0.1', '--port', `${port}`, '--strictPort'];
    await whileServing(consumer, program, serverArgs, port, async (url) => {
      expectStreams(await show(url));
    });
  });
});

describe('webpack', () => {
  const { files: page } = documented('webpack');
  const consumer = useConsumer({
    files: { ...files, ...page, ...documented('process: webpack').files },
    tools: ['webpack'],
    packages,
  });
  const webpack = fileURLToPath(new URL('./support/webpack.js', import.meta.url));

  test.each(['production', 'development'])('in %s', async (mode) => {
    expect(await consumer.output(process.execPath, [webpack, mode])).toBe('');
    const policy = mode === 'development' ? "script-src 'self' 'unsafe-eval'" : undefined;
    expectStreams(await showFolder(consumer.folder, { policy }));
  });
});

describe.each(['Rollup', 'esbuild'])('%s', (bundler) => {
  const page = documented('Rollup and esbuild').files['index.html'];
  const { files: own, commands } = documented(`process: ${bundler}`);
  const consumer = useConsumer({
    files: { ...files, 'index.html': page, ...own },
    tools: {
      Rollup: [
        'rollup',
        ...['alias', 'commonjs', 'inject', 'node-resolve'].map((name) => `@rollup/plugin-${name}`),
      ],
      esbuild: ['esbuild'],
    }[bundler],
    packages,
  });

  test('in production', async () => {
    const [program, args] = commandOf(consumer, commands[0]);
    // Rollup tells of the circles in which these packages import each other.
    const quiet = { Rollup: '--silent', esbuild: '--log-level=warning' }[bundler];
    expect(await consumer.output(program, [...args, quiet])).toBe('');
    expectStreams(await showFolder(consumer.folder));
  });
});
