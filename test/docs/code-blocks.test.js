/** Every block of code in README and the documents does what it says. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { commandsOf, isCheap, problemOf, runCommand } from './support/commands.js';
import { prepareCpp, runCpp } from './support/cpp.js';
import {
  documents,
  examplesOf,
  ROOT,
  readDocument,
  sources,
  spansOf,
  takeApart,
} from './support/documents.js';
import { runBlocks } from './support/javascript.js';

/** Blocks that are files of other tests, by document: these read them from there. */
const READ_BY = { 'docs/bundlers.md': 'test/consumer' };

const TIME = 300_000;

const apart = new Map(documents.map((path) => [path, takeApart(readDocument(path))]));

const blocksOf = (label) =>
  [...apart].flatMap(([path, { blocks }]) =>
    path in READ_BY
      ? []
      : blocks.filter((block) => block.label === label).map((block) => ({ path, ...block })),
  );

const KNOWN = ['', 'text', 'js', 'cpp', 'sh', 'cmake'];

test.each([...apart])('%s has no block that nobody would run', (path, { blocks }) => {
  if (path in READ_BY) return;
  expect(blocks.filter(({ label }) => !KNOWN.includes(label))).toEqual([]);
});

test.each(Object.entries(READ_BY))('the blocks of %s are read by %s', (path, folder) => {
  const name = path.split('/').at(-1);
  const files = readdirSync(`${ROOT}${folder}`, { recursive: true, withFileTypes: true });
  const readers = files.filter(
    (file) =>
      file.isFile() && readFileSync(`${file.parentPath}/${file.name}`, 'utf8').includes(name),
  );
  expect(readers).not.toEqual([]);
});

/** @type {Map<string, object[]>} */
const js = new Map();
for (const block of blocksOf('js')) js.set(block.path, [...(js.get(block.path) ?? []), block]);

test.each([...js])(
  'the JavaScript of %s runs, with the results written there',
  (path, blocks) => {
    expect(runBlocks(path, blocks)).toBe('');
  },
  TIME,
);

/** What every example has: there are enough lines before the first. */
const HEAP = {
  line: 2,
  lines: ["import { createHeap } from 'slabring'; const heap = await createHeap();"],
};

const examples = sources
  .map((path) => [path, examplesOf(readDocument(path))])
  .filter(([, blocks]) => blocks.length > 0);

test('the public functions have examples', () => {
  expect(examples.flatMap(([, blocks]) => blocks).length).toBeGreaterThan(5);
});

test.each(examples)(
  'the examples in %s run, with the results written there',
  (path, blocks) => {
    expect(runBlocks(path, [HEAP, ...blocks])).toBe('');
  },
  TIME,
);

describe('C++', () => {
  let native;
  beforeAll(() => {
    native = prepareCpp();
  }, TIME);

  const cases = blocksOf('cpp').map((block) => [`${block.path}:${block.line}`, block]);

  test.each(cases)(
    '%s',
    (_, block) => {
      const name = `${block.path}-${block.line}`.replaceAll('/', '-');
      expect(runCpp(native, name, block)).toBe('');
    },
    TIME,
  );
});

test.each(blocksOf('cmake').map((block) => [`${block.path}:${block.line}`, block]))(
  'the CMake of %s is in CMakeLists.txt',
  (_, { lines }) => {
    const file = readFileSync(`${ROOT}CMakeLists.txt`, 'utf8').split('\n');
    const known = file.map((line) => line.trim());
    expect(lines.filter((line) => !known.includes(line.trim()))).toEqual([]);
  },
);

const commands = new Map();
for (const block of blocksOf('sh')) {
  for (const { command, line } of commandsOf(block)) commands.set(command, `${block.path}:${line}`);
}
for (const [path, { prose }] of apart) {
  for (const { span, line } of spansOf(prose)) {
    if (/^(npm|npx|node) [a-z]/.test(span) && !/[<…]/.test(span))
      commands.set(span, `${path}:${line}`);
  }
}

test.each([...commands])(
  '%s is a command, at %s',
  (command) => {
    expect(problemOf(command)).toBeUndefined();
    if (isCheap(command)) expect(runCommand(command)).toBe('');
  },
  TIME,
);

const FOLDERS = /^(js|cpp|test|tools|bench|docs|examples|web)\/[\w./-]*$/;

test.each([...apart])('%s names no file that is not there', (_, { prose }) => {
  const missing = spansOf(prose).filter(
    ({ span }) => FOLDERS.test(span) && !existsSync(`${ROOT}${span}`),
  );
  expect(missing).toEqual([]);
});
