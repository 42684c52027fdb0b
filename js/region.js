import createGlue from '#glue';
import {
  CLASS_STATS_CELL_SIZE,
  CLASS_STATS_LIVE_CELLS,
  CLASS_STATS_SLABS,
  CLASS_STATS_WORDS,
  MAX_PAGES,
  PAGE_SIZE,
  ROW_COUNT,
  ROW_FRESH,
  ROW_ZERO,
  SIZE_CLASSES,
  STATS_HIGH_WATER_PAGES,
  STATS_LIVE_BYTES,
  STATS_LIVE_RUNS,
  STATS_PAGE_COUNT,
  STATS_PAGES_IN_USE,
  STATS_PEAK_BYTES,
  STATS_SIZE_CLASSES,
  TICK_IDLE,
  TICK_STATE,
} from '#layout';

/** @import { CellRow } from './cell-row.js' */

/**
 * What a WebAssembly instance exports: functions of numbers, by name.
 * @typedef {Record<string, (...args: number[]) => number>} Exports
 */

/**
 * What Embind registers: cpp/bindings/embind.cpp.
 * @typedef {object} Control
 * @property {() => boolean} regionExists
 * @property {() => Uint32Array} regionStats
 * @property {() => Uint32Array} rowResult
 * @property {() => Int32Array} tickControl
 * @property {() => Int32Array} asyncIdControl
 */

/** The largest region, and so more than any buffer can have, in bytes: 4 GiB. */
export const MAX_REGION_SIZE = MAX_PAGES * PAGE_SIZE;

/** The smallest that holds a module's own data and leaves pages to hand out, in bytes: 1 MiB. */
export const MIN_REGION_SIZE = 16 * PAGE_SIZE;

// Up to here the engine's own stores are quicker than a call.
const SMALL = 64;

let made = 0;

/**
 * One WebAssembly.Memory that never grows, with one instance of the module that hands it out. The
 * one place that holds views of a whole memory.
 */
export class Region {
  /** No other region of this process has it. */
  number = made++;
  /** Bytes, the module's own data and the allocator's bookkeeping included. */
  size;
  /**
   * Of a Memory that never grows, so it never changes. The Memory itself is given to nobody.
   * @type {ArrayBuffer}
   */
  buffer;
  /** What the module exports, kernels that were linked into it among them. */
  exports;
  /** Bytes of a cell, by size class, smallest first. */
  cellSizes;

  /** What the tick queue and the id stack share with C++. */
  tickControl;
  asyncIdControl;
  /**
   * Called when C++ has pushed a tick and nobody is asked to drain the queue yet.
   * @type {() => void}
   */
  schedule = () => {};

  /** Bytes that the module had taken before anybody asked for a block. */
  #own;
  #stats;
  #row;
  #allocRow;
  #f64;
  #zero;
  #free;

  /**
   * Reserves address space; no page of it is resident before it is used.
   * @param {WebAssembly.Module} module
   * @param {number} size bytes, a multiple of 64 KiB from MIN_REGION_SIZE to MAX_REGION_SIZE
   * @throws RangeError when the engine refuses a memory of that size
   */
  constructor(module, size) {
    const pages = size / PAGE_SIZE;
    this.size = size;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.buffer = memory.buffer;
    /** @type {WebAssembly.Instance | undefined} */
    let instance;
    /** @type {unknown} */
    let failure;
    // The glue calls back before it returns, and adds what Embind registers to this object.
    const host = {
      wasmMemory: memory,
      schedule: () => this.schedule(),
      /**
       * @param {WebAssembly.Imports} imports
       * @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} done
       */
      instantiateWasm: (imports, done) => {
        // What is thrown here the glue reports in its own way, and goes on.
        try {
          instance = new WebAssembly.Instance(module, imports);
          done(instance, module);
          return instance.exports;
        } catch (error) {
          failure = error;
          return {};
        }
      },
    };
    createGlue(host);
    if (failure !== undefined) throw failure;
    const control = /** @type {Control} */ (/** @type {unknown} */ (host));
    this.exports = /** @type {Exports} */ (
      /** @type {WebAssembly.Instance} */ (/** @type {unknown} */ (instance)).exports
    );
    if (!control.regionExists()) throw new RangeError(`No region fits in ${size} bytes`);
    // Now: what others may do to Array.prototype later, Embind would notice.
    this.tickControl = control.tickControl();
    this.asyncIdControl = control.asyncIdControl();
    this.#stats = control.regionStats();
    this.#row = control.rowResult();
    this.cellSizes = Array.from(
      { length: SIZE_CLASSES },
      (_, i) => this.#stats[STATS_SIZE_CLASSES + i * CLASS_STATS_WORDS + CLASS_STATS_CELL_SIZE],
    );
    this.#f64 = new Float64Array(this.buffer, 0, Math.floor(this.buffer.byteLength / 8));
    this.#own = this.#stats[STATS_LIVE_BYTES];
    this.#zero = this.exports.sr_zero;
    this.#allocRow = this.exports.sr_alloc_row;
    this.#free = this.exports.sr_free;
  }

  // The address of a block, or 0 when there is no room. A size that would wrap around in 32 bits
  // is none that fits.

  /**
   * Fetches a row of cells, each a block to be freed by itself.
   * @param {CellRow} row an empty one
   * @param {number} most cells
   * @returns {boolean | undefined} whether their slab is new; undefined, with nothing changed, when
   *   there is no room
   */
  fill(row, most) {
    const address = this.#allocRow(row.sizeClass, most);
    if (address === 0) return undefined;
    const result = this.#row;
    row.next = address >>> 0;
    row.left = result[ROW_COUNT];
    row.zero = result[ROW_ZERO] !== 0;
    return result[ROW_FRESH] !== 0;
  }

  /**
   * Pages of its own for more than a cell can hold, all zero.
   * @param {number} size more than MAX_CELL_SIZE
   */
  allocZeroed(size) {
    return size < this.size ? this.exports.sr_alloc_zeroed(size) >>> 0 : 0;
  }

  /**
   * Pages of its own, shared with no other block.
   * @param {number} size
   * @param {number} alignment a power of two, at most 2^31
   */
  allocRun(size, alignment) {
    return size < this.size ? this.exports.sr_alloc_run(size, alignment) >>> 0 : 0;
  }

  /** @param {number} address of a live block; 0 of any other */
  usableSize(address) {
    return this.exports.sr_usable_size(address) >>> 0;
  }

  /** @param {number} address of a live block */
  free(address) {
    this.#free(address);
  }

  /**
   * Frees all cells of a slab that rows came from.
   * @param {number} address in it
   * @param {number} keep cells from there on that are not freed
   * @returns {number} their bytes; 0 when that page is no such slab any more
   */
  reclaim(address, keep) {
    return this.exports.sr_reclaim(address, keep) >>> 0;
  }

  /** Bytes in blocks that somebody holds. Cheap. */
  get liveBytes() {
    return this.#stats[STATS_LIVE_BYTES] - this.#own;
  }

  /**
   * Clears the start of a block; up to 7 bytes more, since blocks are whole 8-byte words.
   * @param {number} address
   * @param {number} size at least 1
   */
  zero(address, size) {
    if (size > SMALL) {
      this.#zero(address, size);
      return;
    }
    const words = this.#f64;
    let word = address >>> 3;
    const last = (address + size - 1) >>> 3;
    do words[word] = 0;
    while (++word <= last);
  }

  /** All of the memory, for the tick queue and the id stack: their blocks move. */
  get words() {
    return this.#f64;
  }

  /** Runs the ticks that C++ pushed here, in a region other than that of JavaScript's. */
  runNativeTicks() {
    try {
      this.exports.sr_tick_run_native();
    } finally {
      this.tickControl[TICK_STATE] |= TICK_IDLE;
    }
  }

  /** Gives pages that hold nothing back to the page heap. */
  trim() {
    this.exports.sr_tick_trim();
    this.exports.sr_trim();
  }

  /** What does not agree when everything is counted again, the first of it; empty when all does. */
  findProblem() {
    const { sr_find_problem, sr_tick_find_problem } = this.exports;
    return this.text(sr_find_problem() || (sr_tick_find_problem?.() ?? 0));
  }

  /**
   * What C++ says.
   * @param {number} address of a zero-terminated text, or 0 for none
   */
  text(address) {
    if (address === 0) return '';
    const bytes = new Uint8Array(this.buffer, address);
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
  }

  stats() {
    this.exports.sr_refresh_stats();
    const words = this.#stats;
    let blocks = words[STATS_LIVE_RUNS];
    const sizeClasses = this.cellSizes.map((cellSize, i) => {
      const at = STATS_SIZE_CLASSES + i * CLASS_STATS_WORDS;
      const live = words[at + CLASS_STATS_LIVE_CELLS];
      blocks += live;
      return { cellSize, live, slabs: words[at + CLASS_STATS_SLABS] };
    });
    return {
      reserved: this.size,
      usable: words[STATS_PAGE_COUNT] * PAGE_SIZE,
      touched: words[STATS_HIGH_WATER_PAGES] * PAGE_SIZE,
      resident: this.size + (words[STATS_HIGH_WATER_PAGES] - words[STATS_PAGE_COUNT]) * PAGE_SIZE,
      inUse: words[STATS_PAGES_IN_USE] * PAGE_SIZE,
      live: { bytes: words[STATS_LIVE_BYTES], blocks },
      peak: words[STATS_PEAK_BYTES],
      sizeClasses,
    };
  }
}
