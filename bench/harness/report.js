/** Results as tables that a person can read. */

import { OURS } from './case.js';
import { RATIO_INTERVAL } from './judging.js';

/** @import { BarResult } from './bars.js' */
/** @import { Finding } from './analysis.js' */
/** @import { Interval } from './judging.js' */

// Made once: with each figure it takes as long as the rest of a table.
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** @param {number} value */
export const short = (value) =>
  value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)
    ? value.toExponential(2)
    : threeDigits.format(value);

/** @param {Interval | undefined} interval @param {string} [unit] */
const range = (interval, unit = '') =>
  interval ? `${short(interval[0])} to ${short(interval[1])}${unit}` : '';

/**
 * Columns as wide as their widest cell, numbers to the right.
 * @param {string[][]} rows
 * @param {('left' | 'right')[]} sides
 */
export function alignColumns(rows, sides) {
  const widths = sides.map((_, i) => Math.max(0, ...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    sides
      .map((side, i) => {
        const cell = row[i] ?? '';
        return side === 'left' ? cell.padEnd(widths[i]) : cell.padStart(widths[i]);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** @param {number | undefined} p */
const shownP = (p) => {
  if (p === undefined) return '';
  return p < 0.0001 ? 'p < 0.0001' : `p = ${p.toFixed(4)}`;
};

/**
 * @param {Finding[]} findings
 * @param {Record<string, string>} [published] the figures published elsewhere, by id
 */
export function reportOf(findings, published = {}) {
  /** @type {string[]} */
  const lines = [];
  /** @type {Map<string, Finding[]>} */
  const groups = new Map();
  const engines = new Set(findings.map(({ engine }) => engine));
  for (const finding of findings) {
    const title = engines.size > 1 ? `${finding.id}  [${finding.engine}]` : finding.id;
    groups.set(title, [...(groups.get(title) ?? []), finding]);
  }
  for (const [title, group] of groups) {
    lines.push('', title);
    const rows = group.map(({ name, metric, median, interval, noisy, ratio, p, verdict = '' }) => [
      `  ${name}`,
      `${noisy ? '~' : ''}${short(median)} ${metric}`,
      `(${range(interval)})`,
      ratio ? `${short(ratio.value)}x` : '',
      ratio?.interval ? `(${range(ratio.interval)})` : '',
      shownP(p),
      verdict,
    ]);
    lines.push(...alignColumns(rows, ['left', 'right', 'left', 'right', 'left', 'left', 'left']));
    const note = published[group[0].id];
    if (note) lines.push(`  published: ${note}`);
  }
  return lines.slice(1).join('\n');
}

/** Above a table: what its columns are. */
export const LEGEND = `The median over processes and its interval; how many times as much a rival takes as ${OURS}, with its
${RATIO_INTERVAL}; Welch's p after Holm's correction; what ${OURS} is, compared with that rival.`;

/**
 * @param {BarResult[]} results
 */
export function reportBars(results) {
  const rows = results.map(({ bar, value, interval, state }) => [
    state,
    bar.id,
    bar.of === undefined ? (bar.metric ?? '') : `of ${bar.of}`,
    bar.least === undefined ? `at most ${bar.most}` : `at least ${bar.least}x`,
    bar.aim === undefined ? '' : `aim ${bar.aim}x`,
    value === undefined ? '' : `${short(value)}${bar.least === undefined ? ` ${bar.metric}` : 'x'}`,
    interval ? `(${range(interval)})` : '',
  ]);
  return alignColumns(rows, ['left', 'left', 'left', 'left', 'left', 'right', 'left']).join('\n');
}
