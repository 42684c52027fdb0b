import { MAX_CELL_SIZE, MIN_ALIGNMENT } from '#layout';
import { CellRow } from './cell-row.js';
import { bufferFreed, heapDisposed, heapExhausted } from './errors.js';
import {
  addressOf,
  binOf,
  HeapBuffer,
  isLive,
  KEY,
  leaseOf,
  park,
  retire,
  unpark,
} from './heap-buffer.js';
import { clear, lengthOf } from './host.js';
import { Leases } from './lease.js';
import { noteIn } from './scope.js';
import { ViewCache } from './view-cache.js';

/** @import { Heap } from './heap.js' */
/** @import { Lease } from './lease.js' */
/** @import { Region } from './region.js' */
/** @import { Regions } from './regions.js' */
/** @import { Scope } from './scope.js' */
/** @import { Bin } from './view-cache.js' */

/** What is held before the garbage collector hears of it: a share of a region, and the most. */
const UNWEIGHED_SHARE = 6;
const MOST_UNWEIGHED = 40 << 20;

/**
 * Where there was no room and the heap fell back, so many more requests do so without looking again
 * everywhere, unless something was given back meanwhile.
 */
const PATIENCE = 64;

/** The share of a region that parked views and their cells may take: a sixteenth. */
const CACHE_SHARE = 16;

/**
 * Cells are fetched by rows of so many bytes: the share of a region, so that all size classes together
 * take a hundredth of it, but no less than this.
 */
const ROW_SHARE = 4096;
const LEAST_ROW = 4096;
/** The most that C++ gives at once: a word of a slab's bitmap. */
const ROW_CELLS = 64;

/**
 * A view of the next cell of the bin's row, which must have one.
 * @param {Bin} bin
 * @param {number} length
 */
function newView(bin, length) {
  const { row } = bin;
  const { memory, lease, bin: other } = row;
  return new HeapBuffer(
    /** @type {ArrayBuffer} */ (memory),
    row.take(),
    length,
    other === undefined ? bin : other,
    lease,
    KEY,
  );
}

/**
 * The hot path of a buffer that is dropped rather than freed: a new view where a cell is at hand,
 * else undefined. Any contents.
 * @param {Bin[]} bins
 * @param {unknown} size any value at all
 * @returns {HeapBuffer | undefined}
 */
export function fresh(bins, size) {
  if (typeof size !== 'number' || !(size > 0 && size < bins.length)) return undefined;
  const length = Math.floor(size);
  const bin = bins[length];
  if (bin.row.left === 0) return undefined;
  bin.forget();
  return newView(bin, length);
}

/**
 * The same for one whose bytes are zero.
 * @param {Bin[]} bins
 * @param {unknown} size any value at all
 * @returns {HeapBuffer | undefined}
 */
export function freshZeroed(bins, size) {
  if (typeof size !== 'number' || !(size > 0 && size < bins.length)) return undefined;
  const length = Math.floor(size);
  const bin = bins[length];
  const { left, zero, next, region } = bin.row;
  if (left === 0) return undefined;
  if (!zero) /** @type {Region} */ (region).zero(next, length);
  bin.forget();
  return newView(bin, length);
}

/**
 * Where a heap's buffers come from: parked views first, then new ones on cells or pages of the
 * regions. Sizes here are checked and whole. Methods are not private ones (`#name`), which V8 of
 * Node 20 takes 7 ns to call.
 */
export class Allocator {
  /** @type {Regions | undefined} Undefined once the heap was disposed of. */
  #regions;
  /** @type {CellRow[]} by size class */
  #rows;
  leases;
  cache;
  /** The cache's own array. */
  bins;
  /** @type {Scope | undefined} that takes note of every buffer made */
  scope;
  /** How many buffers were handed out that are not in the heap. */
  fallbacks = 0;
  #fallback;
  #zeroOnFree;
  #rowBytes;
  #peak = 0;
  #patience = 0;

  /**
   * @param {Heap} heap
   * @param {Regions} regions
   * @param {object} options
   * @param {boolean} options.fallback whether ordinary buffers are made when there is no room
   * @param {boolean} options.zeroOnFree whether what comes back is cleared at once
   */
  constructor(heap, regions, { fallback, zeroOnFree }) {
    this.#regions = regions;
    this.#fallback = fallback;
    const { home } = regions;
    this.#rowBytes = Math.max(LEAST_ROW, home.size / ROW_SHARE);
    this.#rows = home.cellSizes.map((cellSize, sizeClass) => new CellRow(sizeClass, cellSize));
    this.cache = new ViewCache(heap, home.size / CACHE_SHARE, (view) => this.giveBack(view));
    this.bins = this.cache.bins;
    this.#zeroOnFree = zeroOnFree;
    this.leases = new Leases(
      ({ region, address, bytes, isRun }, from, keep) => {
        if (isRun) {
          if (zeroOnFree) region.zero(address, bytes);
          region.free(address);
        } else if (region.reclaim(from, keep) > 0 && zeroOnFree) {
          // Only now: where nothing was reclaimed, the page may be somebody else's by now.
          region.zero(address, bytes);
        }
        this.#patience = 0;
        this.dropIfEmpty(region);
      },
      Math.min(MOST_UNWEIGHED, home.size / UNWEIGHED_SHARE),
    );
  }

  /**
   * @returns {Regions}
   * @throws ERR_HEAP_DISPOSED
   */
  get regions() {
    if (this.#regions === undefined) throw heapDisposed();
    return this.#regions;
  }

  get isDisposed() {
    return this.#regions === undefined;
  }

  /**
   * The end: see Heap.dispose.
   * @returns {string[]} what was not in order
   */
  dispose() {
    this.#regions = undefined;
    this.cache.abandon();
    this.leases.dispose();
    for (const row of this.#rows) row.left = 0;
    this.#rows = [];
    return [];
  }

  /**
   * What is not in order, each in words.
   * @returns {string[]}
   */
  problems() {
    const texts = this.regions.list.map((region) => region.findProblem());
    return texts.filter((text) => text !== '');
  }

  /**
   * That a buffer was freed before.
   * @param {HeapBuffer} _view
   */
  freedError(_view) {
    return bufferFreed();
  }

  /**
   * From the slabs as far as they go; any contents.
   * @param {number} size
   * @returns {HeapBuffer}
   */
  pooled(size) {
    const view = unpark(this.bins, size);
    return view === undefined ? this.cell(size) : this.noted(view);
  }

  /**
   * New, from the slabs as far as they go; any contents.
   * @param {number} size
   * @returns {HeapBuffer}
   */
  cell(size) {
    if (size === 0 || size > MAX_CELL_SIZE) return this.pages(size, MIN_ALIGNMENT);
    const bin = this.binWithCells(size);
    return bin === undefined ? this.outside(size) : this.noted(newView(bin, size));
  }

  /**
   * Zeroed, from the slabs as far as they go.
   * @param {number} size
   * @returns {HeapBuffer}
   */
  zeroed(size) {
    const { home } = this.regions;
    if (size === 0 || size > MAX_CELL_SIZE) {
      return this.wrap(size, MIN_ALIGNMENT, (region) => region.allocZeroed(size));
    }
    const parked = unpark(this.bins, size);
    if (parked !== undefined) {
      home.zero(addressOf(parked), size);
      return this.noted(parked);
    }
    const bin = this.binWithCells(size);
    if (bin === undefined) return this.outside(size);
    const { zero, next, region } = bin.row;
    if (!zero) /** @type {Region} */ (region).zero(next, size);
    return this.noted(newView(bin, size));
  }

  /**
   * New, from the slabs as far as they go.
   * @param {number} size
   * @param {number} alignment a power of two
   */
  alignedCell(size, alignment) {
    const { regions } = this;
    const { cellSizes } = regions.home;
    const sizeClass = cellSizes.findIndex((cell) => cell >= size && cell % alignment === 0);
    if (size === 0 || sizeClass < 0) return this.pages(size, alignment);
    const row = new CellRow(sizeClass, cellSizes[sizeClass]);
    if (!this.refill(row, regions, size, 1)) return this.outside(size);
    const memory = /** @type {ArrayBuffer} */ (row.memory);
    const { unparked } = this.cache;
    return this.noted(new HeapBuffer(memory, row.take(), size, unparked, row.lease, KEY));
  }

  /**
   * New, in pages of its own.
   * @param {number} size
   * @param {number} alignment a power of two
   */
  run(size, alignment) {
    return this.pages(size, alignment);
  }

  /**
   * @param {number} size
   * @param {number} alignment a power of two
   */
  pages(size, alignment) {
    return this.wrap(size, alignment, (region) => region.allocRun(size, alignment));
  }

  /**
   * An ordinary buffer, for want of room.
   * @param {number} size
   */
  outside(size) {
    let memory;
    try {
      memory = new ArrayBuffer(size);
    } catch (cause) {
      throw Object.assign(this.exhausted(size), { cause });
    }
    this.fallbacks++;
    return this.noted(new HeapBuffer(memory, 0, size, this.cache.unparked, undefined, KEY));
  }

  /**
   * Takes a live view of this heap back.
   * @param {HeapBuffer} view
   */
  release(view) {
    const bin = /** @type {Bin} */ (binOf(view));
    if (this.#zeroOnFree) clear(view);
    if (park(view, bin.heap)) return;
    retire(view);
    if (!this.cache.keep(view, bin)) this.giveBack(view);
  }

  /**
   * Takes back a view, unless it was freed, whatever has become of the heap meanwhile.
   * @param {HeapBuffer} view
   */
  discard(view) {
    if (this.#regions !== undefined && isLive(view)) this.release(view);
  }

  /**
   * Takes back a view that the caller never got: none was handed out.
   * @param {HeapBuffer} view
   */
  forgo(view) {
    if (leaseOf(view) === undefined && lengthOf(view) > 0) this.fallbacks--;
    this.discard(view);
  }

  /**
   * The block of a view, which is not to be used any more.
   * @param {HeapBuffer} view
   */
  giveBack(view) {
    const lease = leaseOf(view);
    if (lease !== undefined) this.giveBackBlock(lease, addressOf(view));
  }

  /**
   * @param {Lease} lease
   * @param {number} address
   */
  giveBackBlock(lease, address) {
    const { region, isRun } = lease.record;
    region.free(address);
    this.#patience = 0;
    if (isRun) this.leases.endRun(lease);
    this.dropIfEmpty(region);
  }

  /** Gives back all that was kept for quick use, and the regions that are empty then. */
  trim() {
    const { regions } = this;
    this.leases.sweep();
    this.cache.flush();
    for (const row of this.#rows) row.release();
    for (const region of regions.list) {
      region.trim();
      this.dropIfEmpty(region, true);
    }
  }

  /**
   * A region, other than the first, of which only rows hold anything.
   * @param {Region} region
   * @param {boolean} [always] though regions come and go all the time
   */
  dropIfEmpty(region, always = false) {
    const regions = this.#regions;
    if (regions === undefined || region === regions.home) return;
    if (!always && !regions.dropsEmpty) return;
    let rest = region.liveBytes;
    if (rest > this.#rows.length * MAX_CELL_SIZE) return;
    for (const row of this.#rows) if (row.region === region) rest -= row.left * row.cellSize;
    // A listener may have had it dropped meanwhile.
    if (rest > 0 || !regions.list.includes(region)) return;
    for (const row of this.#rows) {
      if (row.region !== region) continue;
      row.left = 0;
      row.region = row.memory = row.lease = undefined;
    }
    this.notePeak(regions.peak);
    this.leases.forget(region);
    regions.drop(region);
  }

  /** What is kept for quick use now: blocks, and their bytes. */
  kept() {
    let { bytes, buffers } = this.cache.parked();
    for (const { left, cellSize } of this.#rows) {
      bytes += left * cellSize;
      buffers += left;
    }
    return { bytes, buffers };
  }

  /**
   * The bin of a length, with at least one cell in its row; undefined where there is none and the
   * heap shall fall back.
   * @param {number} size 1 to MAX_CELL_SIZE
   * @returns {Bin | undefined}
   */
  binWithCells(size) {
    const { bins, cache, regions } = this;
    let bin = size < bins.length ? bins[size] : cache.unseen;
    if (bin === cache.unseen) {
      const row = this.#rows.find(({ cellSize }) => cellSize >= size);
      bin = cache.bin(size, /** @type {CellRow} */ (row));
    }
    const { row } = bin;
    if (row.left === 0) {
      const most = Math.min(ROW_CELLS, Math.max(1, Math.floor(this.#rowBytes / row.cellSize)));
      if (!this.refill(row, regions, size, most)) return undefined;
    }
    bin.forget();
    return bin;
  }

  /**
   * @param {CellRow} row an empty one
   * @param {Regions} regions
   * @param {number} size for which it is needed
   * @param {number} most cells
   * @returns {boolean} false where there is no room and the heap shall fall back
   */
  refill(row, regions, size, most) {
    // First without the closure that `find` needs, and the list.
    if (this.fill(row, regions.home, regions, most)) return true;
    // Into another one: a listener that is called on the way may use this one.
    const other = new CellRow(row.sizeClass, row.cellSize);
    const filled = this.find(
      size,
      MIN_ALIGNMENT,
      (region) => this.fill(other, region, regions, most) || undefined,
    );
    if (filled === undefined) return false;
    row.release();
    Object.assign(row, other);
    return true;
  }

  /**
   * @param {CellRow} row an empty one
   * @param {Region} region
   * @param {Regions} regions
   * @param {number} most cells
   */
  fill(row, region, { home }, most) {
    const isFresh = region.fill(row, most);
    if (isFresh === undefined) return false;
    row.lease = this.leases.ofSlab(region, row.next, row.left, isFresh, row.lease);
    row.region = region;
    row.memory = region.buffer;
    row.bin = region === home ? undefined : this.cache.unparked;
    return true;
  }

  /**
   * What some region has, having made room where none has: what nobody refers to any more, then all
   * that is kept for quick use, then another region. Undefined when the heap shall fall back.
   * @template T
   * @param {number} size
   * @param {number} alignment
   * @param {(region: Region) => T | undefined} attempt
   * @returns {T | undefined}
   */
  find(size, alignment, attempt) {
    if (this.#patience > 0) {
      this.#patience--;
      return undefined;
    }
    // Listeners are called on the way, and may even dispose of the heap: `regions` is read each time.
    for (let step = 0; step < 3; step++) {
      const { list } = this.regions;
      for (let i = 0; i < list.length; i++) {
        const found = attempt(list[i]);
        if (found !== undefined) return found;
      }
      if (step === 0) this.leases.sweep();
      else if (step === 1) this.trim();
    }
    /** @type {T | undefined} */
    let found;
    const cause = this.regions.add(size, alignment, (region) => {
      found = attempt(region);
      return found !== undefined;
    });
    void this.regions;
    if (found !== undefined) return found;
    if (!this.#fallback) throw this.exhausted(size, cause);
    this.#patience = PATIENCE;
    return undefined;
  }

  /**
   * @param {number} size
   * @param {unknown} [cause] why the engine refused another region
   */
  exhausted(size, cause) {
    const { list, reserved } = this.regions;
    let live = 0;
    for (const region of list) live += region.liveBytes;
    const error = heapExhausted(size, live, reserved);
    return cause === undefined ? error : Object.assign(error, { cause });
  }

  /**
   * A view with pages of its own, not kept when it is freed.
   * @param {number} size
   * @param {number} alignment
   * @param {(region: Region) => number} allocate gives the address, or 0
   */
  wrap(size, alignment, allocate) {
    const { home } = this.regions;
    if (size === 0) {
      return this.noted(new HeapBuffer(home.buffer, 0, 0, this.cache.unparked, undefined, KEY));
    }
    const place = this.find(size, alignment, (region) => {
      const address = allocate(region);
      if (address === 0) return undefined;
      return { region, address, lease: this.leases.ofRun(region, address, size) };
    });
    if (place === undefined) return this.outside(size);
    const { region, address, lease } = place;
    return this.noted(
      new HeapBuffer(region.buffer, address, size, this.cache.unparked, lease, KEY),
    );
  }

  /**
   * The most that was ever live: of all regions at the same time, as far as is known.
   * @param {number} peaks of the regions that there are now, together
   */
  notePeak(peaks) {
    this.#peak = Math.max(this.#peak, peaks);
    return this.#peak;
  }

  /** @param {HeapBuffer} view */
  noted(view) {
    if (this.scope !== undefined) noteIn(this.scope, view);
    return view;
  }
}
