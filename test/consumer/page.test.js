/** Pages without a bundler: the files as they are, under a strict policy. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { engines } from '../../tools/browsers/index.js';
import { STRICT_POLICY } from '../../tools/serve.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

const { files } = documented('No bundler');
const main = documented('Vite and webpack').files;

/** A policy that allows this very import map, which is a script inside of the page. */
function policyFor(html) {
  const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(html);
  return `${STRICT_POLICY} 'sha256-${createHash('sha256').update(map).digest('base64')}'`;
}

describe.each(engines)('a page without a bundler, %s', (engine) => {
  const consumer = useConsumer({ files: { ...main, ...files } });
  const { showFolder } = useBrowser(engine);

  test('shows, with an import map', async () => {
    expect(await showFolder(consumer.folder, { policy: policyFor(files['index.html']) })).toEqual({
      shown: 'bytes in linear memory',
      fetched: ['/node_modules/slabring/dist/slabring.wasm'],
    });
  });

  test('has a module worker, which fetches for itself', async () => {
    await consumer.write({
      'worker.html': `
        <!doctype html>
        <output></output>
        <script type="module" src="./start-worker.js"></script>
      `,
      'start-worker.js': `
        const worker = new Worker('./page-worker.js', { type: 'module' });
        worker.onmessage = ({ data }) => {
          document.querySelector('output').value = data;
        };
      `,
      // An import map is the page's alone.
      'page-worker.js': `
        import { createHeap } from './node_modules/slabring/dist/slabring.js';
        const heap = await createHeap();
        postMessage(new TextDecoder().decode(heap.from('bytes of a worker')));
      `,
    });
    expect(await showFolder(consumer.folder, { page: 'worker.html' })).toMatchObject({
      shown: 'bytes of a worker',
    });
  });

  test('has a heap at once from slabring/inline, with nothing fetched', async () => {
    const { 'main.js': script } = documented('One file, no configuration').files;
    await consumer.write({
      'inline.html': files['index.html']
        .replace('slabring.js', 'inline.js')
        .replace('"slabring"', '"slabring/inline"')
        .replace('main.js', 'inline.js'),
      'inline.js': script,
    });
    const policy = policyFor(await consumer.read('inline.html'));
    expect(await showFolder(consumer.folder, { page: 'inline.html', policy })).toEqual({
      shown: 'bytes in linear memory',
      fetched: [],
    });
  });
});
