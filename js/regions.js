import { PAGE_SIZE } from '#layout';
import { heapExhausted } from './errors.js';
import { MAX_REGION_SIZE, MIN_REGION_SIZE, Region } from './region.js';
import { append } from './slots.js';

/** @import { Exports } from './region.js' */

/** Milliseconds: a region that is added so soon after one was dropped was dropped too early. */
const SOON = 1000;
/** So often in a row, and empty ones are kept. */
const HASTY = 16;

/** Where the engine refuses a region, it is halved, but not below this. */
const SMALLEST = 16 * 1024 * 1024;

/** What a region has besides the pages that it hands out: a hundredth, and its module's own data. */
const OVERHEAD_SHARE = 100;
const OWN_BYTES = 4 * PAGE_SIZE;

/**
 * A region was added to a heap, or dropped.
 * @typedef {object} RegionEvent
 * @property {'added' | 'dropped'} type which of both
 * @property {number} size of the region, bytes
 * @property {number} regions how many there are now
 * @property {number} reserved bytes of them all
 * @property {Exports} exports of the region's instance, as `exportsOf` gives for its buffers: where a
 *   kernel has state of its own, each region has another
 */

/**
 * The regions of a heap. A heap grows by another region, never by a larger one; the first, *home*,
 * stays as long as the heap.
 */
export class Regions {
  /** @type {Region[]} home first; replaced whenever it changes */
  list = [];
  home;
  reserved = 0;
  #module;
  #regionSize;
  #maxBytes;
  /** @type {{ listener: (event: RegionEvent) => void }[]} replaced whenever it changes */
  #listeners = [];
  #homeUsable;
  #droppedAt = -Infinity;
  /** How many regions in a row were added soon after one was dropped. */
  #hasty = 0;
  /**
   * Called with each region that is added, before anybody uses it.
   * @type {(region: Region) => void}
   */
  prepare = () => {};

  /**
   * @param {WebAssembly.Module} module
   * @param {number} regionSize bytes, whole pages
   * @param {number} smallest a home that is refused is halved as far as this
   * @param {number} maxBytes of all regions together
   * @throws ERR_HEAP_EXHAUSTED when the engine has no room for home
   */
  constructor(module, regionSize, smallest, maxBytes) {
    this.#module = module;
    this.#regionSize = regionSize;
    this.#maxBytes = maxBytes;
    this.home = this.#make(regionSize, smallest);
    this.#homeUsable = this.home.stats().usable;
    this.reserved = this.home.size;
    append(this.list, this.home);
  }

  /**
   * Adds a region in which a block of so many bytes fits: one of the usual size, or larger. Nothing
   * is changed when there cannot be one.
   * @param {number} size
   * @param {number} alignment
   * @param {(region: Region) => boolean} use takes the block, before listeners hear of the region;
   *   false if it does not fit all the same
   * @returns {unknown} what the engine said when it refused
   */
  add(size, alignment, use) {
    const block = size + (alignment > PAGE_SIZE ? alignment : 0) + PAGE_SIZE;
    let least = toPages(block + block / OVERHEAD_SHARE + OWN_BYTES);
    // Of home it is known exactly.
    if (alignment <= PAGE_SIZE && size <= this.#homeUsable) least = Math.min(least, this.home.size);
    const most = Math.min(MAX_REGION_SIZE, this.#maxBytes - this.reserved);
    if (least > most) return undefined;
    const wanted = Math.max(least, Math.min(this.#regionSize, toPages(most - PAGE_SIZE + 1)));
    if (wanted < MIN_REGION_SIZE) return undefined;
    const smallest = Math.max(least, Math.min(SMALLEST, this.#regionSize));
    let region;
    try {
      region = this.#make(wanted, Math.min(wanted, smallest));
    } catch (/** @type {any} */ error) {
      if (error.code !== 'ERR_HEAP_EXHAUSTED') throw error;
      return error.cause;
    }
    this.#hasty = performance.now() - this.#droppedAt < SOON ? this.#hasty + 1 : 0;
    this.prepare(region);
    if (!use(region)) return undefined;
    const list = Array.from(this.list);
    append(list, region);
    this.list = list;
    this.reserved += region.size;
    this.#tell('added', region);
    return undefined;
  }

  /** The most bytes that each region ever had live, together. */
  get peak() {
    let peak = 0;
    for (const region of this.list) peak += region.stats().peak;
    return peak;
  }

  /**
   * Whether a region that is empty should be dropped. A heap at the edge of a region would add and
   * drop one with each buffer, at up to 20 ms each: after some times it stays, until `calm`.
   */
  get dropsEmpty() {
    return this.#hasty < HASTY;
  }

  /** Empty regions are dropped again. */
  calm() {
    this.#hasty = 0;
    this.#droppedAt = -Infinity;
  }

  /** @param {Region} region any but home */
  drop(region) {
    this.#droppedAt = performance.now();
    /** @type {Region[]} */
    const list = [];
    for (const other of this.list) if (other !== region) append(list, other);
    this.list = list;
    this.reserved -= region.size;
    this.#tell('dropped', region);
  }

  /**
   * @param {(event: RegionEvent) => void} listener
   * @returns {() => void} takes the listener away again
   */
  onChange(listener) {
    const listeners = Array.from(this.#listeners);
    // The same function may be there twice.
    const entry = { listener };
    append(listeners, entry);
    this.#listeners = listeners;
    return () => {
      /** @type {{ listener: (event: RegionEvent) => void }[]} */
      const others = [];
      for (const other of this.#listeners) if (other !== entry) append(others, other);
      this.#listeners = others;
    };
  }

  /**
   * @param {number} size
   * @param {number} smallest
   */
  #make(size, smallest) {
    let wanted = size;
    for (;;) {
      try {
        return new Region(this.#module, wanted);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        if (wanted <= smallest) {
          throw Object.assign(heapExhausted(wanted, 0, this.reserved), { cause: error });
        }
        wanted = Math.max(toPages(wanted / 2), smallest);
      }
    }
  }

  /**
   * A listener's error is the host's to see, not that of whoever allocates.
   * @param {'added' | 'dropped'} type
   * @param {Region} region
   */
  #tell(type, { size, exports }) {
    const event = { type, size, regions: this.list.length, reserved: this.reserved, exports };
    for (const { listener } of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** @param {number} bytes */
const toPages = (bytes) => Math.ceil(bytes / PAGE_SIZE) * PAGE_SIZE;
