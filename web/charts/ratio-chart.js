/** How many times as much rivals take as ours, with intervals, on a logarithmic scale. */

import { axisY, dot, draw, link, MARKS, ruleX, text } from './plot.js';
import { cut, ratioDomain, ratioTicks } from './ratio-scale.js';

/** @import { Name } from './plot.js' */

/**
 * @typedef {object} Point
 * @property {string} label of its line
 * @property {Name} source
 * @property {number} value
 * @property {[low: number, high: number] | undefined} interval
 * @property {string} title
 */

/** Narrower ones have the labels above the lines. */
const WIDE = 560;
const GAP = 9;
/** Lines: a file may hold any number, and the table has them. */
const MOST = 150;

/**
 * @param {object} chart
 * @param {Point[]} chart.points
 * @param {string} chart.label what it is, for those who cannot see it
 * @param {number} width
 */
export function ratioChart({ points: all, label }, width) {
  const labels = [...new Set(all.map((point) => point.label))].slice(0, MOST);
  const isDrawn = new Set(labels);
  const points = all.filter((point) => isDrawn.has(point.label));
  const sources = [...new Set(points.map(({ source }) => source))];
  const wide = width >= WIDE;
  const domain = ratioDomain(points);
  const most = wide ? Math.floor(width * 0.055) : Math.floor(width / 6.6);
  const longest = labels.reduce((length, one) => Math.max(length, one.length), 0);
  const marginLeft = wide ? 14 + 6.3 * Math.min(longest, most) : 10;
  const line = (wide ? 14 : 30) + GAP * sources.length;
  const shift = (/** @type {Name} */ source) =>
    (sources.indexOf(source) - (sources.length - 1) / 2) * GAP + (wide ? 0 : 8);
  const ticks = ratioTicks(...domain, Math.floor((width - marginLeft - 16) / 45));
  return draw({
    label,
    width,
    height: labels.length * line + 46,
    marginLeft,
    marginRight: 16,
    marginTop: 24,
    marginBottom: 22,
    x: { type: 'log', domain, axis: null },
    y: { type: 'band', domain: labels, padding: 0, axis: null },
    marks: [
      // No axis: one of logarithms leaves out labels as it thinks fit.
      text(ticks, {
        x: (/** @type {number} */ value) => value,
        text: (/** @type {number} */ value) => `${value}×`,
        frameAnchor: 'top',
        dy: -14,
        fontSize: 11,
      }),
      ruleX(ticks, { stroke: 'var(--line)' }),
      ruleX([1], { stroke: 'var(--text)', strokeWidth: 1.5 }),
      wide
        ? axisY({
            tickSize: 0,
            tickFormat: (/** @type {string} */ name) => cut(name, most),
            fontSize: 12,
            label: null,
          })
        : text(labels, {
            x: () => domain[0],
            y: (/** @type {string} */ name) => name,
            text: (/** @type {string} */ name) => cut(name, most),
            textAnchor: 'start',
            fontSize: 12,
            // Lines end where a label is.
            stroke: 'var(--background)',
            strokeWidth: 4,
            fill: 'var(--text)',
            dy: -line / 2 + 10,
          }),
      text(['slabring is quicker or less →'], {
        frameAnchor: 'bottom-right',
        dy: 18,
        fontSize: 11,
        fill: 'var(--muted)',
      }),
      ...sources.flatMap((source) => {
        const own = points.filter((point) => point.source === source);
        const { symbol, fill, stroke } = MARKS[source];
        const dy = shift(source);
        return [
          link(
            own.filter(({ interval }) => interval !== undefined),
            {
              x1: ({ interval }) => Math.max(domain[0], interval[0]),
              x2: ({ interval }) => Math.min(domain[1], interval[1]),
              y: 'label',
              stroke,
              strokeWidth: 1.5,
              dy,
            },
          ),
          dot(own, {
            x: 'value',
            y: 'label',
            symbol,
            fill,
            stroke,
            r: 4,
            strokeWidth: 1.5,
            title: 'title',
            dy,
          }),
        ];
      }),
    ],
  });
}
