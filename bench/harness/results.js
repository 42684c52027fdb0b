/**
 * The results of a run as they are stored: every sample, and all that is needed to judge them or to
 * do it again. Version 1 of the format; another version is refused.
 */

import { OURS } from './case.js';
import {
  date,
  list,
  named,
  number,
  object,
  oneOf,
  printable,
  text,
  truth,
  WrongPart,
} from './checks.js';

/** @import { Parameters } from './case.js' */
/** @import { Check } from './checks.js' */
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

/** Bytes: ten times what all cases on ten engines take. */
export const LARGEST_FILE = 2 ** 26;

/** In all rows. */
const MOST_SAMPLES = 1e6;

const words = text(500);
const several = { most: 100 };
const count = number({ least: 1, most: 1e9, whole: true });
const length = number({ least: 0 });

const metrics = named(
  named(list(number(), { least: 1, most: MOST_SAMPLES }), { least: 1, ...several }),
  {
    least: 1,
    ...several,
  },
);

const repetition = object(
  { seed: number(), metrics },
  {
    n: named(length, several),
    step: length,
    took: length,
    gc: truth,
    hidden: truth,
    throttled: truth,
    browser: words,
  },
);

/** @type {Check<string | number>} */
const parameter = (value, path) =>
  typeof value === 'string' ? words(value, path) : number()(value, path);

const row = object(
  {
    id: words,
    case: words,
    parameters: named(parameter, several),
    engine: words,
    repetitions: list(repetition, { most: 1000 }),
  },
  { flags: list(words, several), error: words },
);

/** @type {Check<Results>} */
const checked = object({
  format: oneOf(FORMAT),
  version: /** @type {Check<typeof VERSION>} */ (number()),
  started: date,
  complete: truth,
  options: object({
    quick: truth,
    processes: count,
    samples: count,
    milliseconds: number({ least: 1e-3, most: 1e9 }),
    seed: number({ least: 1, most: Number.MAX_SAFE_INTEGER, whole: true }),
  }),
  context: object(
    {
      cpu: words,
      cores: count,
      system: words,
      build: oneOf('release', 'debug'),
      packages: named(words, several),
    },
    { commit: words, isolated: truth, clockStep: length },
  ),
  engines: named(object({ flags: list(words, several) }, { v8: words }), several),
  rows: list(row, { most: 10_000 }),
});

/**
 * A copy of what claims to be results, with nothing in it that was not checked.
 * @param {any} value
 * @returns {Results}
 * @throws where something is wrong: its path, and what it should be
 */
export function checkResults(value) {
  if (value?.format !== FORMAT) throw new Error(`these are no results of ${FORMAT}`);
  if (value.version !== VERSION) {
    throw new Error(`version ${printable(String(value.version), 20)}: this reads ${VERSION}`);
  }
  // Before all of them are copied.
  if (samplesIn(value) > MOST_SAMPLES)
    throw new WrongPart('rows', `${MOST_SAMPLES} samples at most`);
  const results = checked(value, '');
  const seen = new Set();
  for (const [i, { id, engine }] of results.rows.entries()) {
    if (!Object.hasOwn(results.engines, engine)) {
      throw new WrongPart(`rows[${i}].engine`, 'one of the engines');
    }
    const key = JSON.stringify([id, engine]);
    if (seen.has(key)) throw new WrongPart(`rows[${i}]`, 'the only one of its id and engine');
    seen.add(key);
  }
  return results;
}

/** How many there are, of whatever form. @param {any} value */
function samplesIn({ rows }) {
  let sum = 0;
  for (const row of Array.isArray(rows) ? rows : []) {
    for (const repetition of Array.isArray(row?.repetitions) ? row.repetitions : []) {
      for (const metric of Object.values(repetition?.metrics ?? {})) {
        for (const samples of Object.values(metric ?? {})) sum += Number(samples?.length) || 0;
      }
    }
  }
  return sum;
}

/**
 * What is wrong with something that claims to be results.
 * @param {any} value
 * @returns {string | undefined}
 */
export function problemOf(value) {
  try {
    checkResults(value);
    return undefined;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * @param {string} text
 * @returns {Results}
 * @throws when it is none, with the reason
 */
export function parseResults(text) {
  if (text.length > LARGEST_FILE) throw new Error('this is longer than any results');
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`this is no JSON: ${printable(/** @type {Error} */ (error).message)}`);
  }
  return checkResults(value);
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
 * Whether the implementations of a row took turns in the same processes: all of them in each.
 * @param {Row} row
 */
export function isPaired({ repetitions }) {
  const [first, ...rest] = repetitions.map(({ metrics }) =>
    JSON.stringify(Object.entries(metrics).map(([key, by]) => [key, Object.keys(by).sort()])),
  );
  const isShared = Object.values(repetitions[0]?.metrics ?? {}).every(
    (implementations) => Object.keys(implementations).length > 1,
  );
  return isShared && rest.every((names) => names === first);
}
