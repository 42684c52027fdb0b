/** How far a run is, and how long it will take. */
export class Progress {
  #wanted;
  #done = 0;
  #start = performance.now();
  #shown = 0;

  /** @param {number} wanted operations */
  constructor(wanted) {
    this.#wanted = wanted;
  }

  /**
   * @param {string} name of the target at work
   * @param {number} operations
   */
  add(name, operations) {
    this.#done += operations;
    const now = performance.now();
    if (now - this.#shown < 5000) return;
    this.#shown = now;
    const left = Math.max(0, this.#wanted - this.#done);
    const seconds = ((now - this.#start) / 1000 / this.#done) * left;
    const percent = Math.floor(Math.min(1, this.#done / this.#wanted) * 100);
    console.log(`${percent} %, ${name}: ${this.text()}, ${duration(seconds)} left`);
  }

  text() {
    const seconds = (performance.now() - this.#start) / 1000;
    return `${this.#done.toLocaleString('en')} operations in ${duration(seconds)}`;
  }
}

/** @param {number} seconds */
const duration = (seconds) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
