/**
 * All settings as the query of the page's address: whoever follows a link sees the same and runs the
 * same. What is missing is as usual; so is what is unknown or wrong, and that is told.
 */

/** @import { Options } from '../../bench/harness/results.js' */

/** @typedef {'system' | 'light' | 'dark'} Theme */

/**
 * @typedef {object} Settings
 * @property {'quick' | 'all' | string[]} cases sets, or ids of variants
 * @property {string[]} sizes only variants of these, all where there are none
 * @property {number} processes workers for each variant
 * @property {number} samples
 * @property {number} milliseconds
 * @property {number | undefined} seed drawn at the start of a run where there is none
 * @property {Theme} theme
 * @property {boolean} absolute whether absolute figures are shown beside ratios
 * @property {{ before: string, after: string } | undefined} compare names of two results
 * @property {Record<string, string | number>} live of the live view, which knows what they mean
 */

/** Five workers always: fewer could not show a difference. */
export const USUAL = {
  quick: { processes: 5, samples: 8, milliseconds: 2 },
  full: { processes: 5, samples: 30, milliseconds: 5 },
};

/** @param {Settings['cases']} cases */
const usualOf = (cases) => (cases === 'quick' ? USUAL.quick : USUAL.full);

/** @type {Record<'processes' | 'samples' | 'milliseconds' | 'seed', number>} */
export const MOST = { processes: 100, samples: 1000, milliseconds: 1000, seed: 2 ** 31 - 1 };

const COUNTS = /** @type {const} */ (['processes', 'samples', 'milliseconds']);

/** What may be compared: the stored reference, this run, a loaded file, one of the history. */
const NAMED = /^(reference|run|loaded|history-\d{1,15})$/;

/** Longer than any link that this page makes. */
const LONGEST = 20_000;
const LONGEST_VALUE = 200;
const MOST_LIVE = 20;

/** @returns {Settings} */
export const usualSettings = () => ({
  cases: 'quick',
  sizes: [],
  ...USUAL.quick,
  seed: undefined,
  theme: 'system',
  absolute: false,
  compare: undefined,
  live: {},
});

/**
 * Other cases, and as many samples as are usual for them where nothing else was asked for.
 * @param {Settings} settings
 * @param {Settings['cases']} cases
 * @returns {Settings}
 */
export function withCases(settings, cases) {
  const [was, is] = [usualOf(settings.cases), usualOf(cases)];
  const changed = COUNTS.filter((key) => settings[key] === was[key]).map((key) => [key, is[key]]);
  return { ...settings, cases, ...Object.fromEntries(changed) };
}

/** @param {string} text */
const isWhole = (text) => /^[1-9]\d{0,9}$/.test(text);

/**
 * @param {string} search with or without its question mark
 * @param {(id: string) => boolean} [isKnown] whether there is such a variant
 * @returns {{ settings: Settings, problems: string[] }}
 */
export function settingsFrom(search, isKnown = () => true) {
  if (search.length > LONGEST) {
    return {
      settings: usualSettings(),
      problems: ['The address is too long: nothing of it is used.'],
    };
  }
  const query = new URLSearchParams(search);
  /** @type {string[]} */
  const problems = [];
  /** @param {string} key @param {string} value */
  const refuse = (key, value) => {
    // It may be anything, and of any length.
    const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    problems.push(`${key}=${shown} in the address is not known: left out.`);
  };

  /**
   * The last that is right.
   * @template T
   * @param {string} key
   * @param {T} usual
   * @param {(value: string) => T | undefined} read
   */
  const take = (key, usual, read) => {
    let taken = usual;
    for (const value of query.getAll(key)) {
      const found = value.length > LONGEST_VALUE ? undefined : read(value);
      if (found === undefined) refuse(key, value);
      else taken = found;
    }
    return taken;
  };
  /** @param {keyof typeof MOST} key */
  const numberUpTo = (key) => (/** @type {string} */ value) =>
    isWhole(value) && Number(value) <= MOST[key] ? Number(value) : undefined;

  /** @type {string[]} */
  const ids = [];
  const set = take('cases', /** @type {'quick' | 'all'} */ ('quick'), (value) =>
    value === 'quick' || value === 'all' ? value : undefined,
  );
  for (const id of query.getAll('case')) {
    if (isKnown(id)) ids.push(id);
    else refuse('case', id);
  }
  const cases = ids.length > 0 ? [...new Set(ids)] : set;
  const usual = usualOf(cases);
  /** @type {Settings['live']} */
  const live = Object.create(null);
  for (const [key, value] of query) {
    const name = /^live\.([a-z]{1,20})$/i.exec(key)?.[1];
    if (name === undefined) {
      if (key.startsWith('live')) refuse(key.slice(0, LONGEST_VALUE), value);
    } else if (value.length > LONGEST_VALUE || Object.keys(live).length >= MOST_LIVE) {
      refuse(key, value);
    } else {
      live[name] = /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
    }
  }
  const named = (/** @type {string} */ value) => (NAMED.test(value) ? value : undefined);
  const before = take('before', undefined, named);
  const after = take('after', undefined, named);
  /** @type {Settings} */
  const settings = {
    cases,
    sizes: take('size', /** @type {string[]} */ ([]), (value) =>
      /^[\d-]+(,[\d-]+)*$/.test(value) ? value.split(',') : undefined,
    ),
    processes: take('processes', usual.processes, numberUpTo('processes')),
    samples: take('samples', usual.samples, numberUpTo('samples')),
    milliseconds: take('milliseconds', usual.milliseconds, numberUpTo('milliseconds')),
    seed: take('seed', undefined, numberUpTo('seed')),
    theme: take('theme', /** @type {Theme} */ ('system'), (value) =>
      value === 'system' || value === 'light' || value === 'dark' ? value : undefined,
    ),
    absolute: take('absolute', false, (value) =>
      /^[01]$/.test(value) ? value === '1' : undefined,
    ),
    compare: before && after ? { before, after } : undefined,
    live: { ...live },
  };
  const known = /^(cases?|size|processes|samples|milliseconds|seed|theme|absolute|before|after)$/;
  for (const [key, value] of query) {
    if (!known.test(key) && !key.startsWith('live')) refuse(key.slice(0, 40), value);
  }
  return { settings, problems };
}

/**
 * The query, with its question mark, of what is not as usual; nothing where all is.
 * @param {Settings} settings
 */
export function searchOf(settings) {
  const query = new URLSearchParams();
  const usual = { ...usualSettings(), ...usualOf(settings.cases) };
  const { cases, sizes, compare, live } = settings;
  if (Array.isArray(cases)) for (const id of cases) query.append('case', id);
  else if (cases !== usual.cases) query.append('cases', cases);
  if (sizes.length > 0) query.append('size', sizes.join(','));
  for (const key of COUNTS) if (settings[key] !== usual[key]) query.append(key, `${settings[key]}`);
  if (settings.seed !== undefined) query.append('seed', `${settings.seed}`);
  if (settings.theme !== usual.theme) query.append('theme', settings.theme);
  if (settings.absolute) query.append('absolute', '1');
  if (compare) {
    query.append('before', compare.before);
    query.append('after', compare.after);
  }
  for (const [name, value] of Object.entries(live)) query.append(`live.${name}`, `${value}`);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * How a run by these settings is taken.
 * @param {Settings} settings
 * @param {number} drawn the seed where they have none
 * @returns {Options}
 */
export const optionsOf = ({ cases, processes, samples, milliseconds, seed }, drawn) => ({
  quick: cases === 'quick',
  processes,
  samples,
  milliseconds,
  seed: seed ?? drawn,
});
