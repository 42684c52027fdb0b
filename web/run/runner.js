/**
 * A run in this page: the schedule of the command line, a fresh worker for each repetition. What fails
 * is told, and the rest goes on; nothing that was measured is lost.
 *
 *   idle -> running <-> pausing -> paused -> running ... -> done, or stopped at any time
 */

import { signal } from '@preact/signals';
import { printable } from '../../bench/harness/checks.js';
import { makeResults, rounded, rowOf } from '../../bench/harness/results.js';
import { scheduleOf, timeLeft } from '../../bench/harness/schedule.js';
import { conditionsOf } from '../../bench/harness/warnings.js';
import { makeProbe } from './probe.js';

/** @import { Signal } from '@preact/signals' */
/** @import { Options, Results, Row } from '../../bench/harness/results.js' */
/** @import { Repetition } from '../../bench/harness/run-case.js' */
/** @import { Task } from '../../bench/harness/schedule.js' */
/** @import { Environment } from './context.js' */
/** @import { Catalogue, PageVariant } from './variants.js' */
/** @import { Answer, Job } from './worker.js' */

/** @typedef {'idle' | 'running' | 'pausing' | 'paused' | 'stopped' | 'done'} Phase */

/**
 * @typedef {object} RunState
 * @property {Phase} phase
 * @property {number} done tasks
 * @property {number} of
 * @property {number | undefined} left milliseconds
 * @property {string} what the id of the variant that runs
 * @property {Record<string, string>} errors message by variant's id
 * @property {string[]} flags what the reader must know of how the page runs
 */

/** @typedef {{ variant: PageVariant, part: string }} Work */

/**
 * As much of a worker as is used.
 * @typedef {object} RepetitionWorker
 * @property {(job: Job) => void} postMessage
 * @property {() => void} terminate
 * @property {((event: { data: Answer }) => void) | null} onmessage
 * @property {((event: { message?: string, preventDefault?(): void }) => void) | null} onerror
 */

/**
 * @typedef {object} RunnerOptions
 * @property {Catalogue} catalogue
 * @property {Environment | Promise<Environment>} environment
 * @property {() => RepetitionWorker} [createWorker]
 * @property {Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>} [page]
 * @property {() => Promise<boolean>} [isSlowed]
 * @property {() => number} [now] milliseconds
 * @property {(milliseconds: number) => Promise<unknown>} [sleep]
 */

/** A worker that has not answered so long is lost: milliseconds, and times what it should take. */
const PATIENCE = 60_000;
const TIMES = 20;

/** Milliseconds between two looks at a worker's time. */
const LOOK = 1000;

/** @type {RunState} */
const IDLE = {
  phase: 'idle',
  done: 0,
  of: 0,
  left: undefined,
  what: '',
  errors: {},
  flags: [],
};

/** What a repetition is not, once the run was stopped. */
class Stopped extends Error {}

/** @returns {RepetitionWorker} */
const pageWorker = () =>
  /** @type {any} */ (new Worker(new URL('run/worker.js', document.baseURI), { type: 'module' }));

/** @param {RunnerOptions} options */
export function makeRunner({
  catalogue,
  environment,
  createWorker = pageWorker,
  page = document,
  isSlowed = makeProbe(),
  now = () => performance.now(),
  sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}) {
  /** @type {Signal<RunState>} */
  const state = signal(IDLE);
  /** @type {Signal<Results | undefined>} */
  const results = signal(undefined);

  /** Ends the repetition that runs. */
  let interrupt = () => {};
  /** Ends the pause. */
  let wake = () => {};

  /** @param {Partial<RunState>} part */
  const change = (part) => {
    state.value = { ...state.value, ...part };
  };

  /** The run that was started last: one before it that was stopped may still come to its end. */
  let current = { stopped: true };

  /**
   * Milliseconds that a repetition takes, about.
   * @param {Work} work
   * @param {Options} options
   */
  const guess = ({ variant }, { samples, milliseconds }) =>
    // Ten implementations, each warmed up.
    10 * (samples + 20) * milliseconds * variant.longer;

  /**
   * @param {Work} work
   * @param {Options} options
   * @param {number} seed
   * @param {number} expected milliseconds
   * @returns {Promise<Repetition>}
   */
  async function repeat({ variant, part }, options, seed, expected) {
    const worker = createWorker();
    try {
      return await new Promise((resolve, reject) => {
        interrupt = () => reject(new Stopped());
        worker.onmessage = ({ data }) => {
          if ('repetition' in data) resolve(data.repetition);
          else reject(new Error(data.error));
        };
        worker.onerror = (event) => {
          event.preventDefault?.();
          reject(new Error(event.message || 'the worker could not be loaded'));
        };
        const { parameters, caseName } = variant;
        const { quick, samples, milliseconds } = options;
        worker.postMessage({
          name: caseName,
          options: { parameters, part, quick, samples, milliseconds, seed },
        });
        watch(PATIENCE + TIMES * expected, reject);
      });
    } finally {
      interrupt = () => {};
      worker.terminate();
    }

    /**
     * Counts turns, not time: a machine that slept gave the worker none.
     * @param {number} patience
     * @param {(error: Error) => void} reject
     */
    async function watch(patience, reject) {
      const mine = interrupt;
      for (let waited = 0; waited < patience; waited += LOOK) {
        await sleep(LOOK);
        if (interrupt !== mine) return;
      }
      reject(new Error(`no answer within ${Math.round(patience / 1000)} s`));
    }
  }

  /**
   * Whether the page was hidden at any moment of what is done.
   * @template T
   * @param {() => Promise<T>} action
   */
  async function watched(action) {
    let hidden = page.visibilityState === 'hidden';
    const look = () => {
      hidden ||= page.visibilityState === 'hidden';
    };
    page.addEventListener('visibilitychange', look);
    try {
      const value = await action();
      return { value, hidden };
    } finally {
      page.removeEventListener('visibilitychange', look);
    }
  }

  /** Comes back when it goes on, or was stopped. */
  async function pauseIfAsked() {
    if (state.value.phase !== 'pausing') return;
    change({ phase: 'paused' });
    await new Promise((resolve) => {
      wake = () => resolve(undefined);
    });
  }

  /** @param {Work} work @returns {Row} */
  const rowFor = ({ variant }) =>
    /** @type {Row} */ (results.value?.rows.find(({ id }) => id === variant.id));

  /**
   * Others see new objects where something is new, and what they had stays as it was.
   * @param {Work} work
   * @param {Partial<Row>} part of its row
   */
  function update(work, part) {
    const before = /** @type {Results} */ (results.value);
    const row = rowFor(work);
    const rows = before.rows.map((one) => (one === row ? { ...one, ...part } : one));
    results.value = { ...before, rows };
    change({ flags: conditionsOf(results.value) });
  }

  /**
   * @param {{ stopped: boolean }} run
   * @param {Task<Work>[]} tasks
   * @param {Options} options
   */
  async function runAll(run, tasks, options) {
    /** @type {Map<Work, number>} */
    const durations = new Map();
    let slowed = await isSlowed();
    for (const [done, { work, seed }] of tasks.entries()) {
      const { id } = work.variant;
      await pauseIfAsked();
      if (run.stopped) return;
      const rest = tasks
        .slice(done)
        .filter((task) => !(task.work.variant.id in state.value.errors));
      change({ done, left: timeLeft(rest, durations), what: id });
      if (id in state.value.errors) continue;
      const expected = durations.get(work) ?? guess(work, options);
      const start = now();
      try {
        const { value, hidden } = await watched(() => repeat(work, options, seed, expected));
        const took = now() - start;
        durations.set(work, Math.max(took, durations.get(work) ?? 0));
        const repetition = {
          ...value,
          took,
          ...(hidden && { hidden }),
          ...(slowed && { throttled: true }),
        };
        const { repetitions } = rowFor(work);
        // As it is stored: what is shown is what is downloaded.
        const stored = JSON.parse(JSON.stringify(repetition, rounded));
        update(work, { repetitions: [...repetitions, stored] });
        const before = slowed;
        slowed = await isSlowed();
        if (run.stopped) return;
        if (slowed && !before) {
          update(work, { repetitions: [...repetitions, { ...stored, throttled: true }] });
        }
      } catch (error) {
        if (error instanceof Stopped) return;
        const message = printable(/** @type {Error} */ (error).message);
        change({ errors: { ...state.value.errors, [id]: message } });
        update(work, { error: message });
      }
    }
    if (run.stopped) return;
    results.value = { .../** @type {Results} */ (results.value), complete: true };
    change({ phase: 'done', done: tasks.length, left: 0, what: '' });
  }

  return {
    state,
    results,

    /**
     * @param {object} run
     * @param {string[]} run.ids
     * @param {Options} run.options
     * @returns {Promise<void>} at its end
     */
    async start({ ids, options }) {
      const { phase } = state.value;
      if (['running', 'pausing', 'paused'].includes(phase)) throw new Error('a run is going on');
      const variants = catalogue.variants.filter(({ id }) => ids.includes(id));
      if (variants.length === 0) throw new Error('nothing is chosen');
      const run = { stopped: false };
      current = run;
      change({ ...IDLE, phase: 'running' });
      const { engine, context } = await environment;
      if (run.stopped) return;
      const made = makeResults({ started: new Date().toISOString(), options, context });
      made.engines[engine] = { flags: [] };
      for (const { id, caseName, parameters } of variants) {
        rowOf(made, { id, case: caseName, parameters, engine });
      }
      results.value = made;
      const works = variants.flatMap((variant) => variant.parts.map((part) => ({ variant, part })));
      const tasks = scheduleOf(works, options.processes, options.seed);
      change({ of: tasks.length, flags: conditionsOf(made) });
      await runAll(run, tasks, options);
    },

    /** After the repetition that runs. */
    pause() {
      if (state.value.phase === 'running') change({ phase: 'pausing' });
    },

    resume() {
      const { phase } = state.value;
      if (phase !== 'pausing' && phase !== 'paused') return;
      change({ phase: 'running' });
      wake();
    },

    /** At once. What there is stays. */
    stop() {
      if (!['running', 'pausing', 'paused'].includes(state.value.phase)) return;
      current.stopped = true;
      change({ phase: 'stopped', left: undefined, what: '' });
      interrupt();
      wake();
    },
  };
}
