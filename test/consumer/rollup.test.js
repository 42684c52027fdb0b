import { describe, expect, test } from '@jest/globals';
import { commandOf, emittedWasm } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const { files, commands } = documented('Rollup');
const main = documented('Rollup and esbuild').files;

describe('Rollup', () => {
  const consumer = useConsumer({
    files: { ...main, ...files },
    tools: ['rollup', '@rollup/plugin-node-resolve'],
  });
  const { showFolder } = useBrowser();

  test('emits the module under a name with a hash; the page shows', async () => {
    const [program, args] = commandOf(consumer, commands[0]);
    expect(await consumer.output(program, [...args, '--silent', '--failAfterWarnings'])).toBe('');
    const wasm = await emittedWasm(consumer, 'dist');
    expect(await showFolder(consumer.folder)).toEqual({
      shown: 'bytes in linear memory',
      fetched: [`/dist/${wasm}`],
    });
  });
});
