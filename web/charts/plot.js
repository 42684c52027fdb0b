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
