/** What is stored, what is said of it, and two runs beside each other. */

import { describe, expect, test } from '@jest/globals';
import { analyse, verdictOf } from '../../bench/harness/analysis.js';
import { judge } from '../../bench/harness/bars.js';
import { isChosen, variantsOf } from '../../bench/harness/case.js';
import { compare, reportComparison, starsOf } from '../../bench/harness/compare.js';
import { reportBars, reportOf } from '../../bench/harness/report.js';
import { makeResults, parseResults, problemOf, rowOf } from '../../bench/harness/results.js';
import { runCase } from '../../bench/harness/run-case.js';
import { scheduleOf, timeLeft } from '../../bench/harness/schedule.js';
import { warningsOf } from '../../bench/harness/warnings.js';
import { duration } from '../../bench/node/progress.js';
import { figuresOf, LINES, replaceFigures } from '../../bench/node/readme.js';

const ID = 'work size=10';

/**
 * Results with one row: for each implementation one value a process.
 * @param {Record<string, number[]>} values
 */
function resultsOf(values, { id = ID, metric = 'ns', engine = 'node 1', build = 'release' } = {}) {
  const results = makeResults({
    started: '2026-01-01T00:00:00.000Z',
    options: { quick: false, processes: 5, samples: 1, milliseconds: 10, seed: 1 },
    context: { cpu: 'test', cores: 1, system: 'test', build, packages: {} },
  });
  results.complete = true;
  results.engines[engine] = { flags: [] };
  const row = rowOf(results, { id, case: 'work', parameters: { size: 10 }, engine });
  for (let process = 0; process < Object.values(values)[0].length; process++) {
    const samples = Object.entries(values).map(([name, list]) => [name, [list[process]]]);
    row.repetitions.push({ seed: 1, gc: true, metrics: { [metric]: Object.fromEntries(samples) } });
  }
  return results;
}

const STEADY = { slabring: [10, 10.1, 9.9, 10.2, 9.8], rival: [20, 20.3, 19.8, 20.1, 19.9] };

describe('cases', () => {
  const benchmark = {
    name: 'work',
    parameters: { size: [10, 64], end: ['freed', 'dropped'] },
    leaveOut: ({ size, end }) => size === 64 && end === 'dropped',
    quick: { size: [64] },
  };

  test('are measured in all combinations but those left out', () => {
    expect(variantsOf(benchmark).map(({ id }) => id)).toEqual([
      'work size=10 end=freed',
      'work size=10 end=dropped',
      'work size=64 end=freed',
    ]);
    expect(variantsOf(benchmark, { quick: true }).map(({ id }) => id)).toEqual([
      'work size=64 end=freed',
    ]);
    const slow = { name: 'slow' };
    expect(variantsOf(slow, { quick: true, words: ['sl'] })).toEqual([]);
    expect(variantsOf(slow, { quick: true, words: ['slow'] })).toHaveLength(1);
    expect(variantsOf({ name: 'plain' }).map(({ id }) => id)).toEqual(['plain']);
  });

  test('are chosen by words and by size', () => {
    const [freed, dropped, large] = variantsOf(benchmark);
    const chosen = (choice) => [freed, dropped, large].filter((one) => isChosen(one, choice));
    expect(chosen({})).toHaveLength(3);
    expect(chosen({ words: ['dropped', 'size=64'] })).toEqual([dropped, large]);
    expect(chosen({ words: ['size=6', 'size=1', 'end=drop'] })).toEqual([]);
    expect(chosen({ sizes: ['64', '1'] })).toEqual([large]);
    expect(chosen({ words: ['freed'], sizes: ['10'] })).toEqual([freed]);
    expect(isChosen(variantsOf({ name: 'plain' })[0], { sizes: ['10'] })).toBe(false);
  });

  test('with figures are measured one implementation a process', async () => {
    const figures = { slabring: ({ size }) => ({ ms: size, MiB: 1 }), rival: () => ({ ms: 2 }) };
    const withFigures = { name: 'figures', parameters: { size: [5] }, figures };
    expect(variantsOf(withFigures)[0].parts).toEqual(['slabring', 'rival']);
    const options = { parameters: { size: 5 }, part: 'slabring', quick: false, samples: 3 };
    expect(await runCase(withFigures, { ...options, milliseconds: 1, seed: 4 })).toEqual({
      seed: 4,
      metrics: { ms: { slabring: [5] }, MiB: { slabring: [1] } },
    });
    const alone = { name: 'alone', figures: () => ({ ms: 1 }) };
    expect(variantsOf(alone)[0].parts).toEqual(['slabring']);
  });

  test('that measure themselves elsewhere are told how', async () => {
    const away = {
      name: 'away',
      n: () => 7,
      batch: () => 2,
      longer: () => 3,
      elsewhere: async ({ size }, options) => ({
        samples: { slabring: [size, options.milliseconds, options.n], rival: [options.batch] },
        n: { slabring: 7 },
        step: 5,
        gc: false,
        browser: 'some 1',
      }),
    };
    const options = { parameters: { size: 5 }, quick: false, samples: 3, milliseconds: 2, seed: 4 };
    expect(await runCase(away, options)).toEqual({
      seed: 4,
      metrics: { ns: { slabring: [5, 6, 7], rival: [2] } },
      n: { slabring: 7 },
      step: 5,
      gc: false,
      browser: 'some 1',
    });
  });
});

describe('the stored form', () => {
  test('is read as it was written', () => {
    const results = resultsOf(STEADY);
    expect(parseResults(JSON.stringify(results))).toEqual(results);
  });

  test.each([
    ['another format', (r) => Object.assign(r, { format: 'x' }), 'no results'],
    ['another version', (r) => Object.assign(r, { version: 2 }), 'version 2: this reads 1'],
    ['no date', (r) => Object.assign(r, { started: 'today' }), 'started'],
    ['no seed', (r) => Object.assign(r.options, { seed: undefined }), 'options'],
    ['no processor', (r) => Object.assign(r.context, { cpu: undefined }), 'context'],
    ['an unknown build', (r) => Object.assign(r.context, { build: 'fast' }), 'context'],
    ['no rows', (r) => Object.assign(r, { rows: {} }), 'rows'],
    ['an unknown engine', (r) => Object.assign(r.rows[0], { engine: 'x' }), 'rows[0].engine'],
    ['a row without an id', (r) => Object.assign(r.rows[0], { id: 7 }), 'rows[0]'],
    [
      'a sample that is no number',
      (r) => Object.assign(r.rows[0].repetitions[2].metrics.ns, { rival: [null] }),
      'rows[0].repetitions[2].metrics',
    ],
    [
      'no samples',
      (r) => Object.assign(r.rows[0].repetitions[0].metrics.ns, { rival: [] }),
      'rows[0].repetitions[0].metrics',
    ],
  ])('%s is refused', (_, spoil, problem) => {
    const results = resultsOf(STEADY);
    spoil(results);
    expect(problemOf(results)).toContain(problem);
    expect(() => parseResults(JSON.stringify(results))).toThrow(problem);
  });
});

describe('verdicts', () => {
  test('say how much, in which direction, or that nothing was shown', () => {
    const verdict = (value, low, high, metric = 'ns') =>
      verdictOf({ value, interval: [low, high] }, metric);
    expect(verdict(2, 1.9, 2.1)).toBe('2 times as fast');
    expect(verdict(0.5, 0.4, 0.6)).toBe('2 times as slow');
    expect(verdict(2, 1.9, 2.1, 'MiB')).toBe('2 times less');
    expect(verdict(0.25, 0.2, 0.3, 'MiB')).toBe('4 times more');
    expect(verdict(1.3, 0.99, 1.6)).toBe('no difference shown');
    expect(verdictOf({ value: 3, interval: undefined }, 'ns')).toBe('not compared');
    expect(verdictOf(undefined, 'MiB')).toBe('not compared');
  });

  test('of a run', () => {
    const [ours, theirs] = analyse(resultsOf(STEADY));
    expect(ours).toMatchObject({ name: 'slabring', median: 10, noisy: false });
    expect(ours.ratio).toBeUndefined();
    expect(theirs.median).toBe(20);
    expect(theirs.ratio.value).toBeCloseTo(2, 1);
    expect(theirs.verdict).toBe('2 times as fast');
    expect(theirs.p).toBeLessThan(1e-6);
  });

  test('ours comes first, and unpaired figures are compared, too', () => {
    const results = resultsOf({ rival: STEADY.rival });
    const [{ repetitions }] = results.rows;
    for (const sample of STEADY.slabring) {
      repetitions.push({ seed: 1, metrics: { ns: { slabring: [sample] } } });
    }
    const [ours, theirs] = analyse(results);
    expect([ours.name, theirs.name]).toEqual(['slabring', 'rival']);
    expect(theirs.verdict).toBe('2 times as fast');
  });

  test('p is corrected for all comparisons of the run', () => {
    const alone = analyse(resultsOf(STEADY))[1].p;
    const rivals = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, STEADY.rival]));
    const [, first] = analyse(resultsOf({ slabring: STEADY.slabring, ...rivals }));
    expect(first.p).toBeCloseTo(3 * alone, 15);
  });

  test('processes that overlap are told', () => {
    const slabring = [10, 20, 30, 40, 50];
    const rival = slabring.map((value, i) => value * (1.2 + i / 1000));
    const [, finding] = analyse(resultsOf({ slabring, rival }));
    expect(finding.verdict).toBe('1.2 times as fast, processes overlap');
  });
});

describe('warnings', () => {
  const warningsFor = (results) => warningsOf(results, analyse(results)).join('\n');

  test('none when there is nothing to say', () => {
    expect(warningsFor(resultsOf(STEADY))).toBe('');
  });

  test('of noise, with a mark at the figure', () => {
    const results = resultsOf({ ...STEADY, rival: [20, 25, 18, 20, 31] });
    expect(warningsFor(results)).toMatch('1 of 2 results are noisy (~)');
    expect(reportOf(analyse(results))).toMatch(/rival +~20 ns/);
  });

  test('of a debug build, an early end, a quick run, no collection of garbage', () => {
    expect(warningsFor(resultsOf(STEADY, { build: 'debug' }))).toMatch('A debug build');
    expect(warningsFor({ ...resultsOf(STEADY), complete: false })).toMatch('ended early');
    const quick = resultsOf(STEADY);
    quick.options.quick = true;
    expect(warningsFor(quick)).toMatch('A quick run');
    const without = resultsOf(STEADY);
    without.rows[0].repetitions[3].gc = false;
    expect(warningsFor(without)).toMatch('Garbage was not collected');
  });
});

describe('tables', () => {
  test('a row each, columns aligned, what was published below', () => {
    const report = reportOf(analyse(resultsOf(STEADY)), { [ID]: 'elsewhere: +50 %' });
    const lines = report.split('\n');
    expect(lines[0]).toBe(ID);
    expect(lines[1]).toMatch(/^ {2}slabring +10 ns +\(9\.\d+ to 10\.\d+\)$/);
    expect(lines[2]).toMatch(
      /^ {2}rival +20 ns +\(.* to .*\) +2x +\(.* to .*\) +p < 0\.0001 +2 times/,
    );
    expect(lines[1].indexOf(' ns')).toBe(lines[2].indexOf(' ns'));
    expect(lines[3]).toBe('  published: elsewhere: +50 %');
  });

  test('engines are named once there are several', () => {
    const results = resultsOf(STEADY);
    const other = resultsOf(STEADY, { engine: 'node 2' });
    results.rows.push(...other.rows);
    Object.assign(results.engines, other.engines);
    expect(reportOf(analyse(results))).toMatch(`${ID}  [node 2]`);
  });
});

describe('bars', () => {
  const judged = (bar, values = STEADY, options = {}) =>
    judge([{ id: ID, ...bar }], analyse(resultsOf(values, options)))[0];

  test('are met or not, narrowly where the interval holds the bar', () => {
    expect(judged({ of: 'rival', least: 1.5 }).state).toBe('met');
    expect(judged({ of: 'rival', least: 3 }).state).toBe('NOT MET');
    const wide = { slabring: [10, 10, 10, 10, 10], rival: [15, 18, 20, 22, 26] };
    expect(judged({ of: 'rival', least: 1.9 }, wide).state).toBe('met, narrowly');
    expect(judged({ of: 'rival', least: 2.1 }, wide).state).toBe('NOT MET, narrowly');
  });

  test('may be about a metric of ours', () => {
    expect(judged({ most: 11 }).state).toBe('met');
    expect(judged({ most: 5 })).toMatchObject({ state: 'NOT MET', value: 10 });
    expect(judged({ metric: 'ms', most: 11 }, STEADY, { metric: 'ms' }).state).toBe('met');
  });

  test('that nothing was measured for are told', () => {
    expect(judged({ of: 'nobody', least: 1 })).toEqual({
      bar: { id: ID, of: 'nobody', least: 1 },
      state: 'not measured',
    });
    expect(reportBars([judged({ of: 'rival', least: 1.5, aim: 3 })])).toMatch(
      /^met +work size=10 +of rival +at least 1\.5x +aim 3x +2x +\(/,
    );
  });
});

describe('compare', () => {
  const slower = resultsOf({ slabring: [20, 20.2, 19.8, 20.4, 19.6], rival: STEADY.rival });
  const quicker = resultsOf(STEADY);

  test('improvement of the rate, stars, accuracy at three levels', () => {
    const [row, ...rest] = compare(slower, quicker);
    expect(rest).toEqual([]);
    expect(row).toMatchObject({ id: ID, name: 'slabring' });
    expect(row.improvement).toBeCloseTo(100, 1);
    expect(starsOf(row.p)).toBe('***');
    const [one, two, three] = row.accuracy;
    expect(one).toBeGreaterThan(0);
    expect(two).toBeGreaterThan(one);
    expect(three).toBeGreaterThan(two);
    expect(compare(quicker, slower)[0].improvement).toBeCloseTo(-50, 1);
  });

  test('the same run twice: nothing', () => {
    const [row] = compare(quicker, quicker);
    expect(row.improvement).toBe(0);
    expect(row.p).toBe(1);
    expect(starsOf(row.p)).toBe('');
  });

  test("the accuracy is Welch's interval, halved", () => {
    // 1 / 10, 1 / 12.5 and the like: rates of 80 to 100 against 160 to 200, in units of 1e-3.
    const before = resultsOf({ slabring: [10, 12.5, 10, 12.5] });
    const after = resultsOf({ slabring: [5, 6.25, 5, 6.25] });
    const [{ accuracy }] = compare(before, after);
    // se = sqrt(0.1333 + 0.5333) e-2 * ... : t(0.975, 4.41) = 2.675, se = 0.0129099.
    expect(accuracy[0]).toBeCloseTo((2.6771 * 0.0129099 * 100) / 0.09, 0);
  });

  test('rows of one run alone are left out, rivals are shown when asked for', () => {
    expect(compare(resultsOf(STEADY, { id: 'other' }), quicker)).toEqual([]);
    expect(compare(slower, quicker, { all: true }).map(({ name }) => name)).toEqual([
      'slabring',
      'rival',
    ]);
  });

  test('stars', () => {
    expect([0.2, 0.04, 0.009, 0.0009, undefined].map(starsOf)).toEqual(['', '*', '**', '***', '']);
  });

  test('the table, and how many false positives to expect', () => {
    const text = reportComparison(compare(slower, quicker, { all: true }));
    expect(text).toMatch(/confidence +improvement +accuracy \(\*\) +\(\*\*\) +\(\*\*\*\)/);
    expect(text).toMatch(/work size=10 +\*\*\* +\d+\.\d\d % +±\d/);
    expect(text).toMatch('work size=10 [rival]');
    expect(text).toMatch('Of 2 comparisons');
    expect(text).toMatch(/0\.10 at a risk of +5 % \(\*\)/);
    expect(text).toMatch(/0\.02 at a risk of +1 % \(\*\*\)/);
    expect(text).toMatch(/0\.00 at a risk of +0\.1 % \(\*\*\*\)/);
  });
});

describe('the schedule', () => {
  test('has all work once a round, in the order of the seed', () => {
    const works = ['a', 'b', 'c', 'd'];
    const tasks = scheduleOf(works, 3, 5);
    for (let round = 0; round < 3; round++) {
      const inRound = tasks.slice(4 * round, 4 * round + 4);
      expect(inRound.map(({ work }) => work).sort()).toEqual(works);
      expect(inRound.every((task) => task.round === round)).toBe(true);
    }
    expect(scheduleOf(works, 3, 5)).toEqual(tasks);
    expect(scheduleOf(works, 3, 6)).not.toEqual(tasks);
    expect(new Set(tasks.map(({ seed }) => seed)).size).toBe(12);
  });

  test('knows what is left by what the same work took', () => {
    const tasks = ['a', 'b', 'b', 'c'].map((work) => ({ work, round: 1, seed: 1 }));
    expect(timeLeft(tasks, new Map())).toBeUndefined();
    const durations = new Map([
      ['a', 100],
      ['b', 300],
    ]);
    expect(timeLeft(tasks, durations)).toBe(100 + 300 + 300 + 200);
    expect([duration(59_400), duration(61_000)]).toEqual(['59 s', '1 min 1 s']);
  });
});

describe("README's figures", () => {
  test('stand between the marks, and nothing else is touched', () => {
    const begin = '<!-- figures: written by `npm run bench -- readme` -->';
    const text = `a\n${begin}\nold\n<!-- end of figures -->\nb`;
    expect(replaceFigures(text, 'new')).toBe(`a\n${begin}\nnew\n<!-- end of figures -->\nb`);
    expect(() => replaceFigures('a', 'new')).toThrow('no place');
  });

  test('tell what is quicker than what, by how much, and how sure that is', () => {
    const results = resultsOf(STEADY);
    for (const id of new Set(LINES.map((line) => line.id))) {
      const lines = LINES.filter((line) => line.id === id);
      const row = rowOf(results, { id, case: 'work', parameters: {}, engine: 'node 1' });
      STEADY.slabring.forEach((ours, i) => {
        const metrics = lines.map(({ metric = 'ns', of }) => [
          metric,
          { slabring: [ours], ...(of && { [of]: [STEADY.rival[i]] }) },
        ]);
        row.repetitions.push({ seed: 1, gc: true, metrics: Object.fromEntries(metrics) });
      });
    }
    const text = figuresOf(results);
    expect(text).toMatch(
      /^\| `alloc\(10\)`, freed \| 10 ns \| 20 ns, `Buffer` \| 2 times as fast \(1\.9\d to 2\.0\d\) \|$/m,
    );
    expect(text).toMatch(/^\| import and first heap \| 10 ms \| {2}\| {2}\|$/m);
    expect(text).toMatch('test, 1 cores, node 1, commit unknown; 5 fresh');
    expect(text.match(/^\|(?!---| \|).*\|$/gm)).toHaveLength(LINES.length);
  });

  test('want all that README shows', () => {
    expect(() => figuresOf(resultsOf(STEADY))).toThrow('the results have no "buffer-creation');
  });
});
