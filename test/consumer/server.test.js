/** Rendering on a server, and hosts that are neither Node nor a browser. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { nodes } from '../support/nodes.js';
import { commandOf } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';

const { files } = documented('On servers');
const shown = '<output>bytes in linear memory</output>';

const rendering = `
  import { readFileSync } from 'node:fs';
  import { fileURLToPath } from 'node:url';
  import { render } from './render.js';
  const path = fileURLToPath(import.meta.resolve('slabring/slabring.wasm'));
  console.log(render(new WebAssembly.Module(readFileSync(path))));
`;

describe('rendering in Node', () => {
  const consumer = useConsumer({ files: { ...files, 'server.js': rendering }, tools: ['vite'] });

  test.each(nodes)('as it is, Node %s', async (_version, program) => {
    expect(await consumer.output(program, ['server.js'])).toBe(shown);
  });

  test('from a bundle that Vite makes for servers, with the package in it or not', async () => {
    const build = ['npx', 'vite', 'build', '--ssr', 'server.js', '--logLevel', 'warn'];
    expect(await consumer.output(...commandOf(consumer, build))).toBe('');
    expect(await consumer.output(process.execPath, ['dist/server.js'])).toBe(shown);
    await consumer.write({
      'vite.config.js': 'export default { ssr: { noExternal: ["slabring"] } };',
    });
    expect(await consumer.output(...commandOf(consumer, build))).toBe('');
    expect(await consumer.read('dist/server.js')).not.toMatch(/from ?['"]slabring['"]/);
    expect(await consumer.output(process.execPath, ['dist/server.js'])).toBe(shown);
  });
});

/** What a host at the edge of a network has; `createHeapSync` needs no more. */
const EDGE = 'URL,TextDecoder,TextEncoder,queueMicrotask,performance,setTimeout,console,atob';

describe('a host without process, document and fetch', () => {
  const consumer = useConsumer({
    files: {
      ...files,
      'in-context.js': readFileSync(new URL('./support/in-context.js', import.meta.url), 'utf8'),
      'import.js': `
        import 'slabring';
        import 'slabring/inline';
        import 'slabring/process';
      `,
      'import-and-ask.js': `
        import 'slabring';
        typeof document;
        globalThis.location;
      `,
      'edge.js': `
        import { createHeapSync } from 'slabring';
        import { render } from './render.js';
        export async function main(module) {
          const heap = createHeapSync(module, { regionSize: 2 ** 20 });
          const order = [];
          heap.nextTick((text) => order.push(text), 'tick');
          await new Promise((resolve) => heap.nextTick(resolve));
          const buffer = heap.from('aGk', 'base64');
          return [render(module), order, buffer.constructor.name, [...buffer], heap.check()];
        }
      `,
      'compile.js': `
        import { createHeap } from 'slabring';
        export const main = () => createHeap().catch(({ message }) => message);
      `,
    },
  });

  const run = async (...args) => {
    const flags = ['--experimental-vm-modules', '--no-warnings', 'in-context.js'];
    return JSON.parse(await consumer.output(process.execPath, [...flags, ...args]));
  };

  test('at import only whether this is Node is asked', async () => {
    expect(await run('import.js')).toEqual(['process']);
    // That is seen, were there anything else.
    expect(await run('import-and-ask.js')).toEqual(
      expect.arrayContaining(['document', 'location']),
    );
  });

  test('makes a heap from a module', async () => {
    expect(await run('edge.js', EDGE)).toEqual([shown, ['tick'], 'HeapBuffer', [104, 105], []]);
  });

  test('without fetch is told what cannot be loaded, and of the option', async () => {
    expect(await run('compile.js', EDGE)).toMatch(
      /^file:.*slabring\.wasm could not be loaded: .*option `wasm`/,
    );
  });
});
