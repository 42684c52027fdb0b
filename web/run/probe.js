/**
 * Whether this page is slowed down, seen between repetitions: by how late timers come, as in a hidden
 * tab or to spare a battery, and by how long the same work takes, as on a processor that grew hot.
 */

import { clockStep } from '../../bench/harness/measure.js';

/** Milliseconds. */
const TIMER = 10;
const LATE = 30;
const SPIN = 1;

/** Of the clock, at least. */
const STEPS = 20;

/** How many times the shortest: less is what any machine does. */
const SLOWER = 1.5;

/** @param {number} count */
function spin(count) {
  let x = 1;
  for (let i = 0; i < count; i++) x = Math.imul(x, 1_664_525) + 1_013_904_223;
  return x;
}

/**
 * @param {object} [host]
 * @param {() => number} [host.now] milliseconds
 * @param {(milliseconds: number) => Promise<unknown>} [host.sleep]
 * @param {(count: number) => unknown} [host.work]
 */
export function makeProbe({
  now = () => performance.now(),
  sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  work = spin,
} = {}) {
  let count = 0;
  let shortest = Infinity;

  /** Compiled, and as long as the clock can tell. */
  async function calibrate() {
    const least = Math.max(SPIN, STEPS * clockStep(now, 3));
    for (count = 1e5; spun() < least; count *= 2) await sleep(0);
  }

  function spun() {
    const start = now();
    work(count);
    return now() - start;
  }

  /** @returns {Promise<boolean>} */
  return async function isSlowed() {
    if (count === 0) await calibrate();
    let late = Infinity;
    let took = Infinity;
    // The best of three: whatever else ran meanwhile is no slow processor.
    for (let i = 0; i < 3; i++) {
      const start = now();
      await sleep(TIMER);
      late = Math.min(late, now() - start - TIMER);
      took = Math.min(took, spun());
    }
    shortest = Math.min(shortest, took);
    return late > LATE || took > SLOWER * shortest;
  };
}
