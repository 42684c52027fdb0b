/**
 * Two runs beside each other, in the manner of Node's own comparison of benchmarks: the improvement
 * of the rate, how sure it is, and how accurate at three levels.
 */

import { mean } from 'simple-statistics';
import { OURS } from './case.js';
import { alignColumns } from './report.js';
import { samplesOf } from './results.js';
import { differenceInterval, observations, welchP } from './statistics.js';

/** @import { Results } from './results.js' */

/** The risks of a false positive that one, two and three stars stand for. */
const LEVELS = [0.05, 0.01, 0.001];

/**
 * @typedef {object} Comparison
 * @property {string} id
 * @property {string} engine
 * @property {string} name of the implementation
 * @property {string} metric
 * @property {number} improvement of the rate, per cent of the old one
 * @property {number} [p] of no difference; undefined when a side has a single process
 * @property {number[]} [accuracy] half an interval, per cent, at 95, 99 and 99.9 % confidence
 */

/** The rate is what Node's tables improve: more of it is better. */
const rates = (/** @type {number[][]} */ processes) =>
  observations(processes).map((value) => 1 / value);

/**
 * Rows that both runs have. Engines are matched by name, or whatever they are where each run has
 * just one.
 * @param {Results} before
 * @param {Results} after
 * @param {{ all?: boolean }} [options] all implementations, not ours alone
 * @returns {Comparison[]}
 */
export function compare(before, after, { all = false } = {}) {
  const single = [before, after].every(({ engines }) => Object.keys(engines).length === 1);
  /** @type {Comparison[]} */
  const comparisons = [];
  for (const row of after.rows) {
    const old = before.rows.find(
      ({ id, engine }) => id === row.id && (single || engine === row.engine),
    );
    if (!old) continue;
    const [was, is] = [samplesOf(old), samplesOf(row)];
    for (const [metric, implementations] of Object.entries(is)) {
      for (const [name, processes] of Object.entries(implementations)) {
        const oldProcesses = was[metric]?.[name];
        if (!oldProcesses || !(all || name === OURS)) continue;
        const [a, b] = [rates(oldProcesses), rates(processes)];
        if (![...a, ...b].every((rate) => rate > 0 && Number.isFinite(rate))) continue;
        const oldRate = mean(a);
        const accuracy = LEVELS.map((level) => {
          const interval = differenceInterval(b, a, 1 - level);
          return interval && ((interval[1] - interval[0]) / 2 / oldRate) * 100;
        });
        comparisons.push({
          id: row.id,
          engine: row.engine,
          name,
          metric,
          improvement: ((mean(b) - oldRate) / oldRate) * 100,
          p: welchP(a, b),
          accuracy: accuracy.every((figure) => figure !== undefined) ? accuracy : undefined,
        });
      }
    }
  }
  return comparisons;
}

/** @param {number | undefined} p */
export const starsOf = (p) =>
  '*'.repeat(p === undefined ? 0 : LEVELS.filter((level) => p < level).length);

/** @param {number} percent */
const shown = (percent) => `${percent.toFixed(2)} %`;

/** @param {Comparison[]} comparisons */
export function reportComparison(comparisons) {
  const rows = [
    ['', 'confidence', 'improvement', 'accuracy (*)', '(**)', '(***)'],
    ...comparisons.map(({ id, name, metric, improvement, p, accuracy = [] }) => [
      [id, name === OURS ? '' : `[${name}]`, metric === 'ns' ? '' : metric]
        .filter(Boolean)
        .join(' '),
      starsOf(p),
      shown(improvement),
      ...accuracy.map((figure) => `±${shown(figure)}`),
    ]),
  ];
  const table = alignColumns(rows, ['left', 'right', 'right', 'right', 'right', 'right']);
  const count = comparisons.filter(({ p }) => p !== undefined).length;
  const expected = LEVELS.map((level, i) => {
    const risk = `${level * 100} %`.padStart(5);
    return `  ${(count * level).toFixed(2)} at a risk of ${risk} (${'*'.repeat(i + 1)})`;
  });
  return [
    ...table,
    '',
    `Of ${count} comparisons some look like a difference by chance. Expected false positives:`,
    ...expected,
  ].join('\n');
}
