/** What allocation costs while many others are live. */

import { measure, randomFrom, shuffle } from './measure.js';
import { median } from './statistics.js';

/** @import { Implementation } from './measure.js' */

const COUNTS = [1e3, 1e4, 1e5, 1e6, 1e7];

/** The figure that a bar is set for. */
const SPREAD = 'the dearest / the cheapest';

/**
 * @template T
 * @typedef {object} Allocator
 * @property {(size: number) => T} alloc
 * @property {(allocated: T) => unknown} free
 */

/** Allocated, then freed in another order. */
const BATCH = 1000;
const order = shuffle([...Array(BATCH).keys()], randomFrom(3));
const random = randomFrom(4);
/** A power of two of them. */
const sizes = Int32Array.from({ length: 4096 }, () => 8 + Math.floor(random() * 57));

/**
 * @template T
 * @param {Allocator<T>} allocator
 * @returns {Implementation}
 */
const batches = ({ alloc, free }) => {
  /** @type {T[]} */
  const batch = [];
  return {
    run(n) {
      for (let done = 0; done < n; done += BATCH) {
        for (let i = 0; i < BATCH; i++) batch[i] = alloc(sizes[(done + i) & 4095]);
        for (let i = 0; i < BATCH; i++) free(batch[order[i]]);
      }
      return batch;
    },
  };
};

/**
 * Nanoseconds for an allocation and its free, by how many others are live: one allocator for each.
 * @template T
 * @param {() => Promise<Allocator<T>>} make
 * @param {(allocator: Allocator<T>, count: number) => unknown} fill allocates and keeps so many
 */
export async function byLive(make, fill) {
  /** @type {Record<string, Implementation>} */
  const implementations = {};
  const kept = [];
  for (const count of COUNTS) {
    const allocator = await make();
    kept.push(fill(allocator, count));
    implementations[`${count.toLocaleString('en')} live, ns`] = batches(allocator);
  }
  const { samples } = await measure(implementations, { samples: 15, n: 100 * BATCH });
  const medians = Object.entries(samples).map(([name, values]) => [name, median(values)]);
  const all = medians.map(([, value]) => Number(value));
  if (kept.length !== COUNTS.length) throw new Error('what is live was not kept');
  return { ...Object.fromEntries(medians), [SPREAD]: Math.max(...all) / Math.min(...all) };
}
