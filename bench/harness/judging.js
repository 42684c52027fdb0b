/** What is made of intervals and probabilities: needs no library, so a page has it at once. */

/** @import { Finding } from './analysis.js' */

/** @typedef {[low: number, high: number]} Interval */

/**
 * Of the intervals of ratios. More than the usual 95 %, since a full run compares 324 pairs: of a
 * hundred equal ones, one would be called different, not five.
 */
export const CONFIDENCE = 0.99;

/** In words, for what stands above figures. */
export const RATIO_INTERVAL = `${100 * CONFIDENCE} % interval`;

/**
 * Holm's correction: what each p is worth when it is one of many.
 * @param {number[]} ps
 */
export function holm(ps) {
  const order = ps.map((_, i) => i).sort((i, j) => ps[i] - ps[j]);
  /** @type {number[]} */
  const corrected = [];
  let most = 0;
  order.forEach((i, rank) => {
    most = Math.max(most, Math.min(1, (ps.length - rank) * ps[i]));
    corrected[i] = most;
  });
  return corrected;
}

/**
 * Findings with what their p are worth among all of a run.
 * @param {Finding[]} findings of its rows, each by itself
 * @returns {Finding[]}
 */
export function corrected(findings) {
  const ps = findings.flatMap(({ p }) => p ?? []);
  const among = holm(ps).values();
  return findings.map((finding) =>
    finding.p === undefined ? finding : { ...finding, p: among.next().value },
  );
}

/** Whether an interval of a ratio shows a difference: it does not hold 1. */
export const excludesOne = (/** @type {Interval | undefined} */ interval) =>
  interval !== undefined && (interval[0] > 1 || interval[1] < 1);
