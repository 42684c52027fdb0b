import { describe, expect, test } from '@jest/globals';
import { commandOf, emittedWasm, freePort, whileServing } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const [build, develop] = documented('esbuild').commands;
const { files } = documented('Rollup and esbuild');

describe('esbuild', () => {
  const consumer = useConsumer({ files, tools: ['esbuild'] });
  const { show, showFolder } = useBrowser();

  test('in production emits the module under a name with a hash; the page shows', async () => {
    const [program, args] = commandOf(consumer, build);
    expect(await consumer.output(program, [...args, '--log-level=warning'])).toBe('');
    const wasm = await emittedWasm(consumer, 'dist');
    expect(await showFolder(consumer.folder)).toEqual({
      shown: 'bytes in linear memory',
      fetched: [`/dist/${wasm}`],
    });
  });

  test('in development serves the page and the module', async () => {
    const port = await freePort();
    const [program, args] = commandOf(consumer, develop);
    const serverArgs = [...args, `--serve=127.0.0.1:${port}`];
    const said = await whileServing(consumer, program, serverArgs, port, async (url) => {
      expect(await show(url)).toEqual({
        shown: 'bytes in linear memory',
        fetched: [expect.stringMatching(/^\/dist\/slabring-\w+\.wasm$/)],
      });
    });
    expect(said).not.toMatch(/warn|error/i);
  });
});
