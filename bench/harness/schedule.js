/** The order of a run, and how long it will still take. */

import { randomFrom, seedOf, shuffle } from './random.js';

/**
 * @template Work
 * @typedef {object} Task
 * @property {Work} work
 * @property {number} round
 * @property {number} seed of the process
 */

/**
 * All work once in each round, in another order each time: a machine that grows slower while it is
 * measured does so for all alike, and a run that is ended early has whole rounds of everything.
 * @template Work
 * @param {Work[]} works
 * @param {number} rounds
 * @param {number} seed
 * @returns {Task<Work>[]}
 */
export function scheduleOf(works, rounds, seed) {
  const random = randomFrom(seed);
  return Array.from({ length: rounds }, (_, round) =>
    shuffle([...works], random).map((work, i) => ({
      work,
      round,
      seed: seedOf(seed, round * works.length + i),
    })),
  ).flat();
}

/**
 * What is left, from how long the same work took before, or else all work on average.
 * @template Work
 * @param {Task<Work>[]} tasks left
 * @param {Map<Work, number>} durations milliseconds, of work done before
 * @returns {number | undefined} milliseconds, undefined before anything was done
 */
export function timeLeft(tasks, durations) {
  if (durations.size === 0) return undefined;
  const known = [...durations.values()];
  const average = known.reduce((sum, duration) => sum + duration, 0) / known.length;
  return tasks.reduce((sum, { work }) => sum + (durations.get(work) ?? average), 0);
}
