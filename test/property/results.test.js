/**
 * Files that may be anything: stored results with parts taken out, put in, renamed and replaced. Either
 * they are refused, with a message, or everything that is done with results can be done with them.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { analyse } from '../../bench/harness/analysis.js';
import { judge } from '../../bench/harness/bars.js';
import { compare, reportComparison, starsOf } from '../../bench/harness/compare.js';
import { reportBars, reportOf } from '../../bench/harness/report.js';
import {
  checkResults,
  LARGEST_FILE,
  makeResults,
  parseResults,
  problemOf,
} from '../../bench/harness/results.js';
import { warningsOf } from '../../bench/harness/warnings.js';
import { geometricMeans } from '../../web/model/means.js';
import {
  comparisonTable,
  distributionsOf,
  figureTable,
  verdictTable,
} from '../../web/model/tables.js';
import { markdownOf } from '../../web/state/markdown.js';
import { times } from '../support/runs.js';

const bars = JSON.parse(readFileSync(new URL('../../bench/bars.json', import.meta.url), 'utf8'));

/** A row of each kind. */
function makeValid() {
  const results = makeResults({
    started: '2026-01-01T00:00:00.000Z',
    options: { quick: false, processes: 3, samples: 2, milliseconds: 10, seed: 1 },
    context: {
      cpu: 'test',
      cores: 2,
      system: 'test',
      commit: 'abc',
      build: 'release',
      packages: { buffer: '6.0.3' },
      isolated: true,
      clockStep: 5000,
    },
  });
  results.complete = true;
  results.engines = {
    'node 20': { v8: '11', flags: ['--expose-gc'] },
    'firefox 153.0': { flags: [] },
  };
  const paired = (i) => ({
    seed: i,
    metrics: { ns: { slabring: [10 + i, 11], rival: [20, 21 + i] } },
    n: { slabring: 1000, rival: 500 },
    step: 100,
    took: 1.5,
    gc: true,
  });
  const alone = (i, name) => ({
    seed: i,
    metrics: { ms: { [name]: [i] }, MiB: { [name]: [i - 2] } },
    hidden: true,
    throttled: true,
    browser: 'some 1',
  });
  const row = (id, engine, repetitions) => ({
    id,
    case: id,
    parameters: { size: 10 },
    engine,
    repetitions,
  });
  results.rows = [
    row('async-ids', 'node 20', [1, 2, 3].map(paired)),
    row('async-ids', 'firefox 153.0', [1, 2].map(paired)),
    row('control', 'node 20', [1].map(paired)),
    {
      ...row(
        'zeroed-blocks',
        'node 20',
        [1, 2, 3].flatMap((i) => [alone(i, 'slabring'), alone(i, 'a')]),
      ),
      flags: ['--x'],
      error: 'failed',
    },
    row('nothing', 'node 20', []),
  ];
  return results;
}

/** All that is done with results, in the terminal and in a page. */
function useAll(results) {
  const findings = analyse(results);
  for (const { median, interval, ratio } of findings) {
    expect([median, ...interval].every(Number.isFinite)).toBe(true);
    if (ratio) expect(ratio.value).toBeGreaterThan(0);
  }
  reportOf(findings, {});
  reportBars(judge(bars, findings));
  const valid = makeValid();
  for (const [before, after] of [
    [results, valid],
    [valid, results],
    [results, results],
  ]) {
    const comparisons = compare(before, after, { all: true });
    reportComparison(comparisons);
    comparisonTable('', comparisons, starsOf);
  }
  geometricMeans(findings);
  const warnings = warningsOf(results, findings);
  markdownOf({ about: results, findings, warnings }, 'https://example.org/');
  const side = { name: 'loaded', title: '', findings };
  verdictTable('', [side], { withAbsolute: true });
  figureTable('', [side]);
  for (const { id, engine } of results.rows) distributionsOf(results, id, engine);
}

const JSON_TEXT = 'json:';

/** Objects are written as JSON: one object in two places, or in itself, is what no file holds. */
const hostile = fc.constantFrom(
  ...[null, true, false, 0, -1, 0.5, 1, 2, 3e9, 1e15, -1e15, 1e16, 1e308, 1e-15, 5e-324, -0],
  ...[Number.NaN, Number.POSITIVE_INFINITY, undefined, '', 'slabring', 'node 20', 'async-ids'],
  ...[
    '<img src=x onerror=alert(1)>',
    '__proto__',
    'constructor',
    'a\u0000b',
    '\u202eabc',
    '\ud800',
  ],
  ...['x'.repeat(500), 'x'.repeat(501), '2026-01-01', 'firefox 153.0', 'ns', 'MiB', 'kB, a'],
  ...[
    ...['[]', '{}', '[[]]', '[1,2,3]', '[1,null]', '["a"]', '{"a":1}', '{"length":1e9}'],
    ...['{"a":[1]}', '{"ns":{"slabring":[5]}}', '{"ns":{"a":[1e9],"b":[0]}}', '{"toString":1}'],
    '['.repeat(5000) + ']'.repeat(5000),
  ].map((text) => JSON_TEXT + text),
);

/** @param {unknown} value of those above */
const made = (value) =>
  typeof value === 'string' && value.startsWith(JSON_TEXT)
    ? JSON.parse(value.slice(JSON_TEXT.length))
    : value;

const names = fc.constantFrom(
  ...['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'a', '', 'x'.repeat(201)],
  ...['slabring', 'ns', '<b>', 'a\nb', 'node 20', 'error', 'hidden'],
);

/** What is done at a place, which is picked by a number at each level. */
const mutations = fc.array(
  fc.record({
    path: fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'rename', 'add', 'repeat'),
    value: hostile,
    name: names,
  }),
  { minLength: 1, maxLength: 4 },
);

/** @param {any} root */
function mutate(root, { path, kind, value, name }) {
  let holder = root;
  for (const [depth, pick] of path.entries()) {
    const keys = Object.keys(holder);
    if (keys.length === 0) return;
    const key = keys[pick % keys.length];
    const next = holder[key];
    const isLast = depth === path.length - 1 || typeof next !== 'object' || next === null;
    if (!isLast) {
      holder = next;
      continue;
    }
    const set = (at, what) =>
      Object.defineProperty(holder, at, {
        value: what,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    if (kind === 'replace') set(key, made(value));
    else if (kind === 'add')
      Array.isArray(holder) ? holder.push(made(value)) : set(name, made(value));
    else if (kind === 'repeat' && Array.isArray(holder)) holder.push(next);
    else if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else {
      delete holder[key];
      if (kind === 'rename') set(name, next);
    }
    return;
  }
}

const pollution = () =>
  JSON.stringify([Object.keys(Object.prototype), Object.getOwnPropertyNames(Object)]);

describe('results that may be anything', () => {
  test('what is valid is read whole, and everything can be done with it', () => {
    const results = makeValid();
    expect(checkResults(results)).toEqual(results);
    expect(JSON.stringify(checkResults(results))).toBe(JSON.stringify(results));
    useAll(results);
  });

  test('whatever was done to it: refused with a message, or of use', () => {
    const before = pollution();
    let [refused, used] = [0, 0];
    fc.assert(
      fc.property(mutations, (all) => {
        const spoilt = makeValid();
        for (const one of all) mutate(spoilt, one);
        let results;
        try {
          results = checkResults(spoilt);
        } catch (error) {
          refused++;
          expect(error.message).toMatch(/^[^\n]+$/);
          expect(error.message.length).toBeLessThan(2000);
          return;
        }
        used++;
        useAll(results);
        // As it would be after a file: the same.
        const text = JSON.stringify(results);
        expect(JSON.stringify(parseResults(text))).toBe(text); // JSON writes -0 as 0
      }),
      { numRuns: times(500) },
    );
    expect(pollution()).toBe(before);
    // Both happen; which of them how often is chance.
    expect(refused).toBeGreaterThan(0);
    expect(used).toBeGreaterThan(0);
  });

  test('any JSON at all', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        expect(() => parseResults(text)).toThrow(/^these are no results|^this is no JSON/);
      }),
    );
  });
});

describe('the bounds', () => {
  const problem = (spoil) => {
    const results = makeValid();
    spoil(results);
    return problemOf(results);
  };
  const samplesOfFirst = (results) => results.rows[0].repetitions[0].metrics.ns;

  test.each([
    [
      'a number as text',
      (r) => (samplesOfFirst(r).rival[0] = '20'),
      'metrics.ns.rival[0] must be a number',
    ],
    [
      'no number',
      (r) => (samplesOfFirst(r).rival[0] = Number.NaN),
      'metrics.ns.rival[0] must be a number',
    ],
    ['nothing', (r) => (samplesOfFirst(r).rival[0] = null), 'metrics.ns.rival[0] must be a number'],
    [
      'a metric of every object',
      (r) => (r.rows[0].repetitions[0].metrics.toString = {}),
      'a name in rows[0].repetitions[0].metrics must be',
    ],
    [
      'a control character',
      (r) => (r.context.cpu = 'a\u0007'),
      'context.cpu must be a text of 500 printable',
    ],
    ['an id too long', (r) => (r.rows[1].id = 'x'.repeat(501)), 'rows[1].id must be a text'],
    [
      'a row twice',
      (r) => r.rows.push(r.rows[0]),
      'rows[5] must be the only one of its id and engine',
    ],
    [
      'a build of another name',
      (r) => (r.context.build = 'fast'),
      'context.build must be release or debug',
    ],
    [
      'hidden by a word',
      (r) => (r.rows[0].repetitions[0].hidden = 'yes'),
      'repetitions[0].hidden must be true or false',
    ],
    ['an error that is none', (r) => (r.rows[0].error = 7), 'rows[0].error must be a text'],
    [
      'a step below 0',
      (r) => (r.context.clockStep = -1),
      'context.clockStep must be a number from 0',
    ],
  ])('%s', (_, spoil, message) => {
    expect(problem(spoil)).toContain(message);
  });

  test('samples: a million, and not one more', () => {
    const filled = (count) => (r) => {
      // All but the two that are replaced.
      const others = 3 * 4 + 2 * 4 + 4 + 6 * 2 - 2;
      samplesOfFirst(r).rival = new Array(count - others).fill(1);
    };
    expect(problem(filled(1e6))).toBeUndefined();
    expect(problem(filled(1e6 + 1))).toBe('rows must be 1000000 samples at most');
  });

  test('samples that only claim to be many are refused without being looked at', () => {
    const start = makeValid();
    samplesOfFirst(start).rival = { length: 1e9 };
    expect(problemOf(start)).toBe('rows must be 1000000 samples at most');
  });

  test('repetitions of a row: a thousand', () => {
    const repeated = (count) => (r) => {
      r.rows[0].repetitions = new Array(count).fill(r.rows[0].repetitions[0]);
    };
    expect(problem(repeated(1000))).toBeUndefined();
    expect(problem(repeated(1001))).toBe('rows[0].repetitions must be a list of 0 to 1000');
  });

  test('the text', () => {
    expect(() => parseResults('x'.repeat(LARGEST_FILE + 1))).toThrow('longer than any results');
  });
});
