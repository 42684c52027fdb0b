/** The settings of the live view; in the page's address, those that are not as usual. */

import { workloadOf, workloads } from './workloads.js';

/** @import { Scale } from './workloads.js' */

/**
 * @typedef {object} LiveOptions
 * @property {string} workload
 * @property {number} rate steps a second
 * @property {number} size see the workload's scale
 * @property {number} region MiB
 * @property {number} most MiB of all regions
 * @property {'throw' | 'fallback'} full what a full heap does
 * @property {number} seed
 */

/** Steps a second. @type {Scale} */
export const RATE = { label: 'Rate', unit: 'a second', least: 1, most: 1e6, usual: 1000 };

/** MiB. */
export const REGIONS = [4, 8, 16, 32];
export const LIMITS = [32, 64, 128, 256];

const REGION = 8;
const LIMIT = 128;
const SEED = 1;
const MOST_SEED = 2 ** 31 - 1;

/** @param {string} [id] of a workload @returns {LiveOptions} */
export function usualOptions(id = workloads[0].id) {
  const { rate, size } = workloadOf(id);
  return {
    workload: id,
    rate,
    size: size.usual,
    region: REGION,
    most: LIMIT,
    full: 'throw',
    seed: SEED,
  };
}

/**
 * The marks of a scale: 1, 2, 5, 10, ... as far as it goes, and its ends.
 * @param {Scale} scale
 */
export function marksOf({ least, most }) {
  const marks = [least];
  for (let power = 1; power <= most; power *= 10) {
    for (const digit of [1, 2, 5]) {
      const mark = digit * power;
      if (mark > least && mark < most) marks.push(mark);
    }
  }
  marks.push(most);
  return marks;
}

/**
 * The nearest mark of a scale, by magnitude.
 * @param {Scale} scale
 * @param {number} value
 */
export function nearestMark(scale, value) {
  const marks = marksOf(scale);
  const distance = (/** @type {number} */ mark) => Math.abs(Math.log(mark / Math.max(value, 1e-9)));
  return marks.reduce((best, mark, i) => (distance(mark) < distance(marks[best]) ? i : best), 0);
}

/**
 * Options from anything at all: what is missing or wrong is as usual.
 * @param {unknown} value
 * @returns {{ options: LiveOptions, wrong: string[] }} `wrong`: names of what was there and no good
 */
export function readOptions(value) {
  /** @type {string[]} */
  const wrong = [];
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRecord && value !== undefined) wrong.push('live');
  const given = /** @type {Record<string, unknown>} */ (isRecord ? value : {});

  /**
   * @template T
   * @param {string} name
   * @param {T} usual
   * @param {(value: any) => boolean} isRight
   * @returns {T}
   */
  const take = (name, usual, isRight) => {
    const found = Object.hasOwn(given, name) ? given[name] : undefined;
    if (found === undefined) return usual;
    if (isRight(found)) return /** @type {T} */ (found);
    wrong.push(name);
    return usual;
  };
  /** @param {Scale} scale */
  const within =
    ({ least, most }) =>
    (/** @type {unknown} */ found) =>
      Number.isInteger(found) && Number(found) >= least && Number(found) <= most;

  const workload = take('workload', workloads[0].id, (id) => workloads.some((w) => w.id === id));
  const usual = usualOptions(workload);
  const options = {
    workload,
    rate: take('rate', usual.rate, within(RATE)),
    size: take('size', usual.size, within(workloadOf(workload).size)),
    region: take('region', usual.region, (found) => REGIONS.includes(found)),
    most: take('most', usual.most, (found) => LIMITS.includes(found)),
    full: take('full', usual.full, (found) => found === 'throw' || found === 'fallback'),
    seed: take('seed', usual.seed, within({ ...RATE, least: 1, most: MOST_SEED })),
  };
  for (const name of Object.keys(given)) if (!Object.hasOwn(options, name)) wrong.push(name);
  return { options, wrong };
}

/**
 * What of them is not as usual.
 * @param {LiveOptions} options
 */
export function unusual(options) {
  const usual = usualOptions(options.workload);
  const entries = Object.entries(options).filter(
    ([name, value]) =>
      (name === 'workload' && value !== workloads[0].id) ||
      value !== usual[/** @type {keyof LiveOptions} */ (name)],
  );
  return Object.fromEntries(entries);
}
