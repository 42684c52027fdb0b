import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { emittedWasm } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const { files } = documented('webpack');
const main = documented('Vite and webpack').files;
const webpack = fileURLToPath(new URL('./support/webpack.js', import.meta.url));

describe('webpack', () => {
  const consumer = useConsumer({ files: { ...main, ...files }, tools: ['webpack'] });
  const { showFolder } = useBrowser();

  test.each([
    ['production', {}],
    // Its modules are strings that are evaluated.
    ['development', { policy: "script-src 'self' 'unsafe-eval'" }],
  ])('in %s emits the module under a name with a hash; the page shows', async (mode, options) => {
    expect(await consumer.output(process.execPath, [webpack, mode])).toBe('');
    const wasm = await emittedWasm(consumer, 'dist');
    expect(await showFolder(consumer.folder, options)).toEqual({
      shown: 'bytes in linear memory',
      fetched: [`/dist/${wasm}`],
    });
  });
});
