import FastFifo from 'fast-fifo';
import { createHeap } from 'slabring';

const N = 1e6;
const BATCH = 1000;

export default {
  name: 'ticks: push and take in batches of 1000, at the level of the queue',
  n: N,
  bars: [{ of: 'fast-fifo', least: 0.8 }],
  async setup() {
    const { nextTick, ticks } = await createHeap();
    const fifo = new FastFifo();
    let ours = 0;
    let theirs = 0;
    const count = () => {
      ours++;
    };
    const countTheirs = () => {
      theirs++;
    };
    return {
      slabring: {
        run(n) {
          for (let done = 0; done < n; done += BATCH) {
            for (let i = 0; i < BATCH; i++) nextTick(count);
            ticks.drain();
          }
          return ours;
        },
      },
      'fast-fifo': {
        run(n) {
          for (let done = 0; done < n; done += BATCH) {
            for (let i = 0; i < BATCH; i++) fifo.push(countTheirs);
            for (;;) {
              const tick = fifo.shift();
              if (tick === undefined) break;
              tick();
            }
          }
          return theirs;
        },
      },
    };
  },
};
