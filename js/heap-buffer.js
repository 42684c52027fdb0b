import { bufferFreed } from './errors.js';
import { BaseArray, basePrototype, DerivedArray, hasBuffer, lengthOf, memoryOf } from './host.js';

/** @import { Heap } from './heap.js' */
/** @import { Lease } from './lease.js' */
/** @import { Bin } from './view-cache.js' */

// Set by HeapBuffer's static block: its private fields, for this package alone.
/** @type {(view: unknown) => Bin | undefined} */
export let binOf;
/** @type {(view: HeapBuffer) => number} its byteOffset */
export let addressOf;
/** @type {(view: HeapBuffer, bin: Bin) => void} */
export let moveTo;
/** @type {(view: HeapBuffer) => boolean} */
export let isLive;
/** @type {(view: HeapBuffer) => Lease | undefined} undefined: of no bytes, or outside of the heap */
export let leaseOf;
/** @type {(view: HeapBuffer) => HeapBuffer} the buffer that a view is part of; mostly itself */
export let ownerOf;
/** @type {(view: HeapBuffer) => void} */
export let retire;
/** @type {(bins: Bin[], size: unknown) => HeapBuffer | undefined} */
export let unpark;
/** @type {(view: HeapBuffer, heap: Heap) => boolean} */
export let park;

/** Only who holds this may construct a HeapBuffer. */
export const KEY = Symbol('slabring');

/**
 * Bytes in a heap's linear memory, seen by JavaScript and WebAssembly alike: a `Uint8Array`, and in
 * Node a `Buffer`. Made by a heap's `alloc`, `allocUnsafe`, `allocUnsafeSlow` and `from`.
 *
 * The buffer owns its block until it is freed; `buffer`, as with any pooled Buffer, is the whole
 * memory of which `byteOffset` and `length` tell our part. Memory never grows or moves, so a view
 * never detaches. After `free()` the object must not be used: the heap hands the very same object
 * to a later caller.
 * @hostBuffer
 * @disposable Frees it at the end of a `using` block, unless it was freed before. A part stays.
 */
export class HeapBuffer extends BaseArray {
  #bin;
  #live = true;
  /** Keeps the memory: a lease, or of a part of a buffer, that buffer. */
  #holds;
  /** The byteOffset. The getter, kept from being deceived, takes 4 ns in V8 and 50 in WebKit. */
  #address;

  /**
   * @param {ArrayBuffer} memory
   * @param {number} byteOffset
   * @param {number} length
   * @param {Bin} bin
   * @param {Lease | HeapBuffer | undefined} holds
   * @param {symbol} key
   * @internal
   */
  constructor(memory, byteOffset, length, bin, holds, key) {
    if (key !== KEY) throw new TypeError('Illegal constructor: use heap.alloc() or heap.from()');
    super(memory, byteOffset, length);
    this.#bin = bin;
    this.#holds = holds;
    this.#address = byteOffset;
  }

  /**
   * Kept by the minifier: `util.inspect` and test runners show it.
   * @override
   * @internal
   */
  static name = 'HeapBuffer';

  /**
   * New arrays made by `map`, `filter` and the like are ordinary ones.
   * @internal
   */
  static get [Symbol.species]() {
    return DerivedArray;
  }

  static {
    binOf = (view) =>
      typeof view === 'object' && view !== null && #bin in view ? view.#bin : undefined;
    addressOf = (view) => view.#address;
    moveTo = (view, bin) => {
      // What is in front and not live counts as parked: this view's cell will be given back.
      if (view.#bin.front === view) view.#bin.front = null;
      view.#bin = bin;
    };
    isLive = (view) => view.#live;
    ownerOf = (view) => {
      const holds = view.#holds;
      return holds !== undefined && #bin in holds ? holds : view;
    };
    leaseOf = (view) => /** @type {Lease | undefined} */ (ownerOf(view).#holds);
    retire = (view) => {
      view.#live = false;
    };

    // The two hot paths. Functions of their own rather than methods, private or not: V8 of Node 20
    // takes 7 ns for a call of `#name()`, and 1 to 2 for each object that a method goes through.

    // A parked view of that length, live again; undefined when there is none.
    unpark = (bins, size) => {
      if (typeof size !== 'number' || !(size > 0 && size < bins.length)) return undefined;
      const bin = bins[Math.floor(size)];
      const { front } = bin;
      if (front !== null && !front.#live) {
        front.#live = true;
        return front;
      }
      const at = bin.count - 1;
      if (at < 0) return undefined;
      const view = /** @type {HeapBuffer} */ (bin.views[at]);
      bin.count = at;
      view.#live = true;
      return view;
    };

    // Parks a view that is live, of this heap, and has room in its bin. False, with nothing done,
    // for anything else at all.
    park = (view, heap) => {
      if (typeof view !== 'object' || view === null || !(#bin in view)) return false;
      const bin = view.#bin;
      if (!view.#live || bin.heap !== heap) return false;
      if (bin.front === view) {
        view.#live = false;
        return true;
      }
      const at = bin.count;
      if (at >= bin.capacity) return false;
      view.#live = false;
      // Mostly it is there still. A store of a young object into an old array costs 5 ns.
      if (bin.views[at] !== view) bin.views[at] = view;
      bin.count = at + 1;
      return true;
    };
  }

  /**
   * Gives the block back to its heap, as `heap.free(buf)`. About 5 ns.
   * @throws ERR_BUFFER_FREED when it was freed before
   * @throws ERR_HEAP_DISPOSED
   */
  free() {
    this.#bin.heap.free(this);
  }

  /** Whether its bytes are in the heap: false for what `onExhausted: 'fallback'` hands out. */
  get inHeap() {
    const owner = ownerOf(this);
    return owner.#holds !== undefined || lengthOf(owner) === 0;
  }

  /**
   * A view of a part, as `Uint8Array.subarray`. It keeps the buffer from being collected, and is
   * given back with it, not by itself: `free` refuses a part, and the end of `using` leaves it be.
   * @override
   * @param {number} [start] from the end where it is negative; 0 by default
   * @param {number} [end] likewise; all by default
   * @returns {HeapBuffer}
   */
  subarray(start, end) {
    const length = lengthOf(this);
    const first = clamp(start, length, 0);
    const size = Math.max(clamp(end, length, length) - first, 0);
    const { parts } = this.#bin;
    return new HeapBuffer(memoryOf(this), this.#address + first, size, parts, ownerOf(this), KEY);
  }

  /**
   * A copy of exactly these bytes in an ArrayBuffer of their own: safe to post, clone or transfer,
   * which `buf.buffer` is not: that is the memory of the whole heap.
   * @returns {ArrayBuffer}
   * @throws ERR_BUFFER_FREED
   */
  toArrayBuffer() {
    if (!ownerOf(this).#live) throw bufferFreed();
    return new BaseArray(this).buffer;
  }
}

Object.setPrototypeOf(HeapBuffer.prototype, basePrototype);

// Of a Buffer, `slice` is another name; of other arrays it is a copy.
if (hasBuffer) {
  const { prototype } = HeapBuffer;
  Object.defineProperty(prototype, 'slice', {
    value: prototype.subarray,
    writable: true,
    configurable: true,
  });
}

/**
 * An index from the start, given one from either end.
 * @param {unknown} index
 * @param {number} length
 * @param {number} missing
 */
function clamp(index, length, missing) {
  if (index === undefined) return missing;
  // `+`, not Number(): a bigint is refused, as by the engines.
  const whole = Math.trunc(+(/** @type {number} */ (index))) || 0;
  return whole < 0 ? Math.max(whole + length, 0) : Math.min(whole, length);
}

// `using buf = heap.alloc(n)`: frees at the end of the block, unless it was freed before. A part owns
// nothing that could be given back. A feature of the host: not every engine has the symbol.
if (Symbol.dispose) {
  Object.defineProperty(HeapBuffer.prototype, Symbol.dispose, {
    /** @this {HeapBuffer} */
    value() {
      if (isLive(this) && ownerOf(this) === this) this.free();
    },
    writable: true,
    configurable: true,
  });
}
