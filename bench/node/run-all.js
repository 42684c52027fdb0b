/** Measures what was chosen, each repetition in a fresh process, and stores it as it goes. */

import { execFile } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeResults, rounded, rowOf } from '../harness/results.js';
import { scheduleOf, timeLeft } from '../harness/schedule.js';

/** @import { Case, Variant } from '../harness/case.js' */
/** @import { Context, Options, Results } from '../harness/results.js' */
/** @import { Repetition } from '../harness/run-case.js' */
/** @import { Engine } from './engines.js' */

/** @typedef {{ file: string, benchmark: Case, variant: Variant }} Chosen */
/** @typedef {Chosen & { part: string, engine: Engine, flags: string[] }} Work */

const child = fileURLToPath(new URL('./child.js', import.meta.url));

export const FLAGS = ['--expose-gc'];

/** Milliseconds between two writings of the file: at most so much is lost when a run is killed. */
const STORE_EVERY = 2000;

/**
 * @param {Work} work
 * @param {object} options
 * @param {AbortSignal} signal
 * @returns {Promise<Repetition>}
 */
const repeat = ({ file, engine, flags }, options, signal) =>
  new Promise((resolve, reject) => {
    const args = [...FLAGS, ...flags, child, file, JSON.stringify(options)];
    // NODE_OPTIONS would change what is measured, and the results would not tell.
    const env = { ...process.env, NODE_OPTIONS: undefined };
    execFile(engine.program, args, { env, signal, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error) {
        reject(Object.assign(error, { message: stderr.trim() || error.message }));
      } else {
        resolve(JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))).result);
      }
    });
  });

/**
 * Renamed into its place: whoever reads finds a whole file.
 * @param {string} path
 * @param {Results} results
 */
export async function store(path, results) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(results, rounded)}\n`);
  await rename(`${path}.new`, path);
}

/**
 * @param {object} run
 * @param {Chosen[]} run.chosen
 * @param {Engine[]} run.engines
 * @param {Options} run.options
 * @param {Context} run.context
 * @param {string} run.path where to store the results
 * @param {AbortSignal} run.signal ends the run early
 * @param {(state: { done: number, of: number, left: number | undefined, what: string }) => void} run.progress
 * @returns {Promise<Results>} what there is, when it was ended early
 */
export async function runAll({ chosen, engines, options, context, path, signal, progress }) {
  const results = makeResults({ started: new Date().toISOString(), options, context });
  for (const { name, v8 } of engines) results.engines[name] = { v8, flags: FLAGS };
  /** @type {Work[]} */
  const works = chosen.flatMap((one) => {
    const { benchmark, variant } = one;
    const flags = benchmark.flags?.(variant.parameters) ?? [];
    // What is measured elsewhere is not this Node's.
    const some = benchmark.elsewhere ? engines.slice(0, 1) : engines;
    return variant.parts.flatMap((part) => some.map((engine) => ({ ...one, part, engine, flags })));
  });
  const rowFor = (/** @type {Work} */ { benchmark, variant, engine, flags }) =>
    rowOf(results, {
      id: variant.id,
      case: benchmark.name,
      parameters: variant.parameters,
      engine: engine.name,
      ...(flags.length > 0 && { flags }),
    });
  works.forEach(rowFor); // in the order of the files, whatever is measured first
  const tasks = scheduleOf(works, options.processes, options.seed);
  /** @type {Map<Work, number>} */
  const durations = new Map();
  let stored = performance.now();
  try {
    for (const [done, { work, seed }] of tasks.entries()) {
      const { variant, part, engine } = work;
      const left = timeLeft(tasks.slice(done), durations);
      progress({ done, of: tasks.length, left, what: variant.id });
      const { quick, samples, milliseconds } = options;
      const { id, parameters } = variant;
      const row = rowFor(work);
      const childOptions = { parameters, part, quick, samples, milliseconds, seed };
      const start = performance.now();
      const repetition = await repeat(work, childOptions, signal).catch((error) => {
        if (!signal.aborted) error.message = `${id} on ${engine.name}: ${error.message}`;
        throw error;
      });
      const took = performance.now() - start;
      durations.set(work, took);
      row.repetitions.push({ ...repetition, took });
      if (performance.now() - stored > STORE_EVERY) {
        await store(path, results);
        stored = performance.now();
      }
    }
    results.complete = true;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await store(path, results);
  }
  return results;
}
