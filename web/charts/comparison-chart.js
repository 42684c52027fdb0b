/** How the rates of one run differ from those of another, in per cent, with intervals. */

import { comparedOf } from '../model/tables.js';
import { axisX, axisY, dot, draw, link, ruleX, text } from './plot.js';
import { cut } from './ratio-scale.js';

/** @import { Comparison } from '../../bench/harness/compare.js' */

const LINE = 20;

/**
 * @param {object} chart
 * @param {Comparison[]} chart.comparisons
 * @param {string} chart.label
 * @param {number} width
 */
export function comparisonChart({ comparisons, label }, width) {
  const rows = comparisons.map(({ improvement, accuracy, ...compared }) => ({
    what: comparedOf(compared),
    improvement,
    low: improvement - (accuracy?.[0] ?? 0),
    high: improvement + (accuracy?.[0] ?? 0),
  }));
  const wide = width >= 560;
  const most = wide ? Math.floor(width * 0.06) : Math.floor(width / 6.6);
  const longest = rows.reduce((length, { what }) => Math.max(length, what.length), 0);
  const marginLeft = wide ? 14 + 6.3 * Math.min(longest, most) : 10;
  const line = wide ? LINE : 2 * LINE - 4;
  const ends = rows.flatMap(({ low, high }) => [low, high]);
  const least = ends.reduce((a, b) => Math.min(a, b), -5);
  const top = ends.reduce((a, b) => Math.max(a, b), 5);
  return draw({
    label,
    width,
    height: rows.length * line + 46,
    marginLeft,
    marginRight: 16,
    marginTop: 24,
    marginBottom: 22,
    x: { domain: [least * 1.05, top * 1.05] },
    y: { type: 'band', domain: rows.map(({ what }) => what), padding: 0, axis: null },
    marks: [
      axisX({
        anchor: 'top',
        ticks: Math.max(3, Math.floor((width - marginLeft) / 90)),
        tickFormat: (/** @type {number} */ value) => `${value} %`,
        tickSize: 0,
        fontSize: 11,
        label: null,
      }),
      ruleX([0], { stroke: 'var(--text)', strokeWidth: 1.5 }),
      wide
        ? axisY({
            tickSize: 0,
            tickFormat: (/** @type {string} */ what) => cut(what, most),
            fontSize: 12,
            label: null,
          })
        : text(rows, {
            x: () => least * 1.05,
            y: 'what',
            text: ({ what }) => cut(what, most),
            textAnchor: 'start',
            fontSize: 12,
            stroke: 'var(--background)',
            strokeWidth: 4,
            fill: 'var(--text)',
            dy: -10,
          }),
      text(['quicker →'], {
        frameAnchor: 'bottom-right',
        dy: 18,
        fontSize: 11,
        fill: 'var(--muted)',
      }),
      link(rows, { x1: 'low', x2: 'high', y: 'what', stroke: 'var(--accent)', dy: wide ? 0 : 7 }),
      dot(rows, {
        x: 'improvement',
        y: 'what',
        fill: 'var(--accent)',
        r: 3.5,
        dy: wide ? 0 : 7,
        title: ({ what, improvement }) => `${what}: ${improvement.toFixed(2)} %`,
      }),
    ],
  });
}
