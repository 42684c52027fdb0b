/** What is not imported is not in a bundle, nor does a bundler warn of what is. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { filesOf } from './support/bundler.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';
import { useBrowser } from './support/pages.js';

/** What each part cannot be without. */
const MARKS = {
  'the heap': 'onExhausted',
  'its ticks': 'triggerAsyncId',
  'the glue': '_embind_register',
  'the module inside': /[A-Za-z0-9+/]{5000}/,
};
const ALL = Object.keys(MARKS);

/** A program each, the parts of ours that it needs, and the most bytes of JavaScript for it. */
const CASES = {
  'nothing.js': {
    code: "import * as a from 'slabring'; import b from 'slabring/process'; console.log('mine');",
    parts: [],
    most: 100,
  },
  'class.js': {
    code: "import { HeapBuffer } from 'slabring'; console.log(HeapBuffer.name);",
    parts: [],
    most: 14_000,
  },
  'process.js': {
    code: "import { browser, version } from 'slabring/process'; console.log(browser, version);",
    parts: [],
    most: 4000,
  },
  'heap.js': {
    code: "import { createHeap } from 'slabring'; createHeap();",
    parts: ['the heap', 'its ticks', 'the glue'],
    most: 65_000,
  },
  'inline.js': {
    code: documented('One file, no configuration').files['main.js'],
    parts: ALL,
    most: 86_000,
  },
  'both.js': {
    code: `
      import { createHeap } from 'slabring';
      import { nextTick } from 'slabring/process';
      nextTick(createHeap);
    `,
    parts: ALL,
    most: 86_000,
  },
};

function onlyScript(files) {
  const [script, ...others] = Object.keys(files).filter((file) => file.endsWith('.js'));
  expect(others).toEqual([]);
  return script;
}

const codes = Object.entries(CASES).map(([name, { code }]) => [`cases/${name}`, code]);

const shake = readFileSync(new URL('./support/shake.js', import.meta.url), 'utf8');
const consumer = useConsumer({
  files: { ...Object.fromEntries(codes), 'shake.js': shake },
  tools: ['vite', 'webpack', 'rollup', 'esbuild', '@rollup/plugin-node-resolve'],
});

const { showFolder } = useBrowser();

describe.each(['vite', 'webpack', 'rollup', 'esbuild'])('%s', (bundler) => {
  beforeAll(() => consumer.output(process.execPath, ['shake.js', bundler]));

  test.each(Object.keys(CASES))('%s', async (name) => {
    const { parts, most } = CASES[name];
    const folder = `bundles/${bundler}/${name}`;
    const files = await filesOf(consumer, folder);
    const script = onlyScript(files);
    const text = await consumer.read(`${folder}/${script}`);
    const there = ALL.filter((part) => text.match(MARKS[part]));
    expect({ bytes: files[script], there }).toEqual({ bytes: expect.any(Number), there: parts });
    expect(files[script]).toBeLessThanOrEqual(most);
  });

  test('the page of inline.js shows, and fetches nothing more', async () => {
    const folder = `bundles/${bundler}/inline.js`;
    const script = onlyScript(await filesOf(consumer, folder));
    await consumer.write({
      [`${folder}/index.html`]: `
        <!doctype html>
        <output></output>
        <script type="module" src="./${script}"></script>
      `,
    });
    expect(await showFolder(consumer.path(folder))).toEqual({
      shown: 'bytes in linear memory',
      fetched: [],
    });
  });
});
