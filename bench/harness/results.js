/**
 * The results of a run as they are stored: every sample, and all that is needed to judge them or to
 * do it again. Version 1 of the format; another version is refused.
 */

import { OURS } from './case.js';

/** @import { Parameters } from './case.js' */
/** @import { Repetition } from './run-case.js' */

export const FORMAT = 'slabring-bench';
export const VERSION = 1;

/**
 * @typedef {object} Row one variant on one engine
 * @property {string} id
 * @property {string} case
 * @property {Parameters} parameters
 * @property {string} engine
 * @property {string[]} [flags] besides the engine's
 * @property {string} [error] why it has fewer repetitions than planned
 * @property {Repetition[]} repetitions each from a fresh process or worker
 *
 * @typedef {object} Context
 * @property {string} cpu the model
 * @property {number} cores
 * @property {string} system
 * @property {string} [commit] `-dirty` behind it when files were changed
 * @property {'release' | 'debug'} build of the WebAssembly module
 * @property {Record<string, string>} packages versions of the rivals
 * @property {boolean} [isolated] of a page: whether it was cross-origin isolated
 * @property {number} [clockStep] of a page, nanoseconds
 *
 * @typedef {object} Options
 * @property {boolean} quick
 * @property {number} processes
 * @property {number} samples
 * @property {number} milliseconds
 * @property {number} seed
 *
 * @typedef {object} Results
 * @property {typeof FORMAT} format
 * @property {typeof VERSION} version
 * @property {string} started
 * @property {boolean} complete false while the run goes on, and when it was ended early
 * @property {Options} options
 * @property {Context} context
 * @property {Record<string, { v8?: string, flags: string[] }>} engines
 * @property {Row[]} rows
 */

/**
 * @param {{ started: string, options: Options, context: Context }} about
 * @returns {Results}
 */
export const makeResults = (about) => ({
  format: FORMAT,
  version: VERSION,
  complete: false,
  ...about,
  engines: {},
  rows: [],
});

/**
 * The row of a variant on an engine, made when it is first asked for.
 * @param {Results} results
 * @param {Omit<Row, 'repetitions'>} about
 * @returns {Row}
 */
export function rowOf({ rows }, about) {
  const found = rows.find(({ id, engine }) => id === about.id && engine === about.engine);
  if (found) return found;
  const row = { ...about, repetitions: [] };
  rows.push(row);
  return row;
}

/**
 * For JSON.stringify: five digits are more than any sample is worth, and a third of the file.
 * @param {string} _key
 * @param {unknown} value
 */
export const rounded = (_key, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

/** @param {unknown} value */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const isSamples = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((sample) => Number.isFinite(sample));

/**
 * What is wrong with something that claims to be results: the path of the first offender and what
 * it should be.
 * @param {any} value
 * @returns {string | undefined}
 */
export function problemOf(value) {
  if (!isRecord(value) || value.format !== FORMAT) return `no results of ${FORMAT}`;
  if (value.version !== VERSION) return `version ${value.version}: this reads ${VERSION}`;
  /** @type {Record<string, (part: any) => boolean>} */
  const parts = {
    started: (part) => !Number.isNaN(Date.parse(part)),
    complete: (part) => typeof part === 'boolean',
    options: (part) =>
      isRecord(part) &&
      typeof part.quick === 'boolean' &&
      ['processes', 'samples', 'milliseconds', 'seed'].every((key) => part[key] > 0),
    context: (part) =>
      isRecord(part) &&
      ['cpu', 'system'].every((key) => typeof part[key] === 'string') &&
      part.cores > 0 &&
      ['release', 'debug'].includes(part.build) &&
      isRecord(part.packages),
    engines: isRecord,
    rows: Array.isArray,
  };
  for (const [key, isRight] of Object.entries(parts)) {
    if (!isRight(value[key])) return `${key} is not as it should be`;
  }
  for (const [i, row] of value.rows.entries()) {
    if (typeof row?.id !== 'string' || typeof row.case !== 'string' || !isRecord(row.parameters)) {
      return `rows[${i}] is not as it should be`;
    }
    if (!(row.engine in value.engines)) return `rows[${i}].engine is not among the engines`;
    for (const [j, repetition] of (row.repetitions ?? []).entries()) {
      const metrics = Object.values(repetition.metrics ?? {});
      const samples = metrics.flatMap((metric) => Object.values(metric));
      if (samples.length === 0 || !samples.every(isSamples)) {
        return `rows[${i}].repetitions[${j}].metrics is not as it should be`;
      }
    }
  }
  return undefined;
}

/**
 * @param {string} text
 * @returns {Results}
 * @throws when it is none, with the reason
 */
export function parseResults(text) {
  const value = JSON.parse(text);
  const problem = problemOf(value);
  if (problem !== undefined) throw new Error(problem);
  return value;
}

/**
 * The samples of one metric, by implementation and process.
 * @param {Row} row
 * @returns {Record<string, Record<string, number[][]>>}
 */
export function samplesOf({ repetitions }) {
  /** @type {Record<string, Record<string, number[][]>>} */
  const all = {};
  for (const { metrics } of repetitions) {
    for (const [metric, implementations] of Object.entries(metrics)) {
      all[metric] ??= {};
      // Ours first, whichever was measured first.
      if (OURS in implementations) all[metric] = { [OURS]: [], ...all[metric] };
      for (const [name, samples] of Object.entries(implementations)) {
        all[metric][name] ??= [];
        all[metric][name].push(samples);
      }
    }
  }
  return all;
}

/**
 * Whether the implementations of a row took turns in the same processes.
 * @param {Row} row
 */
export const isPaired = ({ repetitions }) =>
  repetitions.every(({ metrics }) =>
    Object.values(metrics).every((implementations) => Object.keys(implementations).length > 1),
  );
