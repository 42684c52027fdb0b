/** One repetition of one variant, in the process or worker it is called in: a fresh one. */

import { figuresOf } from './case.js';
import { measure, RUNS_BESIDE } from './measure.js';

/** @import { Case, Parameters } from './case.js' */
/** @import { Measured } from './measure.js' */

/**
 * @typedef {object} RunOptions
 * @property {Parameters} parameters
 * @property {string} [part] the implementation to take figures of
 * @property {boolean} quick
 * @property {number} samples
 * @property {number} milliseconds
 * @property {number} seed
 * @property {() => number} [now]
 * @property {() => void} [gc]
 */

/**
 * What one process or worker gives.
 * @typedef {object} Repetition
 * @property {number} seed
 * @property {Record<string, Record<string, number[]>>} metrics samples, by metric and implementation
 * @property {Record<string, number>} [n] how often the work was done a sample
 * @property {number} [step] of the clock, nanoseconds
 * @property {number} [took] milliseconds, the start of the process included
 * @property {boolean} [gc] whether garbage was collected before each sample
 * @property {boolean} [hidden] the page was, at some moment of it
 * @property {boolean} [throttled] timers came late or the processor was slowed down around it
 * @property {string} [browser] and its version, where it was not measured by the row's engine
 */

/** The metric of work that is done again and again. */
export const NANOSECONDS = 'ns';

/**
 * @param {Case} benchmark
 * @param {RunOptions} options
 * @returns {Promise<Repetition>}
 */
export async function runCase(benchmark, options) {
  const { parameters, part = '', quick, samples, seed, now, gc } = options;
  const setupOptions = { quick, runs: samples + RUNS_BESIDE };
  if (benchmark.figures) {
    gc?.();
    const figures = await figuresOf(benchmark)[part](parameters, setupOptions);
    /** @type {Repetition['metrics']} */
    const metrics = {};
    for (const [metric, value] of Object.entries(figures)) metrics[metric] = { [part]: [value] };
    return { seed, metrics };
  }
  const counts = {
    samples,
    seed,
    milliseconds: options.milliseconds * (benchmark.longer?.(parameters) ?? 1),
    n: benchmark.n?.(parameters, setupOptions),
    batch: benchmark.batch?.(parameters),
  };
  if (benchmark.elsewhere) return repetitionOf(seed, await benchmark.elsewhere(parameters, counts));
  if (!benchmark.setup) throw new Error(`${benchmark.name}: no setup and no figures`);
  const implementations = await benchmark.setup(parameters, setupOptions);
  const { verify } = benchmark;
  const measured = await measure(implementations, {
    ...counts,
    now,
    gc,
    verify: verify && ((result, n, name) => verify(result, { n, name, ...parameters })),
  });
  return repetitionOf(seed, measured);
}

/**
 * @param {number} seed
 * @param {Measured} measured
 * @returns {Repetition}
 */
const repetitionOf = (seed, { samples, ...rest }) => ({
  seed,
  metrics: { [NANOSECONDS]: samples },
  ...rest,
});
