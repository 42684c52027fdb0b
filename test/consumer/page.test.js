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
});
