/** Every sample, each process on a line of its own, its median marked. */

import { median } from 'simple-statistics';
import { thinned } from '../model/tables.js';
import { short } from '../model/text.js';
import { axisX, draw, ruleX, text, tickX } from './plot.js';
import { cut } from './ratio-scale.js';

/** @import { Distribution } from '../model/tables.js' */

const LINE = 9;
/** Processes, and implementations, that are drawn: the table has more. */
const MOST = 40;

/**
 * @param {object} chart
 * @param {Distribution[]} chart.distributions of one metric
 * @param {string} chart.label
 * @param {number} width
 */
export function distributionChart({ distributions, label }, width) {
  const [{ metric }] = distributions;
  const names = [...new Set(distributions.map(({ name }) => name))].slice(0, MOST);
  const drawn = distributions.filter(
    ({ name, process }) => process <= MOST && names.includes(name),
  );
  const processes = drawn.reduce((most, { process }) => Math.max(most, process), 1);
  const samples = drawn.flatMap(({ name, process, samples: all }) =>
    thinned(all).map((value) => ({ name, process, value })),
  );
  const values = samples.map(({ value }) => value);
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  // Samples of no time at all, or less, have no logarithm.
  const isLog = least > 0 && most / least > 20;
  const wide = width >= 560;
  const marginLeft = wide ? 150 : 10;
  const height = processes * LINE + (wide ? 10 : 26);
  return draw({
    label,
    width,
    height: names.length * height + (wide ? 48 : 64),
    marginLeft,
    marginRight: 16,
    marginTop: 24,
    marginBottom: wide ? 20 : 36,
    x: {
      type: isLog ? 'log' : 'linear',
      domain: isLog ? [least, most] : [Math.min(0, least), most],
    },
    y: { type: 'band', domain: Array.from({ length: processes }, (_, i) => i + 1), axis: null },
    fy: { domain: names, padding: 0.15, axis: null },
    marks: [
      axisX({
        // Above is where narrow ones have names.
        anchor: wide ? 'top' : 'bottom',
        facetAnchor: wide ? 'top' : 'bottom',
        ticks: Math.max(3, Math.floor((width - marginLeft) / 90)),
        tickFormat: (/** @type {number} */ value) => short(value),
        tickSize: 0,
        fontSize: 11,
        label: null,
      }),
      text(names, {
        fy: (/** @type {string} */ name) => name,
        text: (/** @type {string} */ name) => cut(name, wide ? 24 : 48),
        frameAnchor: wide ? 'left' : 'top-left',
        textAnchor: wide ? 'end' : 'start',
        dx: wide ? -10 : 0,
        dy: wide ? 0 : -12,
        fontSize: 12,
      }),
      tickX(samples, {
        fy: 'name',
        y: 'process',
        x: 'value',
        stroke: 'var(--text)',
        strokeOpacity: 0.35,
      }),
      tickX(drawn, {
        fy: 'name',
        y: 'process',
        x: ({ samples: all }) => median(all),
        stroke: 'var(--accent)',
        strokeWidth: 2.5,
      }),
      ruleX(isLog || least < 0 ? [] : [0], { stroke: 'var(--line)' }),
      text([metric], {
        frameAnchor: 'bottom-right',
        facetAnchor: 'bottom',
        dy: wide ? 16 : 30,
        fontSize: 11,
        fill: 'var(--muted)',
      }),
    ],
  });
}
