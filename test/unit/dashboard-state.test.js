/** The page's address, and files that it reads. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeResults } from '../../bench/harness/results.js';
import {
  MOST,
  optionsOf,
  searchOf,
  settingsFrom,
  USUAL,
  usualSettings,
  withCases,
} from '../../web/state/address.js';
import { load, nameOf, textOf } from '../../web/state/files.js';

const read = (search, isKnown) => settingsFrom(search, isKnown).settings;

describe('the address', () => {
  test('without a query all is as usual, and says nothing', () => {
    expect(settingsFrom('')).toEqual({ settings: usualSettings(), problems: [] });
    expect(searchOf(usualSettings())).toBe('');
  });

  test('whatever can be set is read as it was written', () => {
    const text = fc.stringMatching(/^[\w .%&=+#é<>"'-]{1,30}$/);
    const numbers = Object.fromEntries(
      Object.entries(MOST).map(([key, max]) => [key, fc.integer({ min: 1, max })]),
    );
    const named = fc.constantFrom('reference', 'run', 'loaded', 'history-17');
    const settings = fc.record({
      ...numbers,
      seed: fc.option(numbers.seed, { nil: undefined }),
      cases: fc.oneof(
        fc.constantFrom('quick', 'all'),
        fc.uniqueArray(text, { minLength: 1, maxLength: 5 }),
      ),
      sizes: fc.array(fc.constantFrom('10', '1024', '8-4096'), { maxLength: 3 }),
      theme: fc.constantFrom('system', 'light', 'dark'),
      absolute: fc.boolean(),
      compare: fc.option(fc.record({ before: named, after: named }), { nil: undefined }),
      live: fc.dictionary(
        fc.stringMatching(/^[a-z]{1,10}$/),
        fc.oneof(fc.constantFrom('churn', 'a b&c', 'x=1'), fc.integer()),
        { maxKeys: 5 },
      ),
    });
    fc.assert(
      fc.property(settings, (wanted) => {
        const search = searchOf(wanted);
        expect(settingsFrom(search)).toEqual({ settings: wanted, problems: [] });
        expect(searchOf(read(search))).toBe(search);
      }),
    );
  });

  test.each([
    ['samples=0', 'samples', 8],
    ['samples=1001', 'samples', 8],
    ['samples=1e3', 'samples', 8],
    ['samples=-1', 'samples', 8],
    ['samples=1.5', 'samples', 8],
    ['processes=101', 'processes', 5],
    ['milliseconds=', 'milliseconds', 2],
    ['seed=0', 'seed', undefined],
    ['seed=2147483648', 'seed', undefined],
    ['theme=blue', 'theme', 'system'],
    ['absolute=yes', 'absolute', false],
    ['cases=some', 'cases', 'quick'],
    ['size=big', 'sizes', []],
    ['before=elsewhere&after=run', 'compare', undefined],
    ['live.x=1'.padEnd(300, '1'), 'live', {}],
    ['live=1', 'live', {}],
    ['unknown=1', 'cases', 'quick'],
    ['__proto__=1', 'cases', 'quick'],
  ])('%s is left out, and told once', (search, key, usual) => {
    const { settings, problems } = settingsFrom(`?${search}`);
    expect(settings[key]).toEqual(usual);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/ in the address is not known: left out\.$/);
    expect(problems[0].length).toBeLessThan(120);
  });

  test.each([
    ['samples=1', 'samples', 1],
    ['samples=1000', 'samples', 1000],
    ['seed=2147483647', 'seed', 2147483647],
    ['processes=100', 'processes', 100],
  ])('%s is taken', (search, key, value) => {
    expect(settingsFrom(search)).toMatchObject({ settings: { [key]: value }, problems: [] });
  });

  test('unknown variants are left out; where none is left there is the quick set', () => {
    const isKnown = (id) => id === 'a size=1';
    expect(read('?case=b&case=a+size%3D1&case=a+size%3D1', isKnown).cases).toEqual(['a size=1']);
    expect(read('?case=b', isKnown)).toMatchObject({ cases: 'quick', samples: 8 });
  });

  test('names of the live view cannot reach what every object has', () => {
    const { live } = read('?live.constructor=1&live.toString=x');
    expect(Object.entries(live)).toEqual([
      ['constructor', 1],
      ['toString', 'x'],
    ]);
    expect(read('?live.__proto__=1').live).toEqual({});
  });

  test('anything at all gives settings that can be used', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), (search) => {
        const { settings, problems } = settingsFrom(search);
        expect(read(searchOf(settings))).toEqual(settings);
        for (const problem of problems) expect(typeof problem).toBe('string');
        const { processes, samples, milliseconds, seed } = optionsOf(settings, 1);
        for (const count of [processes, samples, milliseconds, seed]) {
          expect(Number.isInteger(count) && count > 0).toBe(true);
        }
      }),
    );
    const long = read(`?samples=3&x=${'x'.repeat(30_000)}`);
    expect(long).toEqual(usualSettings());
  });

  test('other cases bring their usual numbers, but for what was asked for', () => {
    const all = withCases(usualSettings(), 'all');
    expect(all).toMatchObject({ cases: 'all', ...USUAL.full });
    expect(withCases(all, 'quick')).toEqual(usualSettings());
    const own = { ...usualSettings(), samples: 17 };
    expect(withCases(own, ['a'])).toMatchObject({ samples: 17, milliseconds: 5 });
  });

  test('a run by it: the quick set is quick, its seed is the address’s or drawn', () => {
    expect(optionsOf(usualSettings(), 9)).toEqual({ quick: true, ...USUAL.quick, seed: 9 });
    expect(optionsOf({ ...withCases(usualSettings(), 'all'), seed: 3 }, 9)).toEqual({
      quick: false,
      ...USUAL.full,
      seed: 3,
    });
  });
});

describe('files', () => {
  const results = makeResults({
    started: '2026-01-01T12:34:56.789Z',
    options: { quick: true, processes: 5, samples: 1, milliseconds: 10, seed: 1 },
    context: { cpu: 'unknown', cores: 1, system: 'test', build: 'release', packages: {} },
  });
  results.engines['chromium 156.0'] = { flags: [] };

  const file = (text, name = 'some.json') => Object.assign(new Blob([text]), { name });

  test('are read as they were written', async () => {
    expect(await load(file(textOf(results)))).toEqual(results);
    expect(nameOf(results)).toBe('slabring-chromium-156.0-2026-01-01T12-34-56.json');
    expect(nameOf({ ...results, engines: {} })).toBe('slabring-results-2026-01-01T12-34-56.json');
  });

  test.each([
    ['<html>', /^some\.json: this is no JSON: /],
    ['', /^some\.json: this is no JSON: /],
    ['null', /^some\.json: these are no results of slabring-bench$/],
    ['[]', /^some\.json: these are no results of slabring-bench$/],
    [JSON.stringify({ ...results, rows: [{}] }), /^some\.json: rows\[0\]\.id must be a text/],
    [textOf(results).replace('"seed":1', '"seed":1e999'), /options\.seed must be a whole number/],
  ])('%j is refused with its name and the reason', async (text, message) => {
    await expect(load(file(text))).rejects.toThrow(message);
  });

  test('what is too large is not even read', async () => {
    const large = {
      size: 2 ** 26 + 1,
      name: 'large.json',
      text: () => Promise.reject(new Error('read')),
    };
    await expect(load(large)).rejects.toThrow(
      'large.json: 67108865 bytes are more than any results',
    );
    const atMost = { ...large, size: 2 ** 26 };
    await expect(load(atMost)).rejects.toThrow('read');
  });
});
