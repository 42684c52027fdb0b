/** What the tables behind the charts say: plain texts, and beside them the figures as they are. */

import { quantile } from 'simple-statistics';
import { RATIO_INTERVAL } from '../../bench/harness/judging.js';
import { samplesOf } from '../../bench/harness/results.js';
import {
  absolute,
  chance,
  oursOf,
  range,
  rivalOf,
  rivalsOf,
  short,
  times,
  withInterval,
} from './text.js';

/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Comparison } from '../../bench/harness/compare.js' */
/** @import { Results } from '../../bench/harness/results.js' */
/** @import { Name } from '../state/reports.js' */

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {boolean} [number]
 * @property {string} [kind] a class
 *
 * @typedef {object} TableRow
 * @property {string[]} cells the first names the row
 * @property {Record<string, string>} [data] attributes
 *
 * @typedef {object} Table
 * @property {string} caption
 * @property {Column[]} columns
 * @property {TableRow[]} rows
 */

/** @typedef {{ name: Name, title: string, findings: Finding[] }} Side one report's part of it */

/** @param {Name} source @param {Finding} finding @returns {Record<string, string>} */
const dataOf = (source, { id, metric, name, median, ratio }) => ({
  source,
  id,
  metric,
  name,
  median: String(median),
  ...(ratio && { ratio: String(ratio.value) }),
});

/** Lines of the same name, of all reports, beside each other. @param {TableRow[]} rows */
function together(rows) {
  const names = new Set(rows.map(({ cells: [name] }) => name));
  const order = new Map([...names].map((name, i) => [name, i]));
  return rows.toSorted((a, b) => Number(order.get(a.cells[0])) - Number(order.get(b.cells[0])));
}

/**
 * Every rival of one variant, in every report.
 * @param {string} caption
 * @param {Side[]} sides
 * @param {object} options
 * @param {boolean} options.withAbsolute
 * @param {(finding: Finding) => string} [options.label] of a line
 * @returns {Table}
 */
export function verdictTable(caption, sides, { withAbsolute, label = rivalOf }) {
  const rows = sides.flatMap(({ name: source, title, findings }) =>
    rivalsOf(findings).map((finding) => {
      const ours = oursOf(findings, finding);
      return {
        cells: [
          label(finding),
          title,
          times(finding.ratio?.value),
          range(finding.ratio?.interval),
          chance(finding.p),
          `${finding.verdict ?? 'not compared'}${finding.noisy || ours?.noisy ? ' ~' : ''}`,
          ...(withAbsolute
            ? [absolute(finding), range(finding.interval), absolute(ours), range(ours?.interval)]
            : []),
        ],
        data: dataOf(source, finding),
      };
    }),
  );
  return {
    caption,
    columns: [
      { title: 'against' },
      { title: 'measured' },
      { title: 'takes', number: true },
      { title: RATIO_INTERVAL, number: true },
      { title: 'p', number: true },
      { title: 'slabring is' },
      ...(withAbsolute
        ? [
            { title: 'its median', number: true },
            { title: 'its interval', number: true },
            { title: 'slabring', number: true },
            { title: 'interval', number: true },
          ]
        : []),
    ],
    rows: together(rows),
  };
}

/**
 * The technique before, beside the one now.
 * @param {string} caption
 * @param {Side[]} sides
 * @param {(finding: Finding) => string} label of a line
 * @returns {Table}
 */
export const seedTable = (caption, sides, label) => ({
  caption,
  columns: [
    { title: 'what', kind: 'words' },
    { title: 'measured' },
    { title: 'before', number: true },
    { title: 'now', number: true },
    { title: `ratio (${RATIO_INTERVAL})`, number: true },
    { title: 'now is', kind: 'words' },
  ],
  rows: together(
    sides.flatMap(({ name, title, findings }) =>
      rivalsOf(findings).map((finding) => ({
        cells: [
          label(finding),
          title,
          absolute(finding),
          absolute(oursOf(findings, finding)),
          withInterval(finding.ratio),
          finding.verdict ?? 'not compared',
        ],
        data: dataOf(name, finding),
      })),
    ),
  ),
});

/**
 * The figures by themselves: of all, or of those that have no rival.
 * @param {string} caption
 * @param {Side[]} sides
 * @returns {Table}
 */
export const figureTable = (caption, sides) => ({
  caption,
  columns: [
    { title: 'what' },
    { title: 'measured' },
    { title: 'median', number: true },
    { title: 'interval', number: true },
  ],
  rows: sides.flatMap(({ name, title, findings }) =>
    findings.map((finding) => ({
      cells: [rivalOf(finding), title, absolute(finding), range(finding.interval)],
      data: dataOf(name, finding),
    })),
  ),
});

/** Samples that one cell tells: a file may hold a million. */
const TOLD = 200;

/**
 * @typedef {object} Distribution of one implementation in one process
 * @property {string} name
 * @property {string} metric
 * @property {number} process counted from 1
 * @property {number[]} samples
 */

/**
 * @param {Results} results
 * @param {string} id
 * @param {string | undefined} engine
 * @returns {Distribution[]}
 */
export function distributionsOf(results, id, engine) {
  const row = results.rows.find((one) => one.id === id && one.engine === engine);
  if (row === undefined) return [];
  return Object.entries(samplesOf(row)).flatMap(([metric, implementations]) =>
    Object.entries(implementations).flatMap(([name, processes]) =>
      processes.map((samples, i) => ({ name, metric, process: i + 1, samples })),
    ),
  );
}

/** Samples of one process that are drawn: more would be one line. */
const DRAWN = 400;

/** @param {number[]} samples evenly chosen, where there are too many */
export const thinned = (samples) => {
  if (samples.length <= DRAWN) return samples;
  return Array.from({ length: DRAWN }, (_, i) => samples[Math.floor((i * samples.length) / DRAWN)]);
};

/**
 * @param {string} caption
 * @param {Distribution[]} distributions
 * @returns {Table}
 */
export const distributionTable = (caption, distributions) => ({
  caption,
  columns: [
    { title: 'implementation' },
    { title: 'process', number: true },
    ...['least', 'quarter', 'median', 'three quarters', 'most'].map((title) => ({
      title,
      number: true,
    })),
    { title: 'samples, in the order taken', kind: 'samples' },
  ],
  rows: distributions.map(({ name, metric, process, samples }) => ({
    cells: [
      rivalOf(/** @type {Finding} */ ({ name, metric })),
      String(process),
      ...[0, 0.25, 0.5, 0.75, 1].map((part) => short(quantile(samples, part))),
      samples.slice(0, TOLD).map(short).join(' ') +
        (samples.length > TOLD ? ` … and ${samples.length - TOLD} more` : ''),
    ],
  })),
});

/**
 * @param {string} caption
 * @param {Comparison[]} comparisons
 * @param {(p: number | undefined) => string} stars
 * @returns {Table}
 */
export const comparisonTable = (caption, comparisons, stars) => ({
  caption,
  columns: [
    { title: 'what' },
    { title: 'confidence' },
    { title: 'improvement of the rate', number: true },
    { title: '± at 95 %', number: true },
    { title: '± at 99 %', number: true },
    { title: '± at 99.9 %', number: true },
  ],
  rows: comparisons.map(({ id, name, metric, improvement, p, accuracy = [] }) => ({
    cells: [
      comparedOf({ id, name, metric }),
      stars(p),
      `${improvement.toFixed(2)} %`,
      ...[0, 1, 2].map((i) => (accuracy[i] === undefined ? '' : `${accuracy[i].toFixed(2)} %`)),
    ],
    data: { id, name, metric, improvement: String(improvement) },
  })),
});

/** @param {Pick<Comparison, 'id' | 'name' | 'metric'>} comparison */
export const comparedOf = ({ id, name, metric }) =>
  [id, name === 'slabring' ? '' : `[${name}]`, metric === 'ns' ? '' : metric]
    .filter(Boolean)
    .join(' ');
