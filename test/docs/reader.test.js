/** The reader of the documents: what does not hold, it finds. */

import { describe, expect, test } from '@jest/globals';
import { problemOf } from './support/commands.js';
import { anchorsOf, linksOf, spansOf, takeApart } from './support/documents.js';
import { expectationIn, moduleOf, runBlocks } from './support/javascript.js';

const run = (...blocks) => {
  let line = 2;
  return runBlocks(
    'reader.md',
    blocks.map((code) => {
      const lines = code.split('\n');
      const block = { label: 'js', line, lines };
      line += lines.length + 2;
      return block;
    }),
  );
};

describe('blocks', () => {
  test('are what is between fences, with the line they begin at', () => {
    const { blocks, prose } = takeApart('# a\n```js\nx\n\ny\n```\nb\n```\nz\n```');
    expect(blocks).toEqual([
      { label: 'js', line: 3, lines: ['x', '', 'y'] },
      { label: '', line: 9, lines: ['z'] },
    ]);
    expect(prose).toEqual(['# a', '', '', '', '', '', 'b', '', '', '']);
  });

  test('that nothing closes are refused', () => {
    expect(() => takeApart('a\n```js\nx')).toThrow('line 2: a fence that nothing closes');
    expect(() => takeApart('```js\n```sh\n```')).toThrow('line 2: a fence within a block');
  });

  test('hold no links and no code spans', () => {
    const { prose } = takeApart('[a](b.md#c) `d`\n```js\n[x](y) `z`\n```\n`[e](f)`');
    expect(linksOf(prose)).toEqual([{ target: 'b.md#c', line: 1 }]);
    expect(spansOf(prose).map(({ span }) => span)).toEqual(['d', '[e](f)']);
  });
});

test('anchors of headings, and of a second one of the same words', () => {
  expect(anchorsOf(['# The `a` part, now', '## Twice', 'no', '## Twice'])).toEqual([
    'the-a-part-now',
    'twice',
    'twice-1',
  ]);
});

describe('what a comment says', () => {
  test.each([
    ['42', { value: '42' }],
    ['-1.5: why', { value: '-1.5' }],
    ["'a: b': why: so", { value: "'a: b'" }],
    ['[1, [true, null]]', { value: '[1, [true, null]]' }],
    ['{ a: 1n }', { value: '{ a: 1n }' }],
    ['undefined', { value: 'undefined' }],
    ['throws ERR_OUT_OF_RANGE', { throws: 'ERR_OUT_OF_RANGE' }],
    ['throws RangeError: always', { throws: 'RangeError' }],
  ])('%s is a result', (comment, expected) => {
    expect(expectationIn(comment)).toEqual(expected);
  });

  test.each([
    '42 of them',
    'zeroed',
    'f(1)',
    'a Uint8Array (in Node a Buffer), zeroed',
    '',
    'throws it away',
  ])('"%s" is for the reader', (comment) => {
    expect(expectationIn(comment)).toBeUndefined();
  });
});

describe('JavaScript', () => {
  test('runs block after block, each seeing those before', () => {
    const first =
      "import { createHeap } from 'slabring';\nconst heap = await createHeap();\nlet n = 1;";
    const second = 'const copy = n; // 1\n{ using a = heap.alloc(3); }\nn += 1; // 2: now';
    const third = "const n = heap.from('é').length; // 2\nn; // 2\nconsole.log([n]); // [2]";
    expect(run(first, second, third)).toBe('');
  });

  test.each([
    ['a value', '1 + 1; // 3', /line 2: .*2 !== 3/s],
    ['a variable', 'const a = [1];\nconst b = a; // [2]', /line 3: /],
    ['what is printed', 'setTimeout(() => {\n  console.log(1); // 2\n});', /line 3: /],
    [
      'what nobody reaches',
      'if (Math.PI < 3) {\n  console.log(1); // 1\n}',
      /line 3: never reached/,
    ],
    [
      'no error',
      'Math.abs(1); // throws RangeError',
      /line 2: RangeError was expected, and nothing/,
    ],
    ['no rejection', 'await Promise.resolve(); // throws RangeError', /line 2: .*nothing thrown/],
    ['another error', 'null.x; // throws RangeError', /line 2: RangeError was expected.*TypeError/],
    ['an error, by the line of the document', 'const a = 1;\nnull.x;', /reader\.md:3/],
  ])('that does not hold is found: %s', (_, code, message) => {
    expect(run(code)).toMatch(message);
  });

  test('an error that is announced is none', () => {
    expect(
      run(
        'null.x; // throws TypeError\nawait Promise.reject(new RangeError()); // throws RangeError',
      ),
    ).toBe('');
  });

  test('a result that belongs to nothing is refused, and so is what is no JavaScript', () => {
    const block = (...lines) => [{ label: 'js', line: 5, lines }];
    expect(() => moduleOf(block('const a = {', '  b: 1, // 1', '};'))).toThrow(
      'line 6: "1" belongs',
    );
    expect(() => moduleOf(block('const a = ;'))).toThrow('line 5: ');
  });
});

describe('commands', () => {
  test.each([
    'npm start',
    'npm start -- some.txt',
    'npm test -- native lint',
    'npm run build -- --debug',
    'npm run bench -- buffer --size 10 --quick',
    'npm install slabring',
    'cmake --preset native-asan',
    'NODE_OPTIONS=--experimental-vm-modules npx jest test/unit/errors.test.js',
    'node tools/setup.js --tests',
  ])('%s', (command) => {
    expect(problemOf(command)).toBeUndefined();
  });

  test.each([
    ['npm run nothing', 'no script "nothing"'],
    ['npm run build --debug', 'come after --'],
    ['npm run build -- --nothing', 'tools/build.js has no --nothing'],
    ['npm test -- nothing', 'no step "nothing"'],
    ['npm run bench -- --nothing', "Unknown option '--nothing'"],
    ['npm run bench -- nothing', 'nothing is chosen'],
    ['npm install something', 'another package'],
    ['cmake --preset wasm', 'no preset wasm'],
    ['npx nothing', 'nothing is not installed'],
    ['npx jest test/unit/nothing.test.js', 'there is no test/unit/nothing.test.js'],
    ['node tools/nothing.js', 'there is no tools/nothing.js'],
    ['node --nothing tools/setup.js', 'node has no --nothing'],
    ['build/native-asan/nothing', 'no target nothing'],
    ['make', 'nothing is known of "make"'],
  ])('%s is none', (command, problem) => {
    expect(problemOf(command)).toContain(problem);
  });
});
