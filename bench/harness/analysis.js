/** What the results say, in numbers and in words: the same for the terminal and for a page. */

import { OURS } from './case.js';
import { isPaired, samplesOf } from './results.js';
import {
  excludesOne,
  holm,
  isNoisy,
  median,
  medianInterval,
  observations,
  rankSumP,
  ratioOf,
  welchP,
} from './statistics.js';

/** @import { Parameters } from './case.js' */
/** @import { Results } from './results.js' */
/** @import { Interval, Ratio } from './statistics.js' */

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

/** The case that compares ours with ours: who finds a difference there has measured the machine. */
export const CONTROL = 'control';

/** @param {number} value */
const times = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

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
 * @param {Results} results
 * @returns {Finding[]}
 */
export function analyse({ rows, options: { seed } }) {
  /** @type {Finding[]} */
  const findings = [];
  for (const row of rows) {
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
  }
  const compared = findings.filter(({ p }) => p !== undefined);
  const corrected = holm(compared.map(({ p }) => /** @type {number} */ (p)));
  compared.forEach((finding, i) => {
    finding.p = corrected[i];
  });
  return findings;
}

/**
 * What a reader must know before believing a run.
 * @param {Results} results
 * @param {Finding[]} findings
 * @returns {string[]}
 */
export function warningsOf({ complete, context, rows, options }, findings) {
  const warnings = [];
  if (!complete) warnings.push('The run was ended early: fewer processes than planned.');
  if (context.build === 'debug') warnings.push('A debug build: all its assertions were measured.');
  if (options.quick) {
    warnings.push('A quick run: a part of the cases, few samples, and shorter work.');
  }
  const differing = findings.filter(
    ({ id, ratio }) => id.startsWith(CONTROL) && excludesOne(ratio?.interval),
  );
  for (const { id, verdict } of differing) {
    warnings.push(`The same code measured twice differs (${id}: ${verdict}): not a quiet machine.`);
  }
  const noisy = findings.filter((finding) => finding.noisy).length;
  if (noisy > 0) {
    warnings.push(
      `${noisy} of ${findings.length} results are noisy (~): processes differ by more than 5 %.`,
    );
  }
  if (rows.some(({ repetitions }) => repetitions.some(({ gc }) => gc === false))) {
    warnings.push('Garbage was not collected between samples: this engine cannot be asked to.');
  }
  return warnings;
}
