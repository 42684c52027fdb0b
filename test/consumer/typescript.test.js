/** A strict TypeScript project: what is right compiles and runs, what is wrong does not compile. */

import { describe, expect, test } from '@jest/globals';
import { useConsumer } from './support/consumer.js';

const right = `
  import { createHeap, createHeapSync, type Arena, type Heap, HeapBuffer } from 'slabring';
  import { createHeapSync as inline } from 'slabring/inline';
  import process, { nextTick } from 'slabring/process';

  const heap: Heap = await createHeap({ regionSize: 2 ** 24, onExhausted: 'fallback' });
  const buffer: HeapBuffer = heap.from('naïve €', 'utf8');
  const bytes: Uint8Array = buffer;
  const doubles: Float64Array = heap.typed(Float64Array, 3);
  const view: DataView = heap.typed(DataView, 8);
  const copy: ArrayBuffer = buffer.toArrayBuffer();
  const arena: Arena = heap.arena({ size: 4096 });
  const pointer: number = arena.alloc(8);
  const order: string[] = [];
  heap.nextTick((text: string) => order.push(text), 'tick');
  heap.ticks.drain();
  const length: number = heap.scope(() => heap.alloc(10).length);
  const live: number = heap.stats().live.buffers;
  const sync: Heap = inline(undefined, { regionSize: 2 ** 24 });
  const request = new heap.AsyncVariable({ name: 'request', defaultValue: 1 });
  nextTick((n: number) => n, 1);
  export const results = [
    bytes.length, doubles.length, view.byteLength, copy.byteLength, pointer > 0, order.join(),
    length, live > 0, sync.alloc(3).length, process.browser, typeof createHeapSync, request.get(),
  ];
`;

/** Where there are types of Node, too. */
const buffers = `
  import { createHeap } from 'slabring';
  const heap = await createHeap({ regionSize: 2 ** 24 });
  const buffer: Buffer = heap.from('naïve €');
  export const results = [buffer.readUInt8(0), heap.alloc(2).toString('hex'), heap.alloc(9).subarray(1).length];
`;

const RESULTS = [10, 3, 8, 10, true, 'tick', 10, true, 3, true, 'function', 1];

/** A line each; none compiles. */
const wrong = [
  `heap.alloc('10');`,
  `heap.alloc();`,
  `heap.from(10);`,
  `heap.from('abc', 'utf7');`,
  `heap.typed(Array, 3);`,
  `heap.free('abc');`,
  `heap.nextTick('abc');`,
  `heap.allocate(10);`,
  `heap.alloc(1).fre();`,
  `const bytes: Uint16Array = heap.alloc(1);`,
  `const doubles: Float32Array = heap.typed(Float64Array, 3);`,
  `heap.arena({ length: 4096 });`,
  `await createHeap({ onExhausted: 'ignore' });`,
  `await createHeap({ regionsize: 4096 });`,
  `createHeapSync();`,
  `heap.stats().live.buffer;`,
];

const config = (options) =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      target: 'es2022',
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      outDir: 'out',
      ...options,
    },
    files: ['right.ts', ...(options.types.includes('node') ? ['buffers.ts'] : [])],
  });

describe.each([
  ['node16, with the types of Node', { module: 'node16', lib: ['es2022'], types: ['node'] }],
  [
    'bundler, with those of a page and none of Node',
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
  ],
])('a strict TypeScript project: %s', (_title, options) => {
  const consumer = useConsumer({
    files: { 'right.ts': right, 'buffers.ts': buffers, 'tsconfig.json': config(options) },
    tools: ['typescript', '@types/node', 'undici-types'],
  });
  const tsc = (...args) =>
    consumer.run(process.execPath, ['node_modules/typescript/bin/tsc', ...args]);

  const resultsOf = async (name) => {
    const print = `console.log(JSON.stringify((await import('./out/${name}.js')).results))`;
    const args = ['--input-type=module', '-e', print];
    return JSON.parse(await consumer.output(process.execPath, args));
  };

  test('compiles, and runs', async () => {
    expect(await tsc('-p', '.')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await resultsOf('right')).toEqual(RESULTS);
    if (options.types.includes('node'))
      expect(await resultsOf('buffers')).toEqual([110, '0000', 8]);
  });

  test('does not compile what is wrong', async () => {
    const lines = wrong.map((line) => `{ ${line} }`);
    await consumer.write({
      'wrong.ts': [
        "import { createHeap, createHeapSync } from 'slabring'; const heap = await createHeap();",
        ...lines,
      ].join('\n'),
      'wrong.json': JSON.stringify({ extends: './tsconfig.json', files: ['wrong.ts'] }),
    });
    const { status, stdout } = await tsc('-p', 'wrong.json', '--noEmit', '--pretty', 'false');
    expect(status).not.toBe(0);
    const refused = new Set(
      [...stdout.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => line - 2),
    );
    expect(wrong.filter((_, i) => !refused.has(i))).toEqual([]);
    expect([...refused].filter((i) => i < 0)).toEqual([]);
  });
});
