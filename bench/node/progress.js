/** Where a run is: one line that is written over on a terminal, elsewhere a line now and then. */

/** Milliseconds between two lines where they stay. */
const SELDOM = 30_000;

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * @param {{ isTTY?: boolean, write(text: string): unknown }} output
 * @param {() => number} [now]
 */
export function makeProgress(output, now = () => performance.now()) {
  let last = -Infinity;
  return {
    /** @param {{ done: number, of: number, left: number | undefined, what: string }} state */
    show({ done, of, left, what }) {
      const time = left === undefined ? '' : `, ${duration(left)} left`;
      const text = `${done} of ${of}${time}: ${what}`;
      if (output.isTTY) {
        output.write(`\r\x1b[K${text}`);
      } else if (now() - last >= SELDOM) {
        last = now();
        output.write(`${text}\n`);
      }
    },
    clear() {
      if (output.isTTY) output.write('\r\x1b[K');
    },
  };
}
