/**
 * Freed buffers, kept whole: the view object together with its cell, to be handed out again.
 *
 *   bins[10]  -> [view, view, view]     free() pushes, the next alloc(10) pops: 5 ns, where making
 *   bins[11]  -> EMPTY                  a view takes 20 and a new Buffer 40
 *   bins[12]  -> [view]
 *
 * One bin an exact length, since a view's length cannot be changed. To the C++ side a parked cell
 * stays in use. Bins grow by doubling while the whole cache stays within its budget; past that, a
 * bin that wants to grow takes the room of others, one after another, whose cells go back to C++:
 * so the budget follows the lengths in use. Nothing is parked without a bound.
 *
 * The idea of keeping the view is ours; Node pools the memory only (pull request 8302).
 */

/** @import { HeapBuffer } from './heap-buffer.js' */
/** @import { Heap } from './heap.js' */

/** What a parked view itself costs on the JavaScript heap, about, in bytes. */
const VIEW_COST = 128;

/** The parked views of one length. */
export class Bin {
  /**
   * `capacity` slots, the first `count` of them taken, null after that: a view that was handed out
   * again is not held here. All slots exist as own properties, so no setter that somebody put on
   * Array.prototype sees a view.
   * @type {(HeapBuffer | null)[]}
   */
  views = [];
  count = 0;
  capacity = 0;

  /**
   * @param {Heap} heap
   * @param {number} cost of one view and its cell against the budget, bytes
   */
  constructor(heap, cost) {
    this.heap = heap;
    this.cost = cost;
  }

  /** @param {number} capacity at least `count` */
  resize(capacity) {
    const { views, count } = this;
    this.views = Array.from({ length: capacity }, (_, i) => (i < count ? views[i] : null));
    this.capacity = capacity;
  }
}

export class ViewCache {
  #heap;
  #budget;
  #spent = 0;
  /** @type {Bin[]} Bins with a capacity, in the order in which they lose it. */
  #ring = [];
  #release;

  /**
   * By length; where no buffer of a length was ever made, `empty` stands. Grows with the largest
   * length asked for, so that it takes no memory a program does not need.
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
    /** Never holds a view: of lengths not seen yet, and of buffers that are not recycled. */
    this.empty = new Bin(heap, 0);
  }

  /**
   * The bin of a length, made if need be.
   * @param {number} length
   * @param {number} cellSize bytes
   */
  bin(length, cellSize) {
    const { bins, empty } = this;
    while (bins.length <= length) bins.push(empty);
    const bin = bins[length];
    if (bin !== empty) return bin;
    const made = new Bin(this.#heap, cellSize + VIEW_COST);
    bins[length] = made;
    return made;
  }

  /**
   * Parks a view in a bin that is full, if there is room to be had.
   * @param {HeapBuffer} view
   * @param {Bin} bin
   * @returns {boolean} false: nothing done, release it
   */
  park(view, bin) {
    const more = bin.capacity || 1;
    const cost = more * bin.cost;
    if (bin === this.empty || bin.capacity * bin.cost + cost > this.#budget) return false;
    while (this.#spent + cost > this.#budget) {
      const other = /** @type {Bin} */ (this.#ring.shift());
      if (other === bin) this.#ring.push(bin);
      else this.#empty(other);
    }
    if (bin.capacity === 0) this.#ring.push(bin);
    this.#spent += cost;
    bin.resize(bin.capacity + more);
    bin.views[bin.count++] = view;
    return true;
  }

  /** Gives back every parked cell. */
  flush() {
    for (const bin of this.#ring) this.#empty(bin);
    this.#ring = [];
  }

  /** Forgets every parked view; their memory goes with the heap. */
  abandon() {
    this.#release = () => {};
    this.flush();
    this.bins.length = 0;
  }

  /** @param {Bin} bin */
  #empty(bin) {
    this.#spent -= bin.capacity * bin.cost;
    while (bin.count > 0) this.#release(/** @type {HeapBuffer} */ (bin.views[--bin.count]));
    bin.resize(0);
  }

  /** What is parked now: views, and the bytes of their cells. */
  parked() {
    let bytes = 0;
    let buffers = 0;
    for (const bin of this.#ring) {
      bytes += bin.count * (bin.cost - VIEW_COST);
      buffers += bin.count;
    }
    return { bytes, buffers };
  }
}
