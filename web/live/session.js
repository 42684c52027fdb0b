import { createHeapSync } from 'slabring';
import { randomFrom } from '../../bench/harness/random.js';
import { makePageMap, readPages } from './page-map.js';
import { workloadOf } from './workloads.js';

/** @import { Heap } from 'slabring' */
/** @import { PageMap, PageSource } from './page-map.js' */
/** @import { Running } from './workloads.js' */

const PAGE = 65536;

/**
 * @typedef {object} SessionOptions
 * @property {string} workload
 * @property {number} size of it, see its scale
 * @property {number} regionSize bytes
 * @property {number} maxBytes
 * @property {'throw' | 'fallback'} onExhausted
 * @property {number} seed
 *
 * @typedef {PageSource & {
 *   live_tick_segments: () => number,
 *   live_async_capacity: () => number,
 * }} Kernel what web/live/live.cpp exports
 *
 * @typedef {'region added' | 'region dropped' | 'exhausted' | 'fallback' | 'trimmed' | 'freed all' | 'new heap'} EventKind
 *
 * @typedef {object} LiveEvent
 * @property {EventKind} kind
 * @property {string} text
 * @property {number} count how often in a row
 *
 * @typedef {object} Snapshot of one instant
 * @property {number} sequence counts up, over all heaps
 * @property {number} heap counts heaps
 * @property {number} steps done
 * @property {Uint32Array} regionPages of each region
 * @property {PageMap} map of all regions, one after another
 * @property {Uint32Array} classes cell size, slabs and cells handed out, of each size class
 * @property {Figures} figures
 * @property {LiveEvent[]} events since the last one
 *
 * @typedef {object} Figures in bytes where not said otherwise
 * @property {number} reserved
 * @property {number} touched pages that were ever handed out, and the module's own
 * @property {number} inUse pages in slabs and runs
 * @property {number} live blocks handed out
 * @property {number} cached of pages in use: kept for quick use
 * @property {number} asked for by the workload, in what it holds of the heap
 * @property {number} outside held, but of no region
 * @property {number} buffers handed out
 * @property {number} fallbacks buffers that came from outside, ever
 * @property {number} refused steps that found no room
 * @property {number} ticks queued
 * @property {number} mostTicks since the last snapshot
 * @property {number} segments
 * @property {number} depth pairs of ids
 * @property {number} capacity
 */

/** One heap with a workload on it, as fast as it is told to run. Knows of no worker and no page. */
export class Session {
  /** @type {Heap} */
  #heap;
  /** @type {Running} */
  #running;
  #workload;
  #size;
  /** @type {Kernel[]} of each region, home first, as in heap.stats() */
  #kernels;
  #home;
  #number;
  #steps = 0;
  #refused = 0;
  #mostTicks = 0;
  #fallbacks = 0;
  /** @type {LiveEvent[]} */
  #events = [];

  static #heaps = 0;
  static #snapshots = 0;

  /**
   * @param {WebAssembly.Module} module of web/live/live.cpp
   * @param {SessionOptions} options
   */
  constructor(module, { workload, size, regionSize, maxBytes, onExhausted, seed }) {
    const heap = createHeapSync(module, { regionSize, maxBytes, onExhausted });
    this.#heap = heap;
    this.#size = size;
    this.#number = ++Session.#heaps;
    this.#home = kernelOf(heap.exportsOf(heap.alloc(0)));
    this.#kernels = [this.#home];
    heap.onRegion(({ type, size: bytes, regions, exports }) => {
      const kernel = kernelOf(exports);
      if (type === 'added') this.#kernels.push(kernel);
      else this.#kernels = this.#kernels.filter((other) => other !== kernel);
      const what = `${mib(bytes)}, now ${regions} ${regions === 1 ? 'region' : 'regions'}`;
      this.#tell(`region ${type}`, what);
    });
    this.#workload = workloadOf(workload);
    this.#running = this.#workload.start(heap, randomFrom(seed), () => this.#size, {
      regionSize,
      maxBytes,
    });
    this.#tell('new heap', `regions of ${mib(regionSize)}, ${mib(maxBytes)} at most`);
  }

  /** @param {number} size */
  resize(size) {
    this.#size = size;
  }

  /** One step; whether there was room for it. */
  step() {
    this.#steps++;
    try {
      this.#running.step();
    } catch (/** @type {any} */ error) {
      if (error?.code !== 'ERR_HEAP_EXHAUSTED') throw error;
      this.#refused++;
      this.#tell('exhausted', error.message);
      this.#running.relieve();
      return false;
    }
    if (this.#workload.id === 'ticks') {
      const { size } = this.#heap.ticks;
      if (size > this.#mostTicks) this.#mostTicks = size;
    }
    return true;
  }

  trim() {
    const before = this.#inUse();
    this.#heap.trim();
    this.#tell('trimmed', `${mib(before - this.#inUse())} of pages given back`);
  }

  freeAll() {
    const { count } = this.#running.held;
    this.#running.stop();
    this.#tell('freed all', `${count.toLocaleString('en')} buffers were held`);
  }

  dispose() {
    this.#running.stop();
    this.#heap.dispose();
  }

  /** What the heap itself says, as it is: for whoever wants to compare. */
  report() {
    return { stats: this.#heap.stats(), check: this.#heap.check() };
  }

  /** @returns {Snapshot} */
  snapshot() {
    const heap = this.#heap;
    const stats = heap.stats();
    const regionPages = Uint32Array.from(stats.regions, ({ reserved }) => reserved / PAGE);
    const map = makePageMap(stats.reserved / PAGE);
    let from = 0;
    let touched = 0;
    let inUse = 0;
    for (const [i, region] of stats.regions.entries()) {
      readPages(this.#kernels[i], map, from, regionPages[i]);
      from += regionPages[i];
      touched += region.touched + region.reserved - region.usable;
      inUse += region.inUse;
    }
    const classes = new Uint32Array(stats.sizeClasses.length * 3);
    for (const [i, { cellSize, slabs, live }] of stats.sizeClasses.entries()) {
      classes.set([cellSize, slabs, live], i * 3);
    }
    const fallbacks = stats.fallbacks - this.#fallbacks;
    if (fallbacks > 0) {
      this.#fallbacks = stats.fallbacks;
      this.#tell('fallback', `${stats.fallbacks.toLocaleString('en')} buffers so far`, fallbacks);
    }
    const { held } = this.#running;
    const ticks = heap.ticks.size;
    const snapshot = {
      sequence: ++Session.#snapshots,
      heap: this.#number,
      steps: this.#steps,
      regionPages,
      map,
      classes,
      figures: {
        reserved: stats.reserved,
        touched,
        inUse,
        live: stats.live.bytes,
        cached: stats.cached.bytes,
        asked: held.bytes,
        outside: held.outside,
        buffers: stats.live.buffers,
        fallbacks: stats.fallbacks,
        refused: this.#refused,
        ticks,
        mostTicks: Math.max(ticks, this.#mostTicks),
        segments: this.#home.live_tick_segments(),
        depth: heap.asyncIds.depth,
        capacity: this.#home.live_async_capacity(),
      },
      events: this.#events,
    };
    this.#events = [];
    this.#mostTicks = 0;
    return snapshot;
  }

  #inUse() {
    return this.#heap.stats().regions.reduce((sum, region) => sum + region.inUse, 0);
  }

  /**
   * @param {EventKind} kind
   * @param {string} text
   * @param {number} [count]
   */
  #tell(kind, text, count = 1) {
    const last = this.#events.at(-1);
    if (last?.kind === kind) {
      last.text = text;
      last.count += count;
    } else {
      this.#events.push({ kind, text, count });
    }
  }
}

/** What of a snapshot goes to another thread without a copy. @param {Snapshot} snapshot */
export const buffersOf = ({ regionPages, map, classes }) => [
  regionPages.buffer,
  map.kinds.buffer,
  map.used.buffer,
  classes.buffer,
];

/** @param {unknown} exports */
const kernelOf = (exports) => /** @type {Kernel} */ (exports);

/** @param {number} bytes */
const mib = (bytes) =>
  `${(bytes / 2 ** 20).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`;
