/**
 * What keeps the heap busy while one looks at it. A step is one operation; all that a workload
 * does is drawn from the random numbers it is given, so a seed shows the same again.
 */

import { Held } from './held.js';

/** @import { Heap } from 'slabring' */

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * What can be set.
 * @typedef {object} Scale
 * @property {string} label
 * @property {string} unit of one and of many, as "buffer|buffers"
 * @property {number} least
 * @property {number} most
 * @property {number} usual
 *
 * @typedef {object} Running
 * @property {Held} held
 * @property {() => void} step
 * @property {() => void} relieve after a step that found no room
 * @property {() => void} stop lets go of all
 *
 * @typedef {object} Workload
 * @property {string} id
 * @property {string} title
 * @property {string} about
 * @property {Scale} size
 * @property {number} rate steps a second, usually
 * @property {(heap: Heap, random: () => number, size: () => number, limits: Limits) => Running} start
 *   `size` is asked at each step: it may be changed meanwhile
 *
 * @typedef {object} Limits
 * @property {number} regionSize bytes
 * @property {number} maxBytes
 */

/** @param {number} usual @returns {Scale} */
const memory = (usual) => ({
  label: 'Memory held',
  unit: 'MiB',
  least: 1,
  most: 500,
  usual,
});

/**
 * As many small numbers as large ones, by magnitude.
 * @param {number} random
 * @param {number} least
 * @param {number} most
 */
const spread = (random, least, most) => Math.floor(least * (most / least) ** random);

/** @param {Held} held @param {() => number} random */
const freeAny = (held, random) => held.free(Math.floor(random() * held.count));

/** @param {Held} held @param {() => number} random @param {number} share */
function freeShare(held, random, share) {
  for (let left = Math.ceil(held.count * share); left > 0; left--) freeAny(held, random);
}

/** @type {Workload[]} */
export const workloads = [
  {
    id: 'churn',
    title: 'Mixed sizes',
    about:
      'Buffers of 16 bytes to 64 KiB are allocated and freed in random order, about as many bytes held as you choose. The sizes drift, so slabs of one class empty while those of another fill.',
    size: memory(10),
    rate: 20_000,
    start(heap, random, size) {
      const held = new Held();
      let steps = 0;
      return {
        held,
        step() {
          steps++;
          const target = size() * MIB;
          // Tends to what shall be held, and swings around it.
          if (held.count > 0 && random() < held.total / (2 * target)) {
            freeAny(held, random);
            return;
          }
          const drift = (1 + Math.sin(steps / 40_000)) / 2;
          const near = spread(drift, 16, 16 * KIB);
          held.add(heap.allocUnsafe(spread(random(), Math.max(16, near / 8), near * 4)));
        },
        relieve: () => freeShare(held, random, 1 / 8),
        stop: () => held.freeAll(),
      };
    },
  },
  {
    id: 'ramp',
    title: 'Ramp up, free at random',
    about:
      'Memory fills with buffers of 64 bytes to 4 KiB until as much is held as you choose, then all are freed in random order. A slab goes back only with its last cell, so most stay to the end: fragmentation.',
    size: memory(20),
    rate: 20_000,
    start(heap, random, size) {
      const held = new Held();
      let filling = true;
      return {
        held,
        step() {
          if (filling && held.total >= size() * MIB) filling = false;
          if (!filling && held.count === 0) filling = true;
          if (filling) held.add(heap.allocUnsafe(spread(random(), 64, 4 * KIB)));
          else freeAny(held, random);
        },
        relieve() {
          filling = false;
        },
        stop: () => held.freeAll(),
      };
    },
  },
  {
    id: 'requests',
    title: 'Requests in scopes',
    about:
      'Each step is a request that allocates some twenty buffers within heap.scope(), which frees them when the function returns. Only the response outlives it, until as many others came as you choose.',
    size: { label: 'In flight', unit: 'response|responses', least: 1, most: 10_000, usual: 500 },
    rate: 1000,
    start(heap, random, size) {
      const held = new Held();
      /** The place of the oldest. */
      let next = 0;
      return {
        held,
        step() {
          const response = heap.scope(() => {
            heap.from(`GET /items/${Math.floor(random() * 1e6)} HTTP/1.1`);
            for (let i = 0; i < 16; i++) heap.allocUnsafe(spread(random(), 16, 512));
            heap.alloc(spread(random(), KIB, 16 * KIB));
            return heap.allocUnsafe(spread(random(), 256, 32 * KIB));
          });
          while (held.count > size()) held.free(held.count - 1);
          if (held.count < size()) held.add(response);
          else held.replace(next++ % held.count, response).free();
        },
        relieve: () => freeShare(held, random, 1 / 8),
        stop: () => held.freeAll(),
      };
    },
  },
  {
    id: 'large',
    title: 'Large buffers',
    about:
      'Buffers of 100 KiB to more than half a region, each in whole pages of its own; how much is held rises to what you choose and falls to nothing, again and again. Where a region is full another is added, and one that is empty goes.',
    size: memory(50),
    rate: 50,
    start(heap, random, size, { regionSize }) {
      const held = new Held();
      let steps = 0;
      return {
        held,
        step() {
          steps++;
          const target = (size() * MIB * (1 - Math.cos(steps / 60))) / 2;
          if (held.count > 0 && held.total > target) freeAny(held, random);
          else held.add(heap.alloc(spread(random(), 100 * KIB, regionSize * 0.6)));
        },
        relieve: () => freeShare(held, random, 1 / 4),
        stop: () => held.freeAll(),
      };
    },
  },
  {
    id: 'dropped',
    title: 'Dropped buffers',
    about:
      'Buffers of about the size that you choose, of which nobody frees any: the last thousand are held, older ones dropped. The engine’s garbage collector finds them some time later, and whole slabs come back at once.',
    size: { label: 'Mean size', unit: 'byte|bytes', least: 16, most: 100_000, usual: 1000 },
    rate: 10_000,
    start(heap, random, size) {
      const held = new Held();
      /** The place of the oldest. */
      let next = 0;
      return {
        held,
        step() {
          const view = heap.allocUnsafe(1 + Math.floor(size() * 2 * random()));
          if (held.count < 1000) held.add(view);
          else held.replace(next++ % 1000, view);
        },
        relieve: () => held.dropAll(),
        stop: () => held.dropAll(),
      };
    },
  },
  {
    id: 'ticks',
    title: 'Bursts of ticks',
    about:
      'Ticks are pushed onto the ring in bursts of the length that you choose, all at once or each by the one before, and run as soon as the program returns. A burst links segments of 2,048 slots, and the drain unlinks them.',
    size: { label: 'Burst', unit: 'tick|ticks', least: 1, most: 100_000, usual: 5000 },
    rate: 20_000,
    start(heap, random, size) {
      const { nextTick } = heap;
      const held = new Held();
      let due = 0;
      let stopped = false;
      const none = () => {};
      /** @param {number} left */
      const chain = (left) => {
        if (left > 0 && !stopped) nextTick(chain, left - 1);
      };
      return {
        held,
        step() {
          // Ticks and no steps are what takes memory: so many steps make one burst of as many.
          if (++due < size()) return;
          const burst = due;
          due = 0;
          if (random() < 0.25) {
            nextTick(chain, burst - 1);
            return;
          }
          for (let i = 0; i < burst; i++) nextTick(none);
        },
        relieve: () => heap.ticks.drain(),
        stop() {
          stopped = true;
          heap.ticks.drain();
          stopped = false;
        },
      };
    },
  },
  {
    id: 'ids',
    title: 'Nested async ids',
    about:
      'Pairs of ids are pushed and popped as operations nest, as deep as you choose and back again. Where the stack is full, C++ moves it to a block three times as large; until then JavaScript needs no call.',
    size: { label: 'Depth', unit: 'pair|pairs', least: 1, most: 100_000, usual: 1000 },
    rate: 20_000,
    start(heap, random, size) {
      const { asyncIds } = heap;
      const held = new Held();
      /** @type {number[]} */
      const pushed = [];
      let sinking = true;
      const pop = () => asyncIds.pop(/** @type {number} */ (pushed.pop()));
      return {
        held,
        step() {
          if (pushed.length >= size()) sinking = false;
          if (pushed.length === 0) sinking = true;
          // Three steps ahead for each one back.
          if (pushed.length > 0 && sinking === random() < 0.25) {
            pop();
            return;
          }
          if (pushed.length >= size()) return;
          const id = asyncIds.newAsyncId();
          asyncIds.push(id, asyncIds.executionAsyncId());
          pushed.push(id);
        },
        relieve() {
          sinking = false;
        },
        stop() {
          while (pushed.length > 0) pop();
        },
      };
    },
  },
];

/** @param {string} id @returns {Workload} the first where there is none of that name */
export const workloadOf = (id) => workloads.find((workload) => workload.id === id) ?? workloads[0];
