/** Plot, and what all charts of this page have in common. Loaded after the page has been seen. */

import { plot } from '@observablehq/plot';

/** @import { PlotOptions } from '@observablehq/plot' */

export { axisX, axisY, dot, link, ruleX, text, tickX } from '@observablehq/plot';

/** @typedef {import('../state/reports.js').Name} Name */

/**
 * How each report is drawn: told apart by its shape alone.
 * @type {Record<Name, { symbol: 'circle' | 'diamond' | 'triangle', fill: string, stroke: string }>}
 */
export const MARKS = {
  reference: { symbol: 'circle', fill: 'var(--background)', stroke: 'var(--text)' },
  run: { symbol: 'diamond', fill: 'var(--accent)', stroke: 'var(--accent)' },
  loaded: { symbol: 'triangle', fill: 'var(--muted)', stroke: 'var(--muted)' },
};

/**
 * A drawing that no policy refuses: Plot writes a style element into it, which charts.css replaces.
 * Out of a document it has no effect, and none is reported.
 * @param {PlotOptions & { label: string }} options
 */
export function draw({ label, ...options }) {
  const drawing = plot({ className: 'chart', ...options });
  drawing.querySelector('style')?.remove();
  // To who cannot see it, it is one picture.
  for (const part of drawing.querySelectorAll('[aria-label], [aria-description]')) {
    part.removeAttribute('aria-label');
    part.removeAttribute('aria-description');
  }
  drawing.setAttribute('role', 'img');
  drawing.setAttribute('aria-label', label);
  return drawing;
}

/** Ratios that are worth a line, as many as fit. */
const STEPS = [1, 2, 5];

/**
 * @param {number} low
 * @param {number} high
 * @param {number} most how many
 */
export function ratioTicks(low, high, most) {
  const from = Math.floor(Math.log10(low));
  const to = Math.ceil(Math.log10(high));
  const all = [];
  for (let power = from; power <= to; power++) {
    for (const step of STEPS) all.push(Number(`${step}e${power}`));
  }
  const fitting = (/** @type {number[]} */ ticks) =>
    ticks.filter((tick) => tick >= low && tick <= high);
  if (fitting(all).length <= most) return fitting(all);
  const tens = fitting(all.filter((_, i) => i % STEPS.length === 0));
  const every = Math.ceil(tens.length / most);
  // 1 is always among them.
  const one = tens.indexOf(1);
  return tens.filter((_, i) => (i - one) % every === 0);
}

/**
 * The values, 1, and some room.
 * @param {number[]} values
 * @returns {[low: number, high: number]}
 */
export function ratioDomain(values) {
  const right = values.filter((value) => value > 0 && Number.isFinite(value));
  const low = right.reduce((a, b) => Math.min(a, b), 1);
  const high = right.reduce((a, b) => Math.max(a, b), 1);
  return [Math.min(0.8, low / 1.15), Math.max(1.25, high * 1.15)];
}
