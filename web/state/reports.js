/**
 * The results that are shown beside each other: the stored reference, this page's run, and a file or
 * an earlier run. Whoever shows one variant hears of that variant alone.
 */

import { computed, effect, signal } from '@preact/signals';

/** @import { ReadonlySignal, Signal } from '@preact/signals' */
/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Results } from '../../bench/harness/results.js' */
/** @import { makeAnalyst } from '../run/analyst.js' */

/** @typedef {'reference' | 'run' | 'loaded'} Name */

/**
 * @typedef {object} Report
 * @property {Name} name
 * @property {Omit<Results, 'rows'>} about
 * @property {string[]} ids in the order in which they were measured
 * @property {Record<string, string>} errors by id
 * @property {Finding[]} findings
 * @property {string[]} warnings
 * @property {() => Promise<Results>} whole with every sample
 * @property {string} [file] where it is from
 */

/** @type {Record<Name, string>} */
export const TITLES = { reference: 'reference', run: 'this browser', loaded: 'loaded' };
export const NAMES = /** @type {Name[]} */ (Object.keys(TITLES));

/** Milliseconds between two analyses of a run that goes on. */
const PACE = 2000;

/** @param {Results} results @returns {Record<string, string>} */
const errorsOf = ({ rows }) =>
  Object.fromEntries(rows.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error]])));

/**
 * @param {object} given
 * @param {ReadonlySignal<Results | undefined>} given.run
 * @param {ReturnType<typeof makeAnalyst>} given.analyst
 * @param {() => Promise<Response>} [given.fetchFindings]
 * @param {() => Promise<Response>} [given.fetchResults]
 */
export function makeReports({
  run,
  analyst,
  fetchFindings = () => fetch(new URL('reference/findings.json', document.baseURI)),
  fetchResults = () => fetch(new URL('reference/results.json', document.baseURI)),
}) {
  /** @type {Record<Name, Signal<Report | undefined>>} */
  const reports = {
    reference: signal(undefined),
    run: signal(undefined),
    loaded: signal(undefined),
  };
  /** What was in the way of one. @type {Record<Name, Signal<string | undefined>>} */
  const problems = {
    reference: signal(undefined),
    run: signal(undefined),
    loaded: signal(undefined),
  };
  /** Which engine is shown of a file with several. @type {Signal<Partial<Record<Name, string>>>} */
  const engines = signal({});

  /** @param {Name} name */
  const engineOf = (name) => {
    const all = Object.keys(reports[name].value?.about.engines ?? {});
    const chosen = engines.value[name];
    return chosen !== undefined && all.includes(chosen) ? chosen : all[0];
  };

  /** @type {Record<Name, ReadonlySignal<Map<string, Finding[]>>>} */
  const byId = { reference: grouped('reference'), run: grouped('run'), loaded: grouped('loaded') };

  /** @param {Name} name */
  function grouped(name) {
    return computed(() => {
      const engine = engineOf(name);
      /** @type {Map<string, Finding[]>} */
      const groups = new Map();
      for (const finding of reports[name].value?.findings ?? []) {
        if (finding.engine !== engine) continue;
        const group = groups.get(finding.id);
        if (group) group.push(finding);
        else groups.set(finding.id, [finding]);
      }
      return groups;
    });
  }

  /** @type {Finding[]} */
  const NONE = [];
  /** @type {Map<string, ReadonlySignal<Finding[]>>} */
  const known = new Map();

  /** @type {Promise<Results> | undefined} */
  let samples;
  /** @returns {Promise<Results>} */
  const wholeReference = () => {
    samples ??= fetchResults().then((response) => {
      if (!response.ok) throw new Error(`the reference: ${response.status}`);
      return response.json();
    });
    samples.catch(() => {
      samples = undefined;
    });
    return samples;
  };

  /** What each case measures, those of the command line too. @type {Signal<Record<string, string>>} */
  const cases = signal({});

  fetchFindings()
    .then((response) => {
      if (!response.ok) throw new Error(`${response.status}`);
      return response.json();
    })
    .then(
      ({ findings, warnings, errors, cases: known, ...about }) => {
        cases.value = known ?? {};
        reports.reference.value = {
          name: 'reference',
          about,
          ids: [...new Set(findings.map((/** @type {Finding} */ { id }) => id))],
          errors,
          findings,
          warnings,
          whole: wholeReference,
        };
      },
      (error) => {
        problems.reference.value = `The stored reference results could not be loaded (${error.message}).`;
      },
    );

  /**
   * @param {Name} name
   * @param {Results} results
   * @param {string} [file]
   */
  async function show(name, results, file) {
    const { rows, ...about } = results;
    const { findings, warnings } = await analyst.analyse(results);
    reports[name].value = {
      name,
      about,
      ids: [...new Set(rows.map(({ id }) => id))],
      errors: errorsOf(results),
      findings,
      warnings,
      // Of a run that goes on, also what is not analysed yet.
      whole: async () => (name === 'run' ? /** @type {Results} */ (run.value) : results),
      file,
    };
  }

  let busy = false;
  const follow = async () => {
    if (busy) return;
    busy = true;
    try {
      for (let last; run.value !== undefined && run.value !== last; ) {
        last = run.value;
        await show('run', last);
        problems.run.value = undefined;
        if (!last.complete) await new Promise((resolve) => setTimeout(resolve, PACE));
      }
    } catch (error) {
      problems.run.value = `Not analysed: ${/** @type {Error} */ (error).message}`;
    } finally {
      busy = false;
    }
  };
  effect(() => {
    if (run.value !== undefined) follow();
  });

  return {
    reports,
    problems,
    engines,
    engineOf,
    cases,

    /** Those that there are. */
    shown: computed(() => NAMES.filter((name) => reports[name].value !== undefined)),

    /** Findings of the engine that is shown, by id. */
    byId,

    /**
     * Of one variant; changes when they do.
     * @param {Name} name
     * @param {string} id
     * @returns {ReadonlySignal<Finding[]>}
     */
    of(name, id) {
      const key = `${name} ${id}`;
      const before = known.get(key);
      if (before) return before;
      /** @type {Finding[]} */
      let last = NONE;
      let text = '[]';
      const made = computed(() => {
        const found = byId[name].value.get(id) ?? NONE;
        if (found === last) return last;
        const now = JSON.stringify(found);
        if (now !== text) [last, text] = [found, now];
        return last;
      });
      known.set(key, made);
      return made;
    },

    /**
     * @param {Results} results
     * @param {string} file where they are from
     */
    async load(results, file) {
      await show('loaded', results, file);
      problems.loaded.value = undefined;
    },

    unload() {
      reports.loaded.value = undefined;
    },
  };
}

/** @typedef {ReturnType<typeof makeReports>} Reports */
