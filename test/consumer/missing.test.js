/** A consumer whose WebAssembly file is not where it should be. */

import { rm } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { nodes } from '../support/nodes.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const missing = 'node_modules/slabring/dist/slabring.wasm';

const failing = `
  import { createHeap } from 'slabring';
  const { message, code } = await createHeap().catch((error) => error);
  console.log(JSON.stringify({ message, code }));
`;

describe('without the file', () => {
  const { files } = documented('No bundler');
  const consumer = useConsumer({
    files: {
      'node.js': failing,
      'index.html': files['index.html']
        .replace('<script type="importmap">', '<!--')
        .replace('</script>', '-->'),
      'main.js': failing
        .replace("'slabring'", "'./node_modules/slabring/dist/slabring.js'")
        .replace('console.log(', "document.querySelector('output').value = ("),
    },
  });
  const { showFolder } = useBrowser();

  const remove = () => rm(consumer.path(missing), { force: true });

  test.each(nodes)('Node %s says which, why, and what to do', async (_version, program) => {
    await remove();
    const { message, code } = JSON.parse(await consumer.output(program, ['node.js']));
    expect(code).toBe('ENOENT');
    expect(message).toContain(`file://${consumer.path(missing)} could not be loaded: ENOENT`);
    expect(message).toContain('The option `wasm` says where the module is.');
  });

  test('a page says the same', async () => {
    await remove();
    const { shown } = await showFolder(consumer.folder);
    expect(JSON.parse(shown).message).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/node_modules\/slabring\/dist\/slabring\.wasm could not be loaded: 404 Not Found.*option `wasm`/,
    );
  });
});
