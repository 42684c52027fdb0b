/**
 * What a file in bench/cases/ exports, and what is measured of it: each combination of its
 * parameters is a variant, known by an id such as `buffer-creation operation=alloc size=10`.
 */

/** @import { Implementations, Measured, MeasureOptions } from './measure.js' */

/** @typedef {Record<string, string | number>} Parameters */

/**
 * One metric a key, such as `ms` or `MiB`.
 * @typedef {Record<string, number>} Figures
 */

/**
 * Something is measured by its implementations, which do the same work again and again; by figures,
 * taken once in each fresh process; or elsewhere, such as in a browser.
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string} about one line for readers
 * @property {Record<string, (string | number)[]>} [parameters] all combinations are measured
 * @property {(parameters: any) => boolean} [leaveOut] combinations that make no sense
 * @property {Record<string, (string | number)[]>} [quick] of the parameters, those of a quick run;
 *   without it the case is not part of one
 * @property {Host} [host] where alone it can run
 * @property {(parameters: any) => Need[]} [needs] what must be there first
 * @property {(parameters: any) => string[]} [flags] that V8 needs for it
 * @property {(parameters: any, options: SetupOptions) => Implementations | Promise<Implementations>}
 *   [setup] `slabring` is what the others are compared with
 * @property {(result: any, context: any) => void} [verify] throws when what a `run` returned is
 *   wrong; told the count, the name of the implementation and the parameters
 * @property {(parameters: any, options: SetupOptions) => number | undefined} [n] a fixed count of
 *   operations a sample, where that is part of the case
 * @property {(parameters: any) => number} [batch] what the count is a multiple of
 * @property {(parameters: any) => number} [longer] samples last so many times as long as usual
 * @property {(parameters: any, host: Host) => string[] | undefined} [partsOf] whose figures are
 *   taken, where not all are
 * @property {Record<string, FiguresOf> | FiguresOf} [figures] by implementation, each in processes
 *   of its own; a function is `slabring`'s
 * @property {(parameters: any, options: MeasureOptions) => Promise<Measured>} [elsewhere] measures
 *   and verifies its implementations in a place of its own choice
 */

/** @typedef {'node' | 'page'} Host a page's worker is a page, too */

/**
 * What is built for benchmarks alone, or the machine has or has not: see bench/node/needs.js.
 * @typedef {'rivals' | 'page' | 'chromium' | 'firefox' | 'webkit'} Need
 */

/**
 * @callback FiguresOf
 * @param {any} parameters
 * @param {SetupOptions} options
 * @returns {Figures | Promise<Figures>}
 */

/**
 * @typedef {object} SetupOptions
 * @property {boolean} quick less work where the case itself says how much
 * @property {number} runs how often each implementation is going to be run, with `n` fixed
 */

/**
 * @typedef {object} Variant
 * @property {string} id
 * @property {Parameters} parameters
 * @property {string[]} parts what is measured in a process of its own: the implementations that
 *   give figures, or '' for all together
 */

/**
 * @param {string} name
 * @param {Parameters} parameters
 */
export const idOf = (name, parameters) =>
  [name, ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`)].join(' ');

/** The name of what everything else is compared with. */
export const OURS = 'slabring';

/** @param {Case} benchmark */
export const figuresOf = ({ figures }) =>
  typeof figures === 'function' ? { [OURS]: figures } : (figures ?? {});

/**
 * @param {Case} benchmark
 * @param {{ quick?: boolean, words?: string[], host?: Host }} [options] quick: less of it; nothing,
 *   where the case is not part of a quick run and none of the words is its whole name
 * @returns {Variant[]} none where the case cannot run on that host
 */
export function variantsOf(benchmark, { quick = false, words = [], host = 'node' } = {}) {
  if ((benchmark.host ?? host) !== host || (benchmark.elsewhere && host === 'page')) return [];
  if (quick && !benchmark.quick && !words.includes(benchmark.name)) return [];
  const everyone = benchmark.figures ? Object.keys(figuresOf(benchmark)) : [''];
  /** @type {Parameters[]} */
  let all = [{}];
  for (const [key, values] of Object.entries(benchmark.parameters ?? {})) {
    const some = (quick && benchmark.quick?.[key]) || values;
    all = all.flatMap((parameters) => some.map((value) => ({ ...parameters, [key]: value })));
  }
  return all
    .filter((parameters) => !benchmark.leaveOut?.(parameters))
    .map((parameters) => ({
      id: idOf(benchmark.name, parameters),
      parameters,
      parts: benchmark.partsOf?.(parameters, host) ?? everyone,
    }));
}

/**
 * @typedef {object} Choice
 * @property {string[]} [words] of which an id must hold one; those with `=` by whole parameters
 * @property {(string | number)[]} [sizes] values of the parameter `size`, where there is one
 */

/**
 * @param {Variant} variant
 * @param {Choice} choice
 */
export function isChosen({ id, parameters }, { words = [], sizes = [] }) {
  // A line for the name and for each parameter: `size=10` is not to choose `size=1024`.
  const lines = (/** @type {string} */ text) => `\n${text.replace(/ (?=\w+=)/g, '\n')}\n`;
  const holds = (/** @type {string} */ word) =>
    word.includes('=') ? lines(id).includes(lines(word)) : id.includes(word);
  if (words.length > 0 && !words.some(holds)) return false;
  const { size } = parameters;
  return sizes.length === 0 || (size !== undefined && sizes.map(String).includes(String(size)));
}
