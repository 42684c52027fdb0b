/** A clock that only moves when it is read, by one step, or when work is done. */

export class FakeClock {
  time = 0;

  /** @param {number} [step] milliseconds */
  constructor(step = 1e-4) {
    this.now = () => {
      this.time += step;
      return Math.floor(this.time / step + 1e-6) * step;
    };
  }

  /** Work that takes so many nanoseconds each time. `cost` is asked at each run. */
  work(cost) {
    return {
      run: (n) => {
        this.time += (n * cost()) / 1e6;
        return n;
      },
    };
  }
}
