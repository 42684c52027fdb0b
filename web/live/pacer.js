/** How often a slice of work is done, and how long one may take: a page's frame, about. */
export const SLICE_EVERY = 16;
const SLICE = 10;

/** What is owed is done later, but not for longer than this: nobody wants to see a day caught up. */
const PATIENCE = 100;

/** So many steps between two looks at the clock. */
const LOOK = 8;

/** Does steps at a rate, in slices, as far as there is time. All times in milliseconds. */
export class Pacer {
  #now;
  #step;
  #rate;
  #owed = 0;
  #last = 0;

  /**
   * @param {() => boolean} step false: enough for this slice
   * @param {number} rate steps a second
   * @param {() => number} now
   */
  constructor(step, rate, now) {
    this.#step = step;
    this.#rate = rate;
    this.#now = now;
  }

  /** @param {number} rate */
  set rate(rate) {
    this.#rate = rate;
    this.#owed = 0;
  }

  /** From now on; what was owed is forgiven. */
  start() {
    this.#last = this.#now();
    this.#owed = 0;
  }

  /** What is due by now. */
  slice() {
    const now = this.#now();
    const most = Math.max(1, (this.#rate * PATIENCE) / 1000);
    this.#owed = Math.min(most, this.#owed + (this.#rate * (now - this.#last)) / 1000);
    this.#last = now;
    for (let done = 1; this.#owed >= 1; done++) {
      this.#owed--;
      if (!this.#step()) return;
      if (done % LOOK === 0 && this.#now() - now > SLICE) return;
    }
  }
}
