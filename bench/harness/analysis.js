/** What the results say, in numbers and in words: the same for the terminal and for a page. */

import { OURS } from './case.js';
import { corrected } from './judging.js';
import { isPaired, samplesOf } from './results.js';
import {
  excludesOne,
  isNoisy,
  median,
  medianInterval,
  observations,
  rankSumP,
  ratioOf,
  welchP,
} from './statistics.js';

/** @import { Parameters } from './case.js' */
/** @import { Results, Row } from './results.js' */
/** @import { Interval } from './judging.js' */
/** @import { Ratio } from './statistics.js' */

/**
 * @typedef {object} Finding one implementation in one metric of one row
 * @property {string} id
 * @property {Parameters} parameters
 * @property {string} engine
 * @property {string} metric
 * @property {string} name
 * @property {number} median over the processes
 * @property {Interval} interval of the median
 * @property {boolean} noisy whether processes differ by much
 * @property {Ratio} [ratio] to ours, of all but ours
 * @property {number} [p] Welch's, corrected for all comparisons of the run
 * @property {string} [verdict]
 */

/** From here on ranks alone show no difference: five of each overlap by more than a pair. */
const OVERLAP = 0.05;

const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** @param {number} value */
const times = (value) => threeDigits.format(value);

const isTime = (/** @type {string} */ metric) => /^(ns|ms)$/.test(metric);

/**
 * What ours is, compared with theirs. Of all metrics less is better.
 * @param {Ratio | undefined} ratio
 * @param {string} metric
 */
export function verdictOf(ratio, metric) {
  if (ratio?.interval === undefined) return 'not compared';
  if (!excludesOne(ratio.interval)) return 'no difference shown';
  const { value } = ratio;
  const [better, worse] = isTime(metric) ? ['as fast', 'as slow'] : ['less', 'more'];
  return value > 1 ? `${times(value)} times ${better}` : `${times(1 / value)} times ${worse}`;
}

/**
 * What one row says by itself: its p are not corrected yet.
 * @param {Row} row
 * @param {number} seed of the bootstraps
 * @returns {Finding[]}
 */
export function findingsOf(row, seed) {
  /** @type {Finding[]} */
  const findings = [];
  const paired = isPaired(row);
  for (const [metric, implementations] of Object.entries(samplesOf(row))) {
    const ours = implementations[OURS] && observations(implementations[OURS]);
    for (const [name, processes] of Object.entries(implementations)) {
      const values = observations(processes);
      /** @type {Finding} */
      const finding = {
        id: row.id,
        parameters: row.parameters,
        engine: row.engine,
        metric,
        name,
        median: median(values),
        interval: medianInterval(processes, { seed }),
        noisy: isNoisy(values),
      };
      if (ours && name !== OURS) {
        finding.ratio = ratioOf(ours, values, { paired });
        finding.p = welchP(ours, values);
        finding.verdict = verdictOf(finding.ratio, metric);
        if (excludesOne(finding.ratio?.interval) && rankSumP(ours, values) >= OVERLAP) {
          finding.verdict += ', processes overlap';
        }
      }
      findings.push(finding);
    }
  }
  return findings;
}

/**
 * @param {Results} results
 * @returns {Finding[]}
 */
export const analyse = ({ rows, options: { seed } }) =>
  corrected(rows.flatMap((row) => findingsOf(row, seed)));
