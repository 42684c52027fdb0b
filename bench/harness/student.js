/**
 * Student's t: its distribution, and the two tests that are made of it. A library's would be a third
 * of all that a page with results weighs; the tests compare these with one.
 */

import { mean, sampleVariance } from 'simple-statistics';

/** @import { Interval } from './judging.js' */

/** Lanczos' approximation, g = 7, nine terms: 15 digits. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** Of the gamma function. @param {number} x at least 1/2 */
function logGamma(x) {
  const [first, ...rest] = LANCZOS;
  const sum = rest.reduce((sum, term, i) => sum + term / (x + i), first);
  const t = x + 6.5;
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Keeps a continued fraction from a division by zero. */
const TINY = 1e-300;
const TERMS = 1e5;

/**
 * The regularized incomplete beta function, by its continued fraction (Lentz's method); it converges
 * quickly where x is less than about a / (a + b).
 * @param {number} x
 * @param {number} a
 * @param {number} b
 */
function betaFraction(x, a, b) {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m < TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) * result) / a;
}

/** @param {number} value */
const nonZero = (value) => (Math.abs(value) < TINY ? TINY : value);

/**
 * How probable it is to be as far from 0 as t, on either side.
 * @param {number} t
 * @param {number} freedom degrees of
 */
export function farther(t, freedom) {
  const square = t * t;
  if (square === 0) return 1;
  if (square === Infinity) return 0;
  // Whichever of the two is the smaller x.
  const x = freedom / (freedom + square);
  if (square > 1) return betaFraction(x, freedom / 2, 1 / 2);
  return 1 - betaFraction(square / (freedom + square), 1 / 2, freedom / 2);
}

/**
 * How far from 0 so large a part of all is within.
 * @param {number} confidence less than 1
 * @param {number} freedom
 */
export function within(confidence, freedom) {
  const risk = 1 - confidence;
  let [low, high] = [0, 1];
  while (farther(high, freedom) > risk) [low, high] = [high, 2 * high];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (farther(middle, freedom) > risk) low = middle;
    else high = middle;
  }
}

/**
 * @typedef {object} Tested
 * @property {number} p of no difference, two-sided
 * @property {(confidence: number) => Interval} interval of the mean, or the difference of two
 */

/**
 * @param {number} value
 * @param {number} error its standard error
 * @param {number} freedom
 * @returns {Tested}
 */
const tested = (value, error, freedom) => ({
  p: farther(value / error, freedom),
  interval: (confidence) => {
    const reach = within(confidence, freedom) * error;
    return [value - reach, value + reach];
  },
});

/** Whether the mean is 0. @param {number[]} values two at least, not all equal */
export const meanTest = (values) =>
  tested(mean(values), Math.sqrt(sampleVariance(values) / values.length), values.length - 1);

/**
 * Welch's: whether the means differ, whatever the variances.
 * @param {number[]} a two at least
 * @param {number[]} b two at least; of one of them not all are equal
 */
export function welchTest(a, b) {
  const [x, y] = [a, b].map((values) => sampleVariance(values) / values.length);
  const freedom = (x + y) ** 2 / (x ** 2 / (a.length - 1) + y ** 2 / (b.length - 1));
  return tested(mean(a) - mean(b), Math.sqrt(x + y), freedom);
}
