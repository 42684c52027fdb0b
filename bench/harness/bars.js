/** The bars that were set, and whether results meet them. They inform: nothing fails by them. */

import { OURS } from './case.js';
import { NANOSECONDS } from './run-case.js';

/** @import { Finding } from './analysis.js' */
/** @import { Interval } from './judging.js' */

/**
 * @typedef {object} Bar
 * @property {string} id the row that it is about
 * @property {string} [metric] nanoseconds where nothing is said
 * @property {string} [of] the rival whose ratio to ours it is about; else it is about ours
 * @property {number} [least] ratio
 * @property {number} [aim] ratio that would be better still
 * @property {number} [most] of the metric
 *
 * @typedef {'met' | 'met, narrowly' | 'NOT MET, narrowly' | 'NOT MET' | 'not measured'} BarState
 *
 * @typedef {object} BarResult
 * @property {Bar} bar
 * @property {number} [value]
 * @property {Interval} [interval]
 * @property {BarState} state narrowly: the interval reaches to both sides of the bar
 */

/**
 * @param {Bar} bar
 * @param {number} value
 * @param {Interval | undefined} interval
 * @returns {BarState}
 */
function stateOf({ least = -Infinity, most = Infinity }, value, interval) {
  const meets = (/** @type {number} */ figure) => figure >= least && figure <= most;
  const isSure = interval === undefined || meets(interval[0]) === meets(interval[1]);
  if (meets(value)) return isSure ? 'met' : 'met, narrowly';
  return isSure ? 'NOT MET' : 'NOT MET, narrowly';
}

/**
 * @param {Bar[]} bars
 * @param {Finding[]} findings of one engine
 * @returns {BarResult[]}
 */
export const judge = (bars, findings) =>
  bars.map((bar) => {
    const { id, metric = NANOSECONDS, of = OURS } = bar;
    const finding = findings.find(
      (candidate) => candidate.id === id && candidate.metric === metric && candidate.name === of,
    );
    const figure =
      of === OURS
        ? finding && { value: finding.median, interval: finding.interval }
        : finding?.ratio;
    if (figure === undefined) return { bar, state: 'not measured' };
    return { bar, ...figure, state: stateOf(bar, figure.value, figure.interval) };
  });
