/** How many times as much a group of rivals takes, over all that was compared. */

import { caseOf, groupOf, isTime, kindOf } from './groups.js';

/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Kind } from './groups.js' */

/**
 * @typedef {object} Mean
 * @property {string} group key
 * @property {Kind} kind of the rivals
 * @property {number} value the geometric mean of ratios
 * @property {number} least the smallest of them
 * @property {number} most
 * @property {number} count of ratios
 */

/** A comparison, whichever run it is of. @param {Finding} finding */
export const pairOf = ({ id, metric, name }) => JSON.stringify([id, metric, name]);

/** @param {Finding} finding */
const isMeant = ({ ratio, metric, name }) =>
  ratio !== undefined && isTime(metric) && kindOf(name) !== 'control';

/** @param {Finding[]} findings */
export const pairsOf = (findings) => new Set(findings.filter(isMeant).map(pairOf));

/**
 * Times only: a ratio of bytes would say something else.
 * @param {Finding[]} findings of one engine
 * @param {(pair: string) => boolean} [includes] which pairs to take, all by default
 * @returns {Mean[]}
 */
export function geometricMeans(findings, includes = () => true) {
  /** @type {Map<string, { group: string, kind: Kind, ratios: number[] }>} */
  const parts = new Map();
  for (const finding of findings) {
    if (!isMeant(finding) || !includes(pairOf(finding))) continue;
    const { key: group } = groupOf(caseOf(finding.id));
    const kind = kindOf(finding.name);
    const key = `${group} ${kind}`;
    const part = parts.get(key) ?? { group, kind, ratios: [] };
    part.ratios.push(/** @type {{ value: number }} */ (finding.ratio).value);
    parts.set(key, part);
  }
  return [...parts.values()].map(({ group, kind, ratios }) => ({
    group,
    kind,
    value: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length),
    least: ratios.reduce((a, b) => Math.min(a, b)),
    most: ratios.reduce((a, b) => Math.max(a, b)),
    count: ratios.length,
  }));
}
