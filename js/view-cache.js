/**
 * Freed buffers, kept whole: the view object together with its cell, to be handed out again.
 *
 *   bins[10]  -> [view, view, view]     free() pushes, the next alloc(10) pops: 5 ns, where making
 *   bins[11]  -> unseen                 a view takes 20 and a new Buffer 40
 *   bins[12]  -> [view]
 *
 * One bin an exact length, since a view's length cannot be changed. To the C++ side a parked cell
 * stays in use. Bins grow by doubling while the whole cache stays within its budget; past that, now
 * and then, a bin that wants to grow takes the room of others, whose cells go back to C++: so the
 * budget follows the lengths in use. Nothing is parked without a bound.
 *
 * The idea of keeping the view is ours; Node pools the memory only (pull request 8302).
 */

import { CellRow } from './cell-row.js';
import { isLive } from './heap-buffer.js';
import { extend } from './slots.js';

/** @import { HeapBuffer } from './heap-buffer.js' */
/** @import { Heap } from './heap.js' */

/** What a parked view itself costs on the JavaScript heap, about, in bytes. */
const VIEW_COST = 128;

/**
 * How many views are turned away before a bin may take the room of others: a program that uses too
 * many lengths for the budget shall not spend its time moving room to and fro.
 */
const PATIENCE = 32;

/**
 * The parked views of one length, and where new ones come from.
 *
 * A program that allocates one buffer, uses it and frees it, again and again, gets the `front` one
 * each time: nothing moves but the view's own mark of being live. All others go onto a stack.
 */
export class Bin {
  heap;
  row;
  /** @type {Bin} of the parts of its buffers: never parked, never freed by themselves */
  parts;
  /**
   * Parked if it is not live.
   * @type {HeapBuffer | null}
   */
  front = null;
  /**
   * A stack of `capacity` slots. The first `count` hold parked views; some after that hold views
   * handed out again, which mostly come back to the same place; the rest are null. All slots exist
   * as own properties, so no setter that somebody put on Array.prototype sees a view.
   * @type {(HeapBuffer | null)[]}
   */
  views = [];
  count = 0;
  capacity = 0;
  /** Places paid for out of the cache's budget: the front and the stack, or none. */
  paid = 0;

  /**
   * @param {Heap} heap
   * @param {CellRow} row of the size class that this length belongs to
   * @param {Bin} [parts]
   */
  constructor(heap, row, parts) {
    this.heap = heap;
    this.row = row;
    this.parts = parts ?? this;
  }

  /** What one view and its cell cost against the budget, bytes. */
  get cost() {
    return this.row.cellSize + VIEW_COST;
  }

  /**
   * Lets go of views handed out again. Done when another is made, mostly because the bin is empty:
   * where views are dropped rather than freed, they must not be kept from the garbage collector.
   */
  forget() {
    const { front, views } = this;
    if (front !== null && isLive(front)) this.front = null;
    for (let i = this.count; i < views.length && views[i] !== null; i++) views[i] = null;
  }

  /** How many views are parked. */
  get parked() {
    return this.count + (this.front !== null && !isLive(this.front) ? 1 : 0);
  }

  /** @param {number} capacity at least `count` */
  resize(capacity) {
    const { views, count } = this;
    this.views = Array.from({ length: capacity }, (_, i) => (i < count ? views[i] : null));
    this.capacity = capacity;
  }
}

export class ViewCache {
  /** The bin of every length of which no buffer was made yet. */
  unseen;
  /** The bin of buffers that are not kept: large, aligned, not pooled, empty, of other regions. */
  unparked;
  #heap;
  #parts;
  #budget;
  #spent = 0;
  #refused = 0;
  /** @type {Set<Bin>} Bins that have places, in the order in which they lose them. */
  #ring = new Set();
  #release;

  /**
   * By length. Grows with the largest length asked for, so that it takes no memory a program does
   * not need.
   * @type {Bin[]}
   */
  bins = [];

  /**
   * @param {Heap} heap
   * @param {number} budget bytes that all capacities together may cost
   * @param {(view: HeapBuffer) => void} release gives a parked view's cell back to C++
   */
  constructor(heap, budget, release) {
    this.#heap = heap;
    this.#budget = budget;
    this.#release = release;
    const none = new CellRow(0, 0);
    this.#parts = new Bin(heap, none);
    this.unseen = new Bin(heap, none, this.#parts);
    this.unparked = new Bin(heap, none, this.#parts);
  }

  /**
   * Makes the bin of a length, unless it is there.
   * @param {number} length
   * @param {CellRow} row
   */
  bin(length, row) {
    const { bins, unseen } = this;
    // By doubling: lengths that come in order shall not each copy all before them.
    if (bins.length <= length) extend(bins, Math.max(length + 1, bins.length * 2), unseen);
    const bin = bins[length];
    if (bin !== unseen) return bin;
    const made = new Bin(this.#heap, row, this.#parts);
    bins[length] = made;
    return made;
  }

  /**
   * Parks a retired view whose bin is full, if there is room to be had.
   * @param {HeapBuffer} view
   * @param {Bin} bin
   * @returns {boolean} false: nothing done, release it
   */
  keep(view, bin) {
    if (bin === this.unparked) return false;
    if (bin.paid > 0 && bin.front === null) {
      bin.front = view;
      return true;
    }
    const more = Math.max(1, bin.capacity);
    const cost = more * bin.cost;
    if (bin.paid * bin.cost + cost > this.#budget) return false;
    if (this.#spent + cost > this.#budget) {
      if (++this.#refused < PATIENCE) return false;
      this.#refused = 0;
      // Never all of them: what this bin has and wants is within the budget.
      while (this.#spent + cost > this.#budget) {
        const other = /** @type {Bin} */ (this.#ring.values().next().value);
        this.#ring.delete(other);
        if (other === bin) this.#ring.add(bin);
        else this.#empty(other);
      }
    }
    this.#spent += cost;
    if (bin.paid === 0) {
      this.#ring.add(bin);
      bin.front = view;
    } else {
      bin.resize(bin.capacity + more);
      bin.views[bin.count++] = view;
    }
    bin.paid += more;
    return true;
  }

  /** Gives back every parked cell. */
  flush() {
    for (const bin of this.#ring) this.#empty(bin);
    this.#ring.clear();
  }

  /** Forgets every parked view; their memory goes with the heap. */
  abandon() {
    this.#release = () => {};
    this.flush();
    this.bins.length = 0;
  }

  /** @param {Bin} bin */
  #empty(bin) {
    this.#spent -= bin.paid * bin.cost;
    bin.paid = 0;
    if (bin.front !== null && !isLive(bin.front)) this.#release(bin.front);
    bin.front = null;
    while (bin.count > 0) this.#release(/** @type {HeapBuffer} */ (bin.views[--bin.count]));
    bin.resize(0);
  }

  /** What is parked now: views, and the bytes of their cells. */
  parked() {
    let bytes = 0;
    let buffers = 0;
    for (const bin of this.#ring) {
      bytes += bin.parked * bin.row.cellSize;
      buffers += bin.parked;
    }
    return { bytes, buffers };
  }
}
