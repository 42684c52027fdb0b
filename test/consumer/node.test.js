/** The package in Node, each version. */

import { describe, expect, test } from '@jest/globals';
import { nodes } from '../support/nodes.js';
import { useConsumer } from './support/consumer.js';

const ROUND = `
  const bytes = heap.from('naïve €');
  const arena = heap.arena({ size: 4096 });
  const doubles = heap.typed(Float64Array, 3);
  doubles[2] = 1.5;
  arena.f64[arena.alloc(8) >> 3] = 2.5;
  const ticks = [];
  heap.nextTick((...args) => ticks.push(...args, heap.asyncIds.executionAsyncId()), 'a', 'b');
  heap.ticks.drain();
  const freed = heap.allocUnsafe(10);
  heap.free(freed);
  const result = {
    text: bytes.toString(),
    isBuffer: Buffer.isBuffer(bytes),
    doubles: [...doubles],
    ticks,
    recycled: heap.allocUnsafe(10) === freed,
    zeroed: heap.alloc(10).every((byte) => byte === 0),
    problems: heap.check(),
  };
`;

const RESULT = {
  text: 'naïve €',
  isBuffer: true,
  doubles: [0, 0, 1.5],
  ticks: ['a', 'b', expect.any(Number)],
  recycled: true,
  zeroed: true,
  problems: [],
};

const files = {
  'import.js': `
    import { createHeap } from 'slabring';
    const heap = await createHeap();
    ${ROUND}
    console.log(JSON.stringify(result));
  `,

  'sync.js': `
    import { readFileSync } from 'node:fs';
    import { fileURLToPath } from 'node:url';
    import { createHeapSync } from 'slabring';
    const path = fileURLToPath(import.meta.resolve('slabring/slabring.wasm'));
    const heap = createHeapSync(readFileSync(path));
    ${ROUND}
    console.log(JSON.stringify(result));
  `,

  'inline.js': `
    import { createHeapSync } from 'slabring/inline';
    globalThis.fetch = () => { throw new Error('fetched'); };
    const heap = createHeapSync();
    ${ROUND}
    console.log(JSON.stringify(result));
  `,

  // A module itself runs in a microtask, a timer's callback does not.
  'process.js': `
    import process, { nextTick } from 'slabring/process';
    const order = [];
    setTimeout(() => {
      nextTick((...args) => order.push(...args), 1, 2);
      Promise.resolve().then(() => order.push('microtask'));
      process.nextTick(() => order.push(3));
      setTimeout(() => console.log(JSON.stringify(order)));
    });
  `,

  'require.cjs': `
    const { createHeap, HeapBuffer } = require('slabring');
    const inline = require('slabring/inline');
    if (inline.HeapBuffer !== HeapBuffer) throw new Error('two copies');
    require('fs').readFileSync(require.resolve('slabring/slabring.wasm'));
    createHeap().then((heap) => {
      ${ROUND}
      console.log(JSON.stringify(result));
    });
  `,

  'dynamic.cjs': `
    import('slabring').then(async ({ createHeap }) => {
      const heap = await createHeap();
      ${ROUND}
      console.log(JSON.stringify(result));
    });
  `,

  'threads.js': `
    import { readFile } from 'node:fs/promises';
    import { Worker } from 'node:worker_threads';
    const path = new URL(import.meta.resolve('slabring/slabring.wasm'));
    const module = await WebAssembly.compile(await readFile(path));
    const results = [0, 1, 2].map((i) => new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./thread.js', import.meta.url));
      worker.once('error', reject);
      worker.once('message', (message) => resolve(message));
      worker.postMessage({ module, text: 'naïve ' + i });
    }));
    for (const { bytes, result } of await Promise.all(results)) {
      console.log(JSON.stringify([Buffer.from(bytes).toString(), result]));
    }
  `,

  'thread.js': `
    import { parentPort } from 'node:worker_threads';
    import { createHeapSync } from 'slabring';
    parentPort.once('message', ({ module, text }) => {
      const heap = createHeapSync(module);
      ${ROUND}
      const copy = heap.from(text).toArrayBuffer();
      parentPort.postMessage({ bytes: copy, result }, [copy]);
    });
  `,
};

describe.each(nodes)('Node %s', (_version, program) => {
  const consumer = useConsumer({ files });
  const run = async (...args) => JSON.parse(await consumer.output(program, args));

  test.each(['import.js', 'sync.js', 'inline.js', 'dynamic.cjs'])('%s', async (file) => {
    expect(await run(file)).toEqual(RESULT);
  });

  test('slabring/process: ticks in order, before microtasks', async () => {
    expect(await run('process.js')).toEqual([1, 2, 3, 'microtask']);
  });

  test('require, where ES modules can be required', async () => {
    const can = await consumer.output(program, ['-p', '!!process.features.require_module']);
    const { status, stdout, stderr } = await consumer.run(program, ['require.cjs']);
    if (can === 'false') {
      expect(stderr).toContain('ERR_REQUIRE_ESM');
      return;
    }
    // Node 20 and 22 call it experimental.
    expect({ status, stderr: stderr.replace(/^.*ExperimentalWarning.*\n.*\n/, '') }).toEqual({
      status: 0,
      stderr: '',
    });
    expect(JSON.parse(stdout)).toEqual(RESULT);
  });

  test('a module goes to worker threads; bytes come back without a copy', async () => {
    const lines = (await consumer.output(program, ['threads.js'])).split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      [0, 1, 2].map((i) => [`naïve ${i}`, RESULT]),
    );
  });

  test.each([
    ['--disallow-code-generation-from-strings'],
    // It is an experiment of Node's, and says so.
    ['--frozen-intrinsics', '--no-warnings'],
    ['--disable-proto=throw'],
  ])('with %s', async (...flags) => {
    expect(await run(...flags, 'import.js')).toEqual(RESULT);
    expect(await run(...flags, 'inline.js')).toEqual(RESULT);
  });
});
