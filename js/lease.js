import { PAGE_SIZE } from '#layout';
import { makeSlots } from './slots.js';

/** @import { Region } from './region.js' */

/**
 * What is known of a slab or run whose views a lease stands for. Never refers to the lease.
 * @typedef {object} Record
 * @property {Region} region none when it is over: engines hold the lease to the end of the job that
 *   made it, and with that all that a record refers to. Chromium has room for 124 memories.
 * @property {number} address of the slab or run
 * @property {number} bytes of it
 * @property {boolean} isRun
 * @property {boolean} over given back, or somebody else's by now
 * @property {WeakRef<Lease>} weak
 */

/** Ballast is made in pieces of at least this: each costs 20 to 40 us. */
const LEAST_BALLAST = 1 << 20;
/** More tells the garbage collector nothing new, and would have it run for a single buffer. */
const MOST_BALLAST = 32 << 20;

const NO_BALLAST = new ArrayBuffer(0);
const NO_REGION = /** @type {any} */ (undefined);

/** Leases of freed runs that are kept: a program that allocates and frees one makes no new ones. */
const SPARES = 8;

/**
 * Held by every view of one slab, or by the view of one run, and by nobody else for long: when the
 * last of them is collected, so is the lease, and then all of that memory is given back at once.
 */
export class Lease {
  record;
  /** @type {ArrayBuffer} Weighs, for the garbage collector, as much as the slab. */
  ballast;

  /**
   * @param {Record} record
   * @param {ArrayBuffer} ballast
   */
  constructor(record, ballast) {
    this.record = record;
    this.ballast = ballast;
  }
}

/**
 * The net under buffers that nobody frees. Engines do not know what views of linear memory weigh,
 * and a finalizer for each would cost 340 ns; so there is one for each slab, which holds an
 * ArrayBuffer of that weight, never touched.
 *
 *   view -> lease -> ballast                  record = { region, address, ... }
 *   view ->   ^ - - - - - - - - - weakly - - - ^  <- registry, when the lease is gone
 *
 * Finalizers run between turns of the event loop. `sweep` looks for itself.
 */
export class Leases {
  /** @type {Map<number, Record>} by region and page */
  #slabs = new Map();
  /** @type {Set<Record>} all that are not over */
  #records = new Set();
  /** @type {(Lease | undefined)[]} The first `#spareCount` of them; others are left over. */
  #spares = makeSlots(SPARES);
  #spareCount = 0;
  /** Bytes of all records. */
  #held = 0;
  #unweighed;
  #ballast = NO_BALLAST;
  /** Bytes of the newest ballast that no lease weighs yet. */
  #left = 0;
  #reclaim;
  #registry;

  /**
   * @param {(record: Record, from: number, keep: number) => void} reclaim gives back all but `keep`
   *   cells that begin at the address `from`
   * @param {number} unweighed bytes that are held without ballast: each collection that ballast
   *   brings about costs as much as 50,000 buffers of 64 bytes, and a heap that stays below has none
   */
  constructor(reclaim, unweighed) {
    this.#reclaim = reclaim;
    this.#unweighed = unweighed;
    this.#registry = new FinalizationRegistry((/** @type {Record} */ record) => this.#end(record));
  }

  /**
   * The lease of the slab that a row of cells is in.
   * @param {Region} region
   * @param {number} address of the row
   * @param {number} count its cells
   * @param {boolean} isFresh whether the slab is
   * @param {Lease} [last] a guess
   */
  ofSlab(region, address, count, isFresh, last) {
    const page = address >>> 16;
    if (last !== undefined && !isFresh) {
      const { record } = last;
      if (record.region === region && record.address >>> 16 === page && !record.over) return last;
    }
    const key = region.number * 2 ** 16 + page;
    const known = this.#slabs.get(key);
    if (known !== undefined && !known.over) {
      if (isFresh) {
        this.#close(known);
      } else {
        const lease = known.weak.deref();
        if (lease !== undefined) return lease;
        // Its views are gone, and the registry has not said so yet: now, lest they be taken for
        // views of the new lease.
        this.#close(known);
        this.#reclaim(known, address, count);
        known.region = NO_REGION;
      }
    }
    const lease = this.#make(region, page * PAGE_SIZE, PAGE_SIZE, false);
    this.#slabs.set(key, lease.record);
    return lease;
  }

  /**
   * @param {Region} region
   * @param {number} address
   * @param {number} size that was asked for; what is kept, and weighs, are whole pages
   */
  ofRun(region, address, size) {
    const bytes = Math.ceil(size / PAGE_SIZE) * PAGE_SIZE;
    const spare = this.#spares[this.#spareCount - 1];
    if (spare !== undefined && this.#isHeavyEnough(spare, bytes)) {
      this.#spareCount--;
      const { record } = spare;
      Object.assign(record, { region, address, bytes, over: false });
      this.#records.add(record);
      this.#held += bytes;
      return spare;
    }
    return this.#make(region, address, bytes, true);
  }

  /**
   * The run was given back.
   * @param {Lease} lease
   */
  endRun(lease) {
    this.#close(lease.record);
    lease.record.region = NO_REGION;
    if (this.#spareCount === SPARES) this.#spareCount = 0;
    this.#spares[this.#spareCount++] = lease;
  }

  /** Gives back what no view is left of, as far as the engine knows. */
  sweep() {
    for (const record of this.#records) {
      if (record.weak.deref() === undefined) this.#end(record);
    }
  }

  /**
   * A region is no more.
   * @param {Region} region
   */
  forget(region) {
    for (const key of this.#slabs.keys()) {
      if (Math.floor(key / 2 ** 16) === region.number) this.#slabs.delete(key);
    }
    for (const record of this.#records) {
      if (record.region !== region) continue;
      this.#close(record);
      record.region = NO_REGION;
    }
    this.#spares = makeSlots(SPARES);
    this.#spareCount = 0;
  }

  /** Nothing is given back any more. */
  dispose() {
    for (const record of this.#records) {
      this.#close(record);
      record.region = NO_REGION;
    }
    this.#slabs.clear();
    this.#spares = makeSlots(SPARES);
    this.#spareCount = 0;
  }

  /**
   * @param {Region} region
   * @param {number} address
   * @param {number} bytes
   * @param {boolean} isRun
   */
  #make(region, address, bytes, isRun) {
    const record = { region, address, bytes, isRun, over: false };
    const lease = new Lease(/** @type {Record} */ (record), this.#weigh(bytes));
    /** @type {Record} */ (record).weak = new WeakRef(lease);
    this.#registry.register(lease, /** @type {Record} */ (record));
    this.#records.add(/** @type {Record} */ (record));
    this.#held += bytes;
    return lease;
  }

  /**
   * As a new lease would be.
   * @param {Lease} lease
   * @param {number} bytes
   */
  #isHeavyEnough({ ballast }, bytes) {
    return (
      this.#held < this.#unweighed ||
      bytes < LEAST_BALLAST ||
      ballast.byteLength >= ballastFor(bytes)
    );
  }

  /** @param {number} bytes */
  #weigh(bytes) {
    if (this.#held < this.#unweighed) return NO_BALLAST;
    if (bytes >= LEAST_BALLAST) return allocate(ballastFor(bytes));
    if (this.#left < bytes) {
      this.#ballast = allocate(LEAST_BALLAST);
      this.#left = LEAST_BALLAST;
    }
    this.#left -= bytes;
    return this.#ballast;
  }

  /** @param {Record} record */
  #end(record) {
    if (record.over) return;
    this.#close(record);
    this.#reclaim(record, record.address, 0);
    record.region = NO_REGION;
  }

  /** @param {Record} record */
  #close(record) {
    if (record.over) return;
    record.over = true;
    this.#records.delete(record);
    this.#held -= record.bytes;
  }
}

/** @param {number} bytes */
const ballastFor = (bytes) => Math.min(Math.max(bytes, LEAST_BALLAST), MOST_BALLAST);

/**
 * An engine that has no room for ballast can do without. Resizable, where there is such a thing:
 * then it is mapped by itself, never touched, never resident. Others come from the C library, which
 * clears what it has used before: as much resident memory as there is ballast, and 120 us each.
 * @param {number} bytes
 */
function allocate(bytes) {
  try {
    return new /** @type {any} */ (ArrayBuffer)(bytes, { maxByteLength: bytes });
  } catch {
    return NO_BALLAST;
  }
}
