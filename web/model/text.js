/** Figures in words. */

import { OURS } from '../../bench/harness/case.js';
import { short } from '../../bench/harness/report.js';

/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Interval } from '../../bench/harness/judging.js' */
/** @import { Results } from '../../bench/harness/results.js' */

export { short };

/** @param {number | undefined} value */
export const times = (value) => (value === undefined ? '' : `${short(value)}×`);

/** @param {Interval | undefined} interval @param {string} [unit] */
export const range = (interval, unit = '') =>
  interval ? `${short(interval[0])} to ${short(interval[1])}${unit}` : '';

/** @param {Finding['ratio']} ratio */
export const withInterval = (ratio) =>
  `${times(ratio?.value)}${ratio?.interval ? ` (${range(ratio.interval)})` : ''}`;

/** @param {Finding | undefined} finding */
export const absolute = (finding) =>
  finding ? `${finding.noisy ? '~' : ''}${short(finding.median)} ${finding.metric}` : '';

/** @param {number | undefined} p */
export const chance = (p) => {
  if (p === undefined) return '';
  return p < 0.0001 ? '< 0.0001' : p.toFixed(4);
};

/**
 * A rival's name, with its metric where that is not the usual.
 * @param {Finding} finding
 */
export const rivalOf = ({ name, metric }) => (metric === 'ns' ? name : `${name}, ${metric}`);

/** Those that ours is compared with. @param {Finding[]} findings */
export const rivalsOf = (findings) => findings.filter(({ name }) => name !== OURS);

/** What one is compared with. @param {Finding[]} findings @param {Finding} rival */
export const oursOf = (findings, { id, metric }) =>
  findings.find(
    (finding) => finding.name === OURS && finding.id === id && finding.metric === metric,
  );

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Where and when results were measured, in one line. @param {Omit<Results, 'rows'>} about */
export function originOf({ engines, context, started }, engine = Object.keys(engines)[0]) {
  const machine = context.cpu === 'unknown' ? context.system : `${context.cpu}, ${context.system}`;
  return `${engine ?? 'no engine'} on ${machine}, ${context.cores} cores, ${started.slice(0, 10)}`;
}
