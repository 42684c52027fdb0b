import { describe, expect, test } from '@jest/globals';
import { engines } from '../../tools/browsers/index.js';
import { commandOf, emittedWasm, freePort, whileServing } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const { files, commands } = documented('Vite');
const [develop, build] = commands;
const main = documented('Vite and webpack').files;

/** Runs its server while `action` does; what it said meanwhile. */
async function developed(consumer, action) {
  const port = await freePort();
  const [program, args] = commandOf(consumer, develop);
  const serverArgs = [...args, '--host', '127.0.0.1', '--port', `${port}`, '--strictPort'];
  return whileServing(consumer, program, serverArgs, port, action);
}

describe('Vite', () => {
  const consumer = useConsumer({ files: { ...main, ...files }, tools: ['vite'] });

  describe('in production', () => {
    let wasm;
    test('emits the module under a name with a hash, with nothing to complain of', async () => {
      const said = await consumer.output(...commandOf(consumer, build));
      expect(said).not.toMatch(/warn|\(!\)|externalized/i);
      wasm = await emittedWasm(consumer, 'dist');
    });

    describe.each(engines)('%s', (engine) => {
      const { showFolder } = useBrowser(engine);
      test('shows the page, under a strict policy', async () => {
        expect(await showFolder(consumer.path('dist'))).toEqual({
          shown: 'bytes in linear memory',
          fetched: [`/${wasm}`],
        });
      });
    });
  });

  describe('in development', () => {
    const { show } = useBrowser();
    test('serves the page and the module', async () => {
      const said = await developed(consumer, async (url) => {
        expect(await show(url)).toEqual({
          shown: 'bytes in linear memory',
          fetched: ['/node_modules/slabring/dist/slabring.wasm'],
        });
      });
      expect(said).not.toMatch(/warn|error/i);
    });
  });

  describe('with a worker', () => {
    const { show, showFolder } = useBrowser();
    const withWorker = useConsumer({
      files: { ...files, ...documented('Workers').files },
      tools: ['vite'],
    });

    test('in production one file serves both', async () => {
      await withWorker.output(...commandOf(withWorker, build));
      const wasm = await emittedWasm(withWorker, 'dist');
      expect(await showFolder(withWorker.path('dist'))).toEqual({
        shown: 'bytes in linear memory',
        fetched: [`/${wasm}`],
      });
    });

    test('in development', async () => {
      await developed(withWorker, async (url) => {
        expect(await show(url)).toMatchObject({ shown: 'bytes in linear memory' });
      });
    });
  });
});
