/**
 * Whether this page is slowed down, seen between repetitions: by how late timers come, as in a hidden
 * tab or to spare a battery, and by how long the same work takes, as on a processor that grew hot.
 */

/** Milliseconds. */
const TIMER = 10;
const LATE = 30;
const SPIN = 4;

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
  function calibrate() {
    for (count = 1e5; ; count *= 2) {
      const start = now();
      work(count);
      if (now() - start >= SPIN) return;
    }
  }

  /** The shortest of three: whatever else ran meanwhile is no slow processor. */
  function spun() {
    let least = Infinity;
    for (let i = 0; i < 3; i++) {
      const start = now();
      work(count);
      least = Math.min(least, now() - start);
    }
    return least;
  }

  /** By how much the more punctual of two timers was late. */
  async function lateness() {
    let least = Infinity;
    for (let i = 0; i < 2; i++) {
      const start = now();
      await sleep(TIMER);
      least = Math.min(least, now() - start - TIMER);
    }
    return least;
  }

  /** @returns {Promise<boolean>} */
  return async function isSlowed() {
    if (count === 0) calibrate();
    const late = await lateness();
    const took = spun();
    shortest = Math.min(shortest, took);
    return late > LATE || took > SLOWER * shortest;
  };
}
