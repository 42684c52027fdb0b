import fc from 'fast-check';

/** PROPERTY_RUNS=20 looks twenty times as long, 0.2 a fifth. */
export const FACTOR = Number(process.env.PROPERTY_RUNS) || 1;

/** How often a property is tried: fast-check would try it forever for 1.5 times. */
export const times = (/** @type {number} */ count) => Math.ceil(count * FACTOR);

/**
 * Of a property that makes a heap in each run: heaps that were left are collected between turns
 * only, and shrinking makes hundreds.
 */
export const withHeaps = (/** @type {number} */ count) => ({
  numRuns: times(count),
  plugins: [fc.beforeEach(() => new Promise((resolve) => setTimeout(resolve)))],
});
