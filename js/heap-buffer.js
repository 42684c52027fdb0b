import { bufferFreed } from './errors.js';
import { BaseArray, basePrototype, DerivedArray } from './host.js';

/** @import { Bin } from './view-cache.js' */

// Set by HeapBuffer's static block: its private fields, for this package alone.
/** @type {(view: Uint8Array) => Bin | undefined} */
export let binOf;
/** @type {(view: HeapBuffer) => boolean} */
export let isLive;
/** @type {(view: HeapBuffer) => void} */
export let revive;
/** @type {(view: HeapBuffer) => boolean} */
export let retire;

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
 */
export class HeapBuffer extends BaseArray {
  #bin;
  #live = true;

  /**
   * @param {ArrayBuffer} memory
   * @param {number} byteOffset
   * @param {number} length
   * @param {Bin} bin
   * @param {symbol} key
   * @internal
   */
  constructor(memory, byteOffset, length, bin, key) {
    if (key !== KEY) throw new TypeError('Illegal constructor: use heap.alloc() or heap.from()');
    super(memory, byteOffset, length);
    this.#bin = bin;
  }

  /** New arrays made by `map`, `filter` and the like are ordinary ones. */
  static get [Symbol.species]() {
    return DerivedArray;
  }

  static {
    binOf = (view) => (#bin in view ? view.#bin : undefined);
    isLive = (view) => view.#live;
    revive = (view) => {
      view.#live = true;
    };
    // False when it was retired already.
    retire = (view) => {
      const live = view.#live;
      view.#live = false;
      return live;
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

  /**
   * A copy of exactly these bytes in an ArrayBuffer of their own: safe to post, clone or transfer,
   * which `buf.buffer` is not: that is the memory of the whole heap.
   * @returns {ArrayBuffer}
   * @throws ERR_BUFFER_FREED
   */
  toArrayBuffer() {
    if (!this.#live) throw bufferFreed();
    return new BaseArray(this).buffer;
  }
}

Object.setPrototypeOf(HeapBuffer.prototype, basePrototype);

// `using buf = heap.alloc(n)`: frees at the end of the block, unless it was freed before. A feature
// of the host: not every engine has the symbol.
if (Symbol.dispose) {
  Object.defineProperty(HeapBuffer.prototype, Symbol.dispose, {
    /** @this {HeapBuffer} */
    value() {
      if (isLive(this)) this.free();
    },
    writable: true,
    configurable: true,
  });
}
