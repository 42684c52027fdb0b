/** What the dashboard says of results, before it is drawn. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { analyse } from '../../bench/harness/analysis.js';
import { makeResults, rowOf } from '../../bench/harness/results.js';
import { warningsOf } from '../../bench/harness/warnings.js';
import { cut, ratioDomain, ratioTicks } from '../../web/charts/ratio-scale.js';
import { caseOf, groupOf, kindOf, labelOf, principal, seedOfCase } from '../../web/model/groups.js';
import { geometricMeans, pairOf, pairsOf } from '../../web/model/means.js';
import {
  distributionsOf,
  distributionTable,
  figureTable,
  seedTable,
  thinned,
  verdictTable,
} from '../../web/model/tables.js';
import { duration, originOf } from '../../web/model/text.js';
import { escaped, markdownOf } from '../../web/state/markdown.js';

const ratio = (value) => ({ value, interval: [value / 2, value * 2] });
const finding = (id, name, value, rest = {}) => ({
  id,
  name,
  metric: 'ns',
  engine: 'node 1',
  parameters: {},
  median: 10 * value,
  interval: [9 * value, 11 * value],
  noisy: false,
  ...(name !== 'slabring' && { ratio: ratio(value), p: 0.5, verdict: `${value} times as fast` }),
  ...rest,
});

const reference = JSON.parse(
  readFileSync(new URL('../../bench/results/reference.json', import.meta.url), 'utf8'),
);

describe('names', () => {
  test('of variants leave out what all of a case have', () => {
    expect(labelOf('buffer-creation operation=alloc fill 0 size=10 end=freed')).toBe(
      'alloc fill 0, size 10, freed',
    );
    expect(labelOf('async-ids')).toBe('');
    const zeroed = (size) => labelOf(`zeroed-blocks size=${size} use=kept`);
    expect(zeroed(1_000_000_000)).toBe('1 GB, kept');
    expect(zeroed(2_500_000_000)).toBe('2500 MB, kept');
    expect(zeroed(100_000_000)).toBe('100 MB, kept');
    expect(zeroed(1_000_000)).toBe('1 MB, kept');
    expect(zeroed(1_000_001)).toBe('size 1,000,001, kept');
    expect(zeroed(999_999)).toBe('size 999,999, kept');
    expect(zeroed(65_536)).toBe('size 65,536, kept');
    expect(zeroed(0)).toBe('size 0, kept');
    expect(labelOf('pointers size=8-4096 live=100000 order=random')).toBe(
      'size 8-4096, live 100,000, random',
    );
    expect(caseOf('views size=10')).toBe('views');
  });

  test('of rivals tell what they are', () => {
    expect(['before: view', 'Buffer', 'npm process', 'slabring again'].map(kindOf)).toEqual([
      'before',
      'builtin',
      'library',
      'control',
    ]);
    const rivals = ['denque', 'Buffer', 'before: view'].map((name) => finding('views', name, 2));
    expect(principal(rivals).name).toBe('before: view');
    expect(principal(rivals.slice(0, 2)).name).toBe('Buffer');
    expect(principal([])).toBeUndefined();
  });

  test('of cases that nobody knows are in a group, too', () => {
    expect(groupOf('ticks').key).toBe('ticks');
    expect(groupOf('__proto__').key).toBe('other');
    expect(seedOfCase('arena-alloc')).toBe(26301);
    expect(seedOfCase('churn')).toBeUndefined();
  });

  test('every case of the stored reference has a group', () => {
    for (const { case: name } of reference.rows)
      expect([name, groupOf(name).key]).not.toEqual([name, 'other']);
  });
});

describe('geometric means', () => {
  const all = [
    finding('views size=10', 'before: subarray', 2),
    finding('views size=1024', 'before: subarray', 8),
    finding('views size=10', 'slabring', 1),
    finding('ticks shape=depth', 'queueMicrotask', 0.5),
    finding('control work=ticks', 'slabring again', 100),
    finding('zeroed-blocks size=1', 'Buffer', 100, { metric: 'MiB' }),
    finding('zeroed-blocks size=1', 'Buffer', 3, { metric: 'ms' }),
  ];

  test('are over the ratios of times to rivals, by group and kind', () => {
    expect(geometricMeans(all)).toEqual([
      { group: 'buffers', kind: 'before', value: 4, least: 2, most: 8, count: 2 },
      { group: 'ticks', kind: 'builtin', value: 0.5, least: 0.5, most: 0.5, count: 1 },
      {
        group: 'zeroing',
        kind: 'builtin',
        value: expect.closeTo(3, 12),
        least: 3,
        most: 3,
        count: 1,
      },
    ]);
    expect(geometricMeans([])).toEqual([]);
  });

  test('of two runs can be over the same comparisons', () => {
    const shared = pairsOf(all.slice(0, 1));
    expect(geometricMeans(all, (pair) => shared.has(pair))).toEqual([
      { group: 'buffers', kind: 'before', value: 2, least: 2, most: 2, count: 1 },
    ]);
    expect(pairOf(all[5])).not.toBe(pairOf(all[6]));
  });

  test('lie between the smallest and the largest ratio', () => {
    const ratios = fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(ratios, (values) => {
        const [{ value, least, most, count }] = geometricMeans(
          values.map((one, i) => finding(`views size=${i}`, 'Buffer', one)),
        );
        expect(count).toBe(values.length);
        expect(value).toBeGreaterThanOrEqual(least * (1 - 1e-9));
        expect(value).toBeLessThanOrEqual(most * (1 + 1e-9));
      }),
    );
  });
});

describe('the scale of ratios', () => {
  test('holds 1 and all values, and no more of an interval than makes sense', () => {
    expect(ratioDomain([])).toEqual([0.8, 1.25]);
    const [low, high] = ratioDomain([
      { value: 4, interval: [0.001, 10_000] },
      { value: 0.5, interval: undefined },
    ]);
    expect(low).toBeCloseTo(0.05 / 1.15, 5);
    expect(high).toBeCloseTo(40 * 1.15, 5);
  });

  test('has as many marks as fit, 1 among them', () => {
    expect(ratioTicks(0.8, 1.25, 5)).toEqual([1]);
    expect(ratioTicks(0.4, 25, 10)).toEqual([0.5, 1, 2, 5, 10, 20]);
    expect(ratioTicks(0.4, 25, 4)).toEqual([1, 10]);
    const domain = fc.tuple(
      fc.double({ min: 1e-9, max: 0.8, noNaN: true }),
      fc.double({ min: 1.25, max: 1e9, noNaN: true }),
    );
    fc.assert(
      fc.property(domain, fc.integer({ min: 1, max: 30 }), ([low, high], most) => {
        const ticks = ratioTicks(low, high, most);
        expect(ticks).toContain(1);
        expect(ticks.every((tick) => tick >= low && tick <= high)).toBe(true);
        // One more on the other side of 1.
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
      }),
    );
  });

  test('names too long lose their middle', () => {
    expect(cut('short', 5)).toBe('short');
    expect(cut('longer', 5)).toBe('lo…er'.slice(0, 5));
    expect(cut('zeroed-blocks size=1 use=kept MiB', 12)).toHaveLength(12);
  });
});

describe('tables', () => {
  const own = finding('views size=10', 'slabring', 1);
  const rival = finding('views size=10', 'before: subarray', 2, { noisy: true });
  const sides = [
    { name: 'reference', title: 'reference', findings: [own, rival] },
    {
      name: 'run',
      title: 'this browser',
      findings: [own, finding('views size=10', 'Buffer', 3), rival],
    },
  ];
  const lengthsFit = ({ columns, rows }) => {
    for (const { cells } of rows) expect(cells).toHaveLength(columns.length);
  };

  test('of verdicts have the figures as they are beside the words', () => {
    const table = verdictTable('all', sides, { withAbsolute: false });
    lengthsFit(table);
    expect(table.rows.map(({ cells }) => cells.slice(0, 3))).toEqual([
      ['before: subarray', 'reference', '2×'],
      ['before: subarray', 'this browser', '2×'],
      ['Buffer', 'this browser', '3×'],
    ]);
    expect(table.rows[0].cells[5]).toBe('2 times as fast ~');
    expect(table.rows[0].data).toEqual({
      source: 'reference',
      id: 'views size=10',
      metric: 'ns',
      name: 'before: subarray',
      median: '20',
      ratio: '2',
    });
    const absolute = verdictTable('all', sides, { withAbsolute: true });
    lengthsFit(absolute);
    expect(absolute.rows[0].cells.slice(6)).toEqual(['~20 ns', '18 to 22', '10 ns', '9 to 11']);
  });

  test('of seeds and of figures have as many cells as columns', () => {
    const seeds = seedTable('seed', sides, ({ id }) => id);
    lengthsFit(seeds);
    expect(seeds.rows[0].cells).toEqual([
      'views size=10',
      'reference',
      '~20 ns',
      '10 ns',
      '2× (1 to 4)',
      '2 times as fast',
    ]);
    const figures = figureTable('figures', sides);
    lengthsFit(figures);
    expect(figures.rows).toHaveLength(5);
  });

  test('of samples have every one, of each process', () => {
    const row = reference.rows[0];
    const distributions = distributionsOf(reference, row.id, row.engine);
    const metrics = row.repetitions.map(({ metrics: { ns } }) => ns.slabring);
    expect(
      distributions.filter(({ name }) => name === 'slabring').map(({ samples }) => samples),
    ).toEqual(metrics);
    lengthsFit(distributionTable('samples', distributions));
    expect(distributionsOf(reference, 'nothing', row.engine)).toEqual([]);
    const many = [{ name: 'a', metric: 'ns', process: 1, samples: Array(1000).fill(1) }];
    expect(distributionTable('samples', many).rows[0].cells.at(-1)).toMatch(/ … and 800 more$/);
  });

  test('drawn samples are thinned out evenly', () => {
    expect(thinned([3, 1, 2])).toEqual([3, 1, 2]);
    const many = Array.from({ length: 100_000 }, (_, i) => i);
    const some = thinned(many);
    expect(some).toHaveLength(400);
    expect(some.slice(0, 3)).toEqual([0, 250, 500]);
  });
});

describe('text', () => {
  test('of durations', () => {
    expect([-1, 59_400, 61_000, 3_660_000].map(duration)).toEqual([
      '0 s',
      '59 s',
      '1 min 1 s',
      '1 h 1 min',
    ]);
  });

  test('names the machine', () => {
    expect(originOf(reference)).toContain(reference.context.cpu);
    expect(originOf({ ...reference, engines: {} })).toMatch(/^no engine on /);
  });
});

describe('Markdown', () => {
  const about = (({ rows, ...rest }) => rest)(reference);
  const findings = analyse(reference);
  const warnings = warningsOf(reference, findings);

  test('tells the engine, the machine, every verdict and every warning', () => {
    const text = markdownOf({ about, findings, warnings }, 'http://localhost/?seed=5');
    expect(text).toMatch(/^### slabring benchmarks\n\n- engine: node 20/);
    expect(text).toContain(reference.context.cpu);
    expect(text).toContain('- again: <http://localhost/?seed=5>');
    const rivals = findings.filter(({ name }) => name !== 'slabring');
    expect(text.match(/^\| (?!variant)/gm)).toHaveLength(rivals.length);
    for (const { verdict } of rivals) expect(text).toContain(escaped(verdict));
    expect(text.match(/^- .*results are noisy/m)).not.toBeNull();
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    const bars = lines.map((line) => line.replace(/\\\|/g, '').split('|').length);
    expect(new Set(bars)).toEqual(new Set([8]));
  });

  test('of a page tells whether it was isolated', () => {
    const context = { ...about.context, cpu: 'unknown', isolated: false, clockStep: 100_000 };
    const text = markdownOf({ about: { ...about, context }, findings: [], warnings: [] });
    expect(text).toContain('- page: not cross\\-origin isolated, the clock steps by 100 us');
    expect(text).not.toContain('unknown');
  });

  test('has nothing in names that means anything', () => {
    const name = '<img src=x>|[a](javascript:b)`*_\n# @someone ~~x~~';
    const text = markdownOf({
      about,
      findings: [finding('views', 'slabring', 1), finding('views', name, 2)],
      warnings: [name],
    });
    const row = text.split('\n').find((line) => line.startsWith('| views'));
    expect(row).toContain(escaped(name));
    expect(row).not.toMatch(/[^\\][<[`@]/);
    expect(text.split('\n').at(-2)).toBe(`- ${escaped(name)}`);
  });

  test('fits into an issue, and says what it left out', () => {
    const many = Array.from({ length: 3000 }, (_, i) => finding(`views size=${i}`, 'Buffer', 2));
    const text = markdownOf({ about, findings: many, warnings });
    expect(text.length).toBeLessThan(65_536);
    const rows = text.match(/^\| views/gm).length;
    expect(text).toContain(`${3000 - rows} more rows are left out.`);
  });

  test('tells engines apart where there are several', () => {
    const results = makeResults({
      started: '2026-01-01T00:00:00.000Z',
      options: { quick: false, processes: 1, samples: 1, milliseconds: 1, seed: 1 },
      context: { cpu: 'c', cores: 1, system: 's', build: 'release', packages: {} },
    });
    for (const [engine, time] of [
      ['a', 1],
      ['b', 2],
    ]) {
      results.engines[engine] = { flags: [] };
      rowOf(results, { id: 'views', case: 'views', parameters: {}, engine }).repetitions.push({
        seed: 1,
        metrics: { ns: { slabring: [time], Buffer: [10] } },
      });
    }
    const text = markdownOf({ about: results, findings: analyse(results), warnings: [] });
    expect(text).toContain('| views \\[a\\] | Buffer | 10× | not compared | 10 ns | 1 ns |');
    expect(text).toContain('| views \\[b\\] | Buffer | 5× | not compared | 10 ns | 2 ns |');
  });
});
