import { MAX_CELL_SIZE, MIN_ALIGNMENT } from '#layout';
import { CellRow } from './cell-row.js';
import { heapDisposed, heapExhausted } from './errors.js';
import { binOf, HeapBuffer, isLive, KEY, park, retire, unpark } from './heap-buffer.js';
import { byteOffsetOf, lengthOf } from './host.js';
import { ViewCache } from './view-cache.js';

/** @import { Heap } from './heap.js' */
/** @import { Region } from './region.js' */
/** @import { Bin } from './view-cache.js' */

/** The share of a region that parked views and their cells may take: a sixteenth. */
const CACHE_SHARE = 16;

/** Cells are fetched by rows of this many bytes, and one at a time from this size on. */
const ROW_BYTES = 4096;
/** The most that C++ gives at once: a word of a slab's bitmap. */
const ROW_CELLS = 64;

/**
 * A view of the next cell of the bin's row, which must have one.
 * @param {Bin} bin
 * @param {number} length
 */
function newView(bin, length) {
  const { row } = bin;
  return new HeapBuffer(row.memory, row.take(), length, bin, KEY);
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
 * Where a heap's buffers come from: parked views first, then new ones on cells or pages of the
 * region. Sizes here are checked and whole. Methods are not private ones (`#name`), which V8 of
 * Node 20 takes 7 ns to call.
 */
export class Allocator {
  /** @type {Region | undefined} Undefined once the heap was disposed of. */
  #region;
  /** @type {CellRow[]} by size class */
  #rows;
  cache;
  /** The cache's own array. */
  bins;

  /**
   * @param {Heap} heap
   * @param {Region} region
   */
  constructor(heap, region) {
    this.#region = region;
    this.#rows = region.cellSizes.map(
      (cellSize, sizeClass) => new CellRow(region.buffer, sizeClass, cellSize),
    );
    this.cache = new ViewCache(heap, region.size / CACHE_SHARE, (view) => {
      region.free(byteOffsetOf(view));
    });
    this.bins = this.cache.bins;
  }

  /**
   * @returns {Region}
   * @throws ERR_HEAP_DISPOSED
   */
  get region() {
    if (this.#region === undefined) throw heapDisposed();
    return this.#region;
  }

  /** The end: see Heap.dispose. */
  dispose() {
    this.#region = undefined;
    this.cache.abandon();
    for (const row of this.#rows) row.left = 0;
    this.#rows = [];
  }

  /**
   * From the slabs as far as they go; any contents.
   * @param {number} size
   * @returns {HeapBuffer}
   */
  pooled(size) {
    return unpark(this.bins, size) ?? this.cell(size);
  }

  /**
   * New, from the slabs as far as they go; any contents.
   * @param {number} size
   * @returns {HeapBuffer}
   */
  cell(size) {
    if (size === 0 || size > MAX_CELL_SIZE) return this.run(size, MIN_ALIGNMENT);
    return newView(this.binWithCells(size), size);
  }

  /**
   * New and zeroed.
   * @param {number} size
   * @returns {HeapBuffer}
   */
  zeroed(size) {
    const { region } = this;
    if (size === 0 || size > MAX_CELL_SIZE) {
      return this.wrap(size, size && this.orRetry(size, region.allocZeroed, MIN_ALIGNMENT));
    }
    const bin = this.binWithCells(size);
    const { zero, next } = bin.row;
    if (!zero) region.zero(next, size);
    return newView(bin, size);
  }

  /**
   * New, from the slabs as far as they go.
   * @param {number} size
   * @param {number} alignment a power of two
   */
  alignedCell(size, alignment) {
    const { allocAligned } = this.region;
    return this.wrap(size, size && this.orRetry(size, allocAligned, alignment));
  }

  /**
   * New, in pages of its own.
   * @param {number} size
   * @param {number} alignment a power of two
   */
  run(size, alignment) {
    const { allocRun } = this.region;
    return this.wrap(size, size && this.orRetry(size, allocRun, alignment));
  }

  /**
   * Takes a live view of this heap back.
   * @param {HeapBuffer} view
   */
  release(view) {
    const { region } = this;
    const bin = /** @type {Bin} */ (binOf(view));
    if (park(view, bin.heap)) return;
    retire(view);
    if (this.cache.keep(view, bin)) return;
    if (lengthOf(view) !== 0) region.free(byteOffsetOf(view));
  }

  /**
   * Takes back a view that the caller never got, whatever has become of the heap meanwhile.
   * @param {HeapBuffer} view
   */
  discard(view) {
    if (this.#region !== undefined && isLive(view)) this.release(view);
  }

  /** Gives back to the page heap all that was kept for quick use. */
  trim() {
    const { region } = this;
    this.cache.flush();
    for (const row of this.#rows) {
      while (row.left > 0) region.free(row.take());
    }
    region.trim();
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
   * The bin of a length, with at least one cell in its row.
   * @param {number} size 1 to MAX_CELL_SIZE
   * @returns {Bin}
   */
  binWithCells(size) {
    const { bins, cache, region } = this;
    let bin = size < bins.length ? bins[size] : cache.unseen;
    if (bin === cache.unseen) {
      const row = this.#rows.find(({ cellSize }) => cellSize >= size);
      bin = cache.bin(size, /** @type {CellRow} */ (row));
    }
    if (bin.row.left === 0) this.refill(region, bin.row, size);
    bin.forget();
    return bin;
  }

  /**
   * @param {Region} region
   * @param {CellRow} row an empty one
   * @param {number} size for which it is needed
   */
  refill(region, row, size) {
    const most = Math.min(ROW_CELLS, Math.max(1, Math.floor(ROW_BYTES / row.cellSize)));
    let cells = region.allocRow(row.sizeClass, most);
    if (cells.address === 0) {
      this.trim();
      cells = region.allocRow(row.sizeClass, 1);
      if (cells.address === 0) throw this.exhausted(size);
    }
    row.next = cells.address;
    row.left = cells.count;
    row.zero = cells.zero;
  }

  /**
   * @param {number} size
   * @param {(this: Region, size: number, alignment: number) => number} allocate
   * @param {number} alignment
   * @returns {number} the address
   */
  orRetry(size, allocate, alignment) {
    const { region } = this;
    let address = allocate.call(region, size, alignment);
    if (address === 0) {
      this.trim();
      address = allocate.call(region, size, alignment);
      if (address === 0) throw this.exhausted(size);
    }
    return address;
  }

  /** @param {number} size */
  exhausted(size) {
    const { region } = this;
    return heapExhausted(size, region.stats().live.bytes, region.size);
  }

  /**
   * A view that is not kept when it is freed.
   * @param {number} size
   * @param {number} address
   */
  wrap(size, address) {
    return new HeapBuffer(this.region.buffer, address, size, this.cache.unparked, KEY);
  }
}
