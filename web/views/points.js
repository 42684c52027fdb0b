/** Findings as the lines of a ratio chart. */

import { range, rivalOf, rivalsOf, short } from '../model/text.js';
import { TITLES } from '../state/reports.js';

/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Point } from '../charts/ratio-chart.js' */
/** @import { Name } from '../state/reports.js' */

/**
 * @param {Name} source
 * @param {Finding[]} findings
 * @param {(finding: Finding) => string} [labelOf]
 * @returns {Point[]}
 */
export const pointsOf = (source, findings, labelOf = rivalOf) =>
  rivalsOf(findings).flatMap((finding) => {
    const { ratio, noisy, verdict } = finding;
    if (ratio === undefined) return [];
    const label = labelOf(finding);
    const interval = ratio.interval ? ` (${range(ratio.interval)})` : '';
    return {
      label,
      source,
      value: ratio.value,
      interval: ratio.interval,
      title: `${label}, ${TITLES[source]}: ${short(ratio.value)} times as much${interval}; slabring is ${verdict}${noisy ? ', noisy' : ''}`,
    };
  });

/** Lines in the order of the first report, those of the others behind. @param {Point[]} points */
export const inOrder = (points) => {
  const labels = [...new Set(points.map(({ label }) => label))];
  return points.toSorted((a, b) => labels.indexOf(a.label) - labels.indexOf(b.label));
};

export const loadRatioChart = () =>
  import('../charts/ratio-chart.js').then(({ ratioChart }) => ratioChart);
