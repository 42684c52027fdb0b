/**
 * The analysis in a worker of its own: the page never stands still for it. A row is analysed once,
 * whatever run it is looked at in: rows that change are new objects.
 */

import { corrected } from '../../bench/harness/judging.js';
import { warningsOf } from '../../bench/harness/warnings.js';

/** @import { Comparison } from '../../bench/harness/compare.js' */
/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Results, Row } from '../../bench/harness/results.js' */

/**
 * As much of a worker as is used.
 * @typedef {Pick<Worker, 'postMessage' | 'onmessage' | 'onerror'>} AnalysisWorker
 */

/** @returns {AnalysisWorker} */
const pageWorker = () =>
  new Worker(new URL('run/analysis-worker.js', document.baseURI), { type: 'module' });

/** @param {{ createWorker?: () => AnalysisWorker }} [options] */
export function makeAnalyst({ createWorker = pageWorker } = {}) {
  /** @type {Map<number, { resolve(value: any): void, reject(error: Error): void }>} */
  const waiting = new Map();
  /** @type {WeakMap<Row, { seed: number, findings: Promise<Finding[]> }>} */
  const known = new WeakMap();
  /** @type {AnalysisWorker | undefined} */
  let worker;
  let last = 0;

  function started() {
    if (worker) return worker;
    const made = createWorker();
    made.onmessage = ({ data: { id, value, error } }) => {
      const { resolve, reject } = /** @type {any} */ (waiting.get(id));
      waiting.delete(id);
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    };
    made.onerror = (event) => {
      event.preventDefault();
      for (const { reject } of waiting.values()) {
        reject(new Error(event.message || 'the analysis could not be loaded'));
      }
      waiting.clear();
      worker = undefined;
    };
    worker = made;
    return made;
  }

  /**
   * @param {string} action
   * @param {unknown[]} args
   * @returns {Promise<any>}
   */
  const ask = (action, ...args) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      started().postMessage({ id, action, args });
    });

  /** @param {Row} row @param {number} seed */
  function findingsOf(row, seed) {
    const before = known.get(row);
    if (before?.seed === seed) return before.findings;
    const findings = ask('findingsOf', row, seed);
    known.set(row, { seed, findings });
    findings.catch(() => known.delete(row));
    return findings;
  }

  return {
    /**
     * @param {Results} results
     * @returns {Promise<{ findings: Finding[], warnings: string[] }>}
     */
    async analyse(results) {
      const { rows, options } = results;
      const all = await Promise.all(rows.map((row) => findingsOf(row, options.seed)));
      const findings = corrected(all.flat());
      return { findings, warnings: warningsOf(results, findings) };
    },

    /**
     * @param {Results} before
     * @param {Results} after
     * @param {{ all?: boolean }} [options] all implementations, not ours alone
     * @returns {Promise<Comparison[]>}
     */
    compare: (before, after, options) => ask('compare', before, after, options),
  };
}
