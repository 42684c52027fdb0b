/**
 * The last seconds of some figures, for lines over time: a row of numbers a snapshot, in arrays that
 * are as long as there can be rows, so that nothing is moved or made while time goes on.
 *
 *   times   | 3.2 3.3 ... | 1.9 2.0 ... |      the oldest is at `next` once the ring is full
 *                          ^next
 */
export class History {
  #times;
  #columns;
  #seconds;
  #next = 0;
  #count = 0;

  /**
   * @param {number} width figures a row
   * @param {number} seconds that are kept
   * @param {number} most rows
   */
  constructor(width, seconds, most) {
    this.#seconds = seconds;
    this.#times = new Float64Array(most);
    this.#columns = Array.from({ length: width }, () => new Float64Array(most));
  }

  /**
   * @param {number} time seconds, more than the last
   * @param {number[]} row
   */
  add(time, row) {
    const at = this.#next;
    this.#times[at] = time;
    for (const [i, column] of this.#columns.entries()) column[at] = row[i];
    this.#next = (at + 1) % this.#times.length;
    this.#count = Math.min(this.#count + 1, this.#times.length);
  }

  clear() {
    this.#next = this.#count = 0;
  }

  /**
   * Times, then a list for each figure asked for, oldest first; of the last seconds only.
   * @param {number[]} figures
   * @returns {number[][]}
   */
  lists(figures) {
    const places = this.#places();
    return [this.#times, ...figures.map((figure) => this.#columns[figure])].map((column) =>
      places.map((place) => column[place]),
    );
  }

  /**
   * One row for each stretch of so many seconds, the last in it, newest first.
   * @param {number} every
   * @returns {{ time: number, row: number[] }[]}
   */
  rows(every) {
    const rows = [];
    let stretch = Infinity;
    for (const place of this.#places().reverse()) {
      const time = this.#times[place];
      const of = Math.floor(time / every);
      if (of >= stretch) continue;
      stretch = of;
      rows.push({ time, row: this.#columns.map((column) => column[place]) });
    }
    return rows;
  }

  #places() {
    const { length } = this.#times;
    const places = [];
    const newest = this.#times[(this.#next - 1 + length) % length];
    for (let i = 0; i < this.#count; i++) {
      const place = (this.#next - this.#count + i + length) % length;
      if (newest - this.#times[place] <= this.#seconds) places.push(place);
    }
    return places;
  }
}
