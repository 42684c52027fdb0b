import { MIN_ALIGNMENT, PAGE_SIZE } from '#layout';
import { Allocator, fresh, freshZeroed } from './allocator.js';
import { Arena } from './arena.js';
import { makeAsyncParts } from './async-parts.js';
import { DebugAllocator } from './debug-allocator.js';
import { normalizeEncoding } from './encoding.js';
import {
  invalidArgType,
  invalidArgValue,
  notInHeap,
  partOfBuffer,
  unknownEncoding,
  validateNumber,
} from './errors.js';
import { addressOf, binOf, isLive, KEY, leaseOf, ownerOf, park, unpark } from './heap-buffer.js';
import {
  bufferByteLength,
  byteLength,
  bytesIn,
  bytesOf,
  clear,
  DerivedArray,
  fill as fillView,
  isTypedArrayOfLength,
  lengthOf,
  setElements,
  writeString,
} from './host.js';
import { captureHost } from './host-ticks.js';
import { loadModule, toModule } from './load.js';
import { MAX_REGION_SIZE, MIN_REGION_SIZE } from './region.js';
import { Regions } from './regions.js';
import { runIn, Scope } from './scope.js';
import { bytesUnder, retireView, viewClass, viewOf } from './typed-views.js';

/** @import { ArenaOptions } from './arena.js' */
/** @import { HeapBuffer } from './heap-buffer.js' */
/** @import { Exports, Region } from './region.js' */
/** @import { RegionEvent } from './regions.js' */
/** @import { EncodingName } from './encoding.js' */
/** @import { Owned, TypedArray, TypedArrayConstructor } from './views.js' */
/** @import { Bin } from './view-cache.js' */
/** @import { WasmBytes, WasmModule, WasmSource } from './load.js' */
/** @import { TickQueue } from './tick-queue.js' */

/** Objects whose `valueOf` gives another, one after the other. */
const MOST_UNWRAPPED = 1000;
const DEFAULT_REGION_SIZE = 256 * 1024 * 1024;
const SMALLEST_DEFAULT_REGION_SIZE = 16 * 1024 * 1024;
const DEFAULT_POOL_SIZE = PAGE_SIZE;
const MAX_ALIGNMENT = 2 ** 31;

/** @type {Bin[]} */
const NO_BINS = [];

/**
 * What a heap is made with.
 * @typedef {object} HeapOptions
 * @property {number} [regionSize] bytes of memory, 1 MiB to 4 GiB, rounded up to 64 KiB; the default
 *   is 256 MiB, or less (16 MiB at least) where the engine refuses that. It is address space: only
 *   what is used becomes resident. Where one region is not enough, others are added.
 * @property {number} [maxBytes] of all regions together; by default there is no limit but the
 *   engine's
 * @property {'throw' | 'fallback'} [onExhausted] when there is no room: `'throw'`, the default,
 *   ERR_HEAP_EXHAUSTED; `'fallback'`: ordinary buffers outside of the heap (`buf.inHeap` is false)
 *   until there is room again
 * @property {boolean} [debug] finds mistakes: buffers freed twice, written to past their ends or
 *   after they were freed, never freed. Each takes 5 to 50 us, 32 bytes more and a stack trace; what
 *   is freed is not used again until a sixteenth of a region was.
 * @property {boolean} [zeroOnFree] clears what is freed or collected, for secrets; a `free` costs
 *   15 ns more, and the time to clear. Not what an arena held.
 * @property {number} [poolSize] see `Heap.poolSize`; the default is 65536
 * @property {boolean} [hostContext] in Node: each tick sees the AsyncLocalStorage stores of who
 *   pushed it; by default all see those of who made the heap
 */

/**
 * Where the WebAssembly module is, or the module itself: if it is not beside this file, or has
 * kernels of your own.
 * @typedef {object} LoadOptions
 * @property {WasmSource | PromiseLike<WasmSource>} [wasm] a URL, a path, a response, bytes, a module,
 *   or a promise of one of these
 */

/**
 * Where a buffer shall be.
 * @typedef {object} Alignment
 * @property {number} [alignment] of the buffer's address in bytes: a power of two, 1 to 2^31. Every
 *   buffer is aligned to 8.
 */

/**
 * Cells of one size.
 * @typedef {object} SizeClassStats
 * @property {number} cellSize bytes
 * @property {number} live cells that are handed out or kept for quick use
 * @property {number} slabs pages of 64 KiB that hold such cells
 */

/**
 * Buffers, and the bytes of their cells or pages.
 * @typedef {object} BufferStats
 * @property {number} bytes whole cells or pages
 * @property {number} buffers how many
 */

/**
 * Figures of one region.
 * @typedef {object} RegionStats
 * @property {number} reserved bytes of address space
 * @property {number} usable bytes of pages that can be handed out
 * @property {number} touched bytes of those that ever were
 * @property {number} resident bytes that can be in memory at most
 * @property {number} inUse bytes of pages that hold something
 * @property {BlockStats} live what is handed out or kept for quick use
 * @property {number} peak the most that `live.bytes` ever was
 * @property {SizeClassStats[]} sizeClasses smallest first
 */

/**
 * Blocks of a region, JavaScript's and C++'s.
 * @typedef {object} BlockStats
 * @property {number} bytes whole cells or pages
 * @property {number} blocks how many
 */

/**
 * Figures of a heap, in bytes where not said otherwise. Cells count with their whole size.
 * @typedef {object} HeapStats
 * @property {number} reserved address space of all regions
 * @property {number} resident what can be in memory at most
 * @property {BufferStats} live what the program holds
 * @property {BufferStats} cached what is kept for quick use: freed buffers above all
 * @property {number} peak the most that both together ever were; at most, once there were several
 *   regions
 * @property {number} fallbacks how many buffers were handed out from outside of the heap
 * @property {RegionStats[]} regions the first is the one that stays
 * @property {SizeClassStats[]} sizeClasses of all regions together, smallest first
 */

/**
 * A heap of buffers in WebAssembly linear memory. Made by `createHeap` or `createHeapSync`. Its
 * methods are bound: `const { alloc, free } = heap` works.
 *
 * Errors are those of Node's Buffer, and besides `ERR_HEAP_EXHAUSTED` when there is no room,
 * `ERR_HEAP_DISPOSED` after `dispose()`. A call that throws has changed nothing.
 */
export class Heap {
  #allocator;
  // What the hot paths need, one step away. The bins are empty once the heap is disposed of.
  #bins;
  /** How many values inside one another `from` is at. */
  #unwrapped = 0;
  /** @type {Region | undefined} Where all parked views are. */
  #home;
  #host;
  #hostContext;
  /** @type {ReturnType<typeof makeAsyncParts> | undefined} */
  #parts;
  /** @type {Set<Arena>} not disposed of */
  #arenas = new Set();

  /**
   * Kept by the minifier: `util.inspect` shows it.
   * @internal
   */
  static name = 'Heap';

  /**
   * `allocUnsafe(size)` and small strings and arrays given to `from` use the pool of slabs when
   * `size < poolSize >>> 1`; larger ones, and all when it is 0 or NaN, get pages of their own. Read
   * at each call, and may be changed at any time. Slabs hold buffers up to 32 KiB.
   */
  poolSize;

  /**
   * @param {Regions} regions
   * @param {Required<Pick<HeapOptions, 'poolSize' | 'hostContext' | 'zeroOnFree' | 'onExhausted' | 'debug'>>}
   *   options
   * @param {symbol} key
   * @internal
   */
  constructor(regions, options, key) {
    if (key !== KEY) throw new TypeError('Illegal constructor: use createHeap()');
    const { poolSize, hostContext, zeroOnFree, onExhausted, debug } = options;
    const fallback = onExhausted === 'fallback';
    const { home } = regions;
    const Kind = debug ? DebugAllocator : Allocator;
    this.#allocator = new Kind(this, regions, { fallback, zeroOnFree });
    this.#bins = this.#allocator.bins;
    this.#home = home;
    this.poolSize = poolSize;
    this.#host = captureHost();
    this.#hostContext = hostContext;
    // Ticks of C++ that come before any of ours.
    home.schedule = () => this.#async().ticks.schedule();
    // Those of kernels in other regions are queued there, and run at a place of ours.
    regions.prepare = (region) => {
      region.schedule = () => this.nextTick(() => region.runNativeTicks());
    };
    this.alloc = this.alloc.bind(this);
    this.allocUnsafe = this.allocUnsafe.bind(this);
    this.allocUnsafeSlow = this.allocUnsafeSlow.bind(this);
    this.from = this.from.bind(this);
    // Nothing is parked as it is.
    this.free = zeroOnFree ? this.#take.bind(this) : this.free.bind(this);
    this.typed = this.typed.bind(this);
    this.keep = this.keep.bind(this);
    this.scope = this.scope.bind(this);
    this.retained = this.retained.bind(this);
    this.onRegion = this.onRegion.bind(this);
    this.exportsOf = this.exportsOf.bind(this);
    this.arena = this.arena.bind(this);
    this.stats = this.stats.bind(this);
    this.check = this.check.bind(this);
    this.trim = this.trim.bind(this);
    this.dispose = this.dispose.bind(this);
  }

  /**
   * A buffer of `size` bytes, zeroed, or filled as by `Buffer.alloc`. Without `fill`, or with 0,
   * memory that is known to be zero is not cleared: a buffer of 1 GB costs nothing until written to.
   * 10 ns recycled, 25 new. The caller owns it: see `HeapBuffer`.
   *
   * @example
   * const header = heap.alloc(16);
   * header[15]; // 0
   * header.free();
   * @overload
   * @param {number} size bytes, 0 to 2^32
   * @param {number | boolean | Uint8Array | null} [fill] a byte, or bytes to repeat
   * @returns {HeapBuffer}
   * @throws ERR_INVALID_ARG_TYPE
   * @throws ERR_OUT_OF_RANGE
   * @throws ERR_HEAP_EXHAUSTED
   */
  /**
   * A buffer of `size` bytes, filled with a string again and again.
   * @overload
   * @param {number} size bytes, 0 to 2^32
   * @param {string} fill
   * @param {EncodingName} [encoding] of `fill`: 'utf8' by default
   * @returns {HeapBuffer}
   * @throws ERR_INVALID_ARG_VALUE when nothing of `fill` can be decoded
   * @throws ERR_UNKNOWN_ENCODING
   */
  /**
   * @param {number} size
   * @param {any} [fill]
   * @param {any} [encoding]
   */
  alloc(size, fill, encoding) {
    if (fill === undefined || fill === 0 || size === 0) {
      const view = unpark(this.#bins, size);
      if (view !== undefined) {
        /** @type {Region} */ (this.#home).zero(addressOf(view), size);
        return view;
      }
      const made = freshZeroed(this.#bins, size);
      if (made !== undefined) return made;
      validateNumber(size, 'size', 0, MAX_REGION_SIZE);
      return this.#allocator.zeroed(Math.trunc(size));
    }
    validateNumber(size, 'size', 0, MAX_REGION_SIZE);
    const view = this.#allocator.pooled(Math.trunc(size));
    return this.#filled(view, () => fillView(view, fill, encoding));
  }

  /**
   * A buffer of `size` bytes with whatever was there before: never anything but bytes of this heap.
   * 5 ns recycled, 24 new.
   * @param {number} size bytes, 0 to 2^32
   * @param {Alignment} [options]
   * @returns {HeapBuffer}
   * @throws ERR_INVALID_ARG_TYPE
   * @throws ERR_OUT_OF_RANGE
   * @throws ERR_HEAP_EXHAUSTED
   */
  allocUnsafe(size, options) {
    // First of all that it is a number: a comparison would call an object's valueOf.
    const pooled = typeof size === 'number' && size > 0 && size < this.poolSize >>> 1;
    if (pooled && options === undefined) {
      const view = unpark(this.#bins, size) ?? fresh(this.#bins, size);
      if (view !== undefined) return view;
    }
    validateNumber(size, 'size', 0, MAX_REGION_SIZE);
    const alignment = validateAlignment(options);
    const bytes = Math.trunc(size);
    const allocator = this.#allocator;
    if (!pooled) return allocator.run(bytes, alignment);
    return alignment <= MIN_ALIGNMENT
      ? allocator.pooled(bytes)
      : allocator.alignedCell(bytes, alignment);
  }

  /**
   * A buffer of `size` bytes that is never pooled: it has whole pages (64 KiB each) of its own, and
   * all of them come back when it is freed. For a buffer that outlives its neighbours by far.
   * @param {number} size bytes, 0 to 2^32
   * @param {Alignment} [options]
   * @returns {HeapBuffer}
   * @throws ERR_INVALID_ARG_TYPE
   * @throws ERR_OUT_OF_RANGE
   * @throws ERR_HEAP_EXHAUSTED
   */
  allocUnsafeSlow(size, options) {
    validateNumber(size, 'size', 0, MAX_REGION_SIZE);
    return this.#allocator.run(Math.trunc(size), validateAlignment(options));
  }

  /**
   * A buffer with the bytes of a string, as `Buffer.from`. It is as large as what was written, not as
   * the estimate that base64 and hex begin with.
   * @example
   * heap.from('naïve', 'utf8').length; // 6
   * @overload
   * @param {string} string
   * @param {EncodingName} [encoding] 'utf8' by default
   * @returns {HeapBuffer}
   * @throws ERR_UNKNOWN_ENCODING
   * @throws ERR_HEAP_EXHAUSTED
   */
  /**
   * A copy of an ArrayBuffer or a part of it. `Buffer.from` would be a view of it: a heap's buffers
   * are in the heap.
   * @overload
   * @param {ArrayBuffer | SharedArrayBuffer} arrayBuffer
   * @param {number} [byteOffset] where to begin, bytes
   * @param {number} [length] how many bytes; by default all that follow
   * @returns {HeapBuffer}
   * @throws ERR_BUFFER_OUT_OF_BOUNDS
   * @throws ERR_HEAP_EXHAUSTED
   */
  /**
   * A copy of an array, array-like, view or iterable of numbers, each taken modulo 256.
   * @overload
   * @param {ArrayLike<number> | Iterable<number>} array
   * @returns {HeapBuffer}
   * @throws ERR_HEAP_EXHAUSTED
   */
  /**
   * What `from` makes of the string or object that an object's `valueOf` or `Symbol.toPrimitive`
   * gives, or of what `JSON.stringify` made of a Buffer.
   * @overload
   * @param {object & ({ valueOf(): string | object } | { [Symbol.toPrimitive](hint: 'string'): string }
   *   | { type: 'Buffer', data: number[] })} object
   * @param {any} [encodingOrOffset]
   * @param {number} [length]
   * @returns {HeapBuffer}
   * @throws ERR_INVALID_ARG_TYPE
   * @throws ERR_HEAP_EXHAUSTED
   */
  /**
   * @param {any} value
   * @param {any} [encodingOrOffset]
   * @param {number} [length]
   * @returns {HeapBuffer}
   */
  from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return this.#fromString(value, encodingOrOffset);
    if (typeof value === 'object' && value !== null) {
      if (bufferByteLength(value) !== undefined) {
        return this.#fromArrayLike(bytesIn(value, encodingOrOffset, length));
      }
      const hasValueOf = value.valueOf;
      const primitive = hasValueOf && value.valueOf();
      if (
        primitive != null &&
        primitive !== value &&
        (typeof primitive === 'string' || typeof primitive === 'object')
      ) {
        // Counted, and not left to the stack: WebKit's does not grow with a call that is the last.
        try {
          if (++this.#unwrapped > MOST_UNWRAPPED) {
            throw new RangeError('Maximum call stack size exceeded');
          }
          return this.from(primitive, encodingOrOffset, length);
        } finally {
          this.#unwrapped--;
        }
      }
      if (value.length !== undefined || bufferByteLength(value.buffer) !== undefined) {
        return this.#fromArrayLike(typeof value.length === 'number' ? value : []);
      }
      if (value.type === 'Buffer' && Array.isArray(value.data)) {
        return this.#fromArrayLike(value.data);
      }
      if (typeof value[Symbol.toPrimitive] === 'function') {
        const string = value[Symbol.toPrimitive]('string');
        if (typeof string === 'string') return this.#fromString(string, encodingOrOffset);
      }
      if (isIterable(value)) return this.#fromArrayLike(Array.from(value));
    }
    throw invalidArgType(
      'first argument',
      ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'],
      value,
    );
  }

  /**
   * A typed array of the heap, zeroed and aligned. It is recycled, freed and collected as a HeapBuffer
   * is: `view.free()`, `heap.free(view)`, `using view = ...`.
   * @example
   * const matrix = heap.typed(Float64Array, 16);
   * matrix.byteLength; // 128
   * matrix.free();
   * @overload
   * @param {DataViewConstructor} Type
   * @param {number} length bytes
   * @returns {DataView<ArrayBuffer> & Owned}
   */
  /**
   * A typed array of the heap, zeroed and aligned.
   * @template {TypedArray} V
   * @overload
   * @param {TypedArrayConstructor<V>} Type one of the typed arrays
   * @param {number} length elements
   * @returns {V & Owned}
   * @throws ERR_INVALID_ARG_TYPE
   * @throws ERR_OUT_OF_RANGE
   * @throws ERR_HEAP_EXHAUSTED
   */
  /**
   * @param {any} Type
   * @param {number} length
   * @returns {any}
   */
  typed(Type, length) {
    const { Class, elementSize } = viewClass(Type);
    validateNumber(length, 'length', 0, MAX_REGION_SIZE / elementSize);
    const count = Math.trunc(length);
    return viewOf(Class, this.alloc(count * elementSize), count, this);
  }

  /**
   * Gives a buffer back. Its view must not be used again: the next buffer of that length may be the
   * very same object.
   * @param {ArrayBufferView} view a HeapBuffer, or what `typed` returned
   * @throws ERR_BUFFER_FREED when it was freed before
   * @throws ERR_NOT_IN_HEAP when it is not this heap's, or part of another buffer: another heap's,
   *   made by hand, or by `subarray`
   */
  free(view) {
    if (!park(/** @type {HeapBuffer} */ (view), this)) this.#take(view);
  }

  /**
   * Frees what `fn` allocated, once it has returned or thrown; of an asynchronous function, once its
   * promise is settled. What it returns is not freed (a view, or those in an array or plain object),
   * nor what `keep` was called with.
   * @example
   * const sum = heap.scope(() => heap.typed(Float64Array, 3).fill(2)[1]); // 2
   * @template T
   * @param {(scope: Scope) => T} fn is called at once
   * @returns {T} what `fn` returned
   */
  scope(fn) {
    if (typeof fn !== 'function') throw invalidArgType('fn', 'Function', fn);
    const allocator = this.#allocator;
    const { regions, scope: outer } = allocator;
    void regions;
    const scope = new Scope(this, {
      outer,
      unparked: allocator.cache.unparked,
      discard: (view) => {
        allocator.discard(view);
        retireView(view);
      },
      within: (scope, action) => {
        const before = allocator.scope;
        allocator.scope = scope;
        // The quick paths find nothing, and so all that is made is noted.
        this.#bins = NO_BINS;
        try {
          return action();
        } finally {
          allocator.scope = before;
          this.#bins = before === undefined ? allocator.bins : NO_BINS;
        }
      },
    });
    return runIn(scope, fn);
  }

  /**
   * Has a buffer outlive the scopes that are open.
   * @template {ArrayBufferView} V
   * @param {V} view a HeapBuffer, or what `typed` returned
   * @returns {V} the same
   * @throws ERR_BUFFER_FREED
   * @throws ERR_NOT_IN_HEAP
   */
  keep(view) {
    Scope.letGo(this.#ownerOf(view));
    return view;
  }

  /**
   * What the WebAssembly instance exports whose memory holds a buffer: C++ kernels linked into the
   * module, that take `buf.byteOffset` and `buf.length` and work on the same bytes.
   * @param {ArrayBufferView} view a HeapBuffer, or what `typed` returned
   * @returns {Exports}
   * @throws ERR_BUFFER_FREED
   * @throws ERR_NOT_IN_HEAP
   */
  exportsOf(view) {
    const owner = this.#ownerOf(view);
    const lease = leaseOf(owner);
    if (lease === undefined && lengthOf(owner) > 0) throw notInHeap();
    return (lease?.record.region ?? this.#allocator.regions.home).exports;
  }

  /**
   * What a view keeps from being given back, in bytes: should nobody free it, all of its slab, or
   * its pages, stays until the last view of them is collected.
   * @param {ArrayBufferView} view a HeapBuffer, or what `typed` returned
   * @returns {number}
   * @throws ERR_BUFFER_FREED
   * @throws ERR_NOT_IN_HEAP
   */
  retained(view) {
    const owner = this.#ownerOf(view);
    return leaseOf(owner)?.record.bytes ?? lengthOf(owner);
  }

  /**
   * An arena: memory for values that live for a moment, handed out as numbers. It holds pages of
   * this heap until it is disposed of; one that is forgotten holds them until the heap is.
   * @example
   * const arena = heap.arena({ size: 65536 });
   * const pointer = arena.alloc(24);
   * arena.f64[pointer >> 3] = 1.5;
   * arena.reset();
   * @param {ArenaOptions} [options]
   * @returns {Arena}
   * @throws ERR_OUT_OF_RANGE
   * @throws ERR_HEAP_EXHAUSTED
   */
  arena(options = {}) {
    validateOptions(options);
    return new Arena(this.#allocator, this.#arenas, options, KEY);
  }

  /**
   * Figures as of now. Takes some microseconds.
   * @returns {HeapStats}
   */
  stats() {
    const allocator = this.#allocator;
    const { list, reserved } = allocator.regions;
    const regions = list.map((region) => region.stats());
    const cached = allocator.kept();
    const sizeClasses = regions[0].sizeClasses.map((first) => ({ ...first }));
    const sum = { resident: 0, bytes: -cached.bytes, buffers: -cached.buffers, peak: 0 };
    for (const region of regions) {
      sum.resident += region.resident;
      sum.bytes += region.live.bytes;
      sum.buffers += region.live.blocks;
      sum.peak += region.peak;
      if (region === regions[0]) continue;
      region.sizeClasses.forEach(({ live, slabs }, i) => {
        sizeClasses[i].live += live;
        sizeClasses[i].slabs += slabs;
      });
    }
    return {
      reserved,
      resident: sum.resident,
      live: { bytes: sum.bytes, buffers: sum.buffers },
      cached,
      peak: allocator.notePeak(sum.peak),
      fallbacks: allocator.fallbacks,
      regions,
      sizeClasses,
    };
  }

  /**
   * Calls `listener` whenever a region was added or dropped, there and then, from within the call
   * that did so.
   * @param {(event: RegionEvent) => void} listener
   * @returns {() => void} what ends that
   */
  onRegion(listener) {
    if (typeof listener !== 'function') throw invalidArgType('listener', 'Function', listener);
    return this.#allocator.regions.onChange(listener);
  }

  /**
   * Counts everything again and lists what does not agree: an empty list, or a defect in this
   * package or in C++ code linked into the module. In debug mode it lists as well each buffer that
   * was written to past its ends or after it was freed, and where that was allocated and freed. Slow.
   * @returns {string[]}
   */
  check() {
    const problems = this.#allocator.problems();
    for (const arena of this.#arenas) problems.push(arena.findProblem());
    return problems.filter((problem) => problem !== '');
  }

  /**
   * Gives back all that was kept for quick reuse, and what nobody refers to any more; regions that
   * are empty then are dropped, but for the first.
   */
  trim() {
    this.#allocator.regions.calm();
    this.#allocator.trim();
  }

  /**
   * Ends the heap; its memory goes when the last of its buffers does. Ticks that are queued still
   * run. A second call does nothing.
   * @returns {string[]} in debug mode, what was never freed, and where it was allocated; else nothing
   */
  dispose() {
    this.#home = undefined;
    // First of all: from now on no listener is called.
    const problems = this.#allocator.dispose();
    for (const arena of this.#arenas) arena.dispose();
    this.#parts?.ticks.refuse();
    this.#parts = undefined;
    return problems;
  }

  /**
   * As `process.nextTick`: see `TickQueue`. Bound.
   * @example
   * heap.nextTick((a, b) => console.log(a + b), 1, 2); // 3
   * @returns {TickQueue['nextTick']}
   */
  get nextTick() {
    return this.#async().ticks.nextTick;
  }

  /** The queue of this heap's ticks. */
  get ticks() {
    return this.#async().ticks;
  }

  /** The ids of what runs. */
  get asyncIds() {
    return this.#async().asyncIds;
  }

  /** As Node's: callbacks at the stages of each tick's life. Bound. */
  get createHook() {
    return this.#async().createHook;
  }

  /**
   * The class of variables that ticks carry along.
   * @example
   * const request = new heap.AsyncVariable({ name: 'request', defaultValue: 0 });
   * request.run(42, () => heap.nextTick(() => console.log(request.get()))); // 42
   */
  get AsyncVariable() {
    return this.#async().AsyncVariable;
  }

  #async() {
    const { home } = this.#allocator.regions;
    this.#parts ??= makeAsyncParts(home, this.#host, this.#hostContext, (make) => {
      if (make() !== 0) return;
      this.#allocator.trim();
      if (make() === 0) throw this.#allocator.exhausted(PAGE_SIZE);
    });
    return this.#parts;
  }

  /** @param {ArrayBufferView} view */
  #take(view) {
    const owner = this.#ownerOf(view);
    const bytes = bytesUnder(view);
    if ((bytes?.view ?? owner) !== view) throw partOfBuffer(lengthOf(owner), addressOf(owner));
    this.#allocator.release(owner);
    if (bytes !== undefined) bytes.isLive = false;
  }

  /**
   * The buffer that a view is, or is part of: a live one of this heap.
   * @param {ArrayBufferView} view
   * @returns {HeapBuffer}
   */
  #ownerOf(view) {
    const { regions } = this.#allocator;
    void regions;
    const bytes = bytesUnder(view);
    const buffer = bytes?.buffer ?? view;
    if (binOf(buffer)?.heap !== this) {
      throw ArrayBuffer.isView(view) ? notInHeap() : invalidArgType('view', 'HeapBuffer', view);
    }
    const owner = ownerOf(/** @type {HeapBuffer} */ (buffer));
    if (!isLive(owner) || bytes?.isLive === false) throw this.#allocator.freedError(owner);
    return owner;
  }

  /**
   * Uninitialised, by the pool's rule: what `from` fills.
   * @param {number} size whole bytes
   * @param {boolean} pooled
   */
  #unsafe(size, pooled) {
    const allocator = this.#allocator;
    return pooled ? allocator.pooled(size) : allocator.run(size, MIN_ALIGNMENT);
  }

  /**
   * @param {string} string
   * @param {unknown} encoding
   */
  #fromString(string, encoding) {
    const name = typeof encoding === 'string' ? normalizeEncoding(encoding) : 'utf8';
    if (name === undefined) throw unknownEncoding(encoding);
    const estimate = byteLength(string, name);
    const pooled = estimate < this.poolSize >>> 1;
    const view = this.#unsafe(estimate, pooled);
    let written = 0;
    this.#filled(view, () => {
      written = writeString(view, string, name);
    });
    if (written === estimate) return view;
    try {
      const exact = this.#unsafe(written, pooled);
      setElements(exact, bytesOf(view, written));
      return exact;
    } finally {
      this.#allocator.forgo(view);
    }
  }

  /**
   * Runs what fills a new buffer. Should it throw, the buffer goes back.
   * @param {HeapBuffer} view
   * @param {() => void} fill
   */
  #filled(view, fill) {
    try {
      fill();
      return view;
    } catch (error) {
      this.#allocator.forgo(view);
      throw error;
    }
  }

  /**
   * @param {ArrayLike<unknown>} source
   * @returns {HeapBuffer}
   */
  #fromArrayLike(source) {
    const { length } = source;
    if (!(length > 0)) return this.#unsafe(0, false);
    validateNumber(length, 'length', 0, MAX_REGION_SIZE);
    const pooled = length < this.poolSize >>> 1;
    if (!pooled && !Array.isArray(source) && !ArrayBuffer.isView(source) && isIterable(source)) {
      // Past the pool, Node goes by the iterator, whatever the length says.
      return this.#fromArrayLike(new DerivedArray(source));
    }
    const view = this.#unsafe(Math.trunc(length), pooled);
    return this.#filled(view, () => {
      // It may turn out to be shorter than it said. What an earlier owner left shall not show.
      if (!isTypedArrayOfLength(source, length)) clear(view);
      setElements(view, source);
    });
  }
}

/**
 * @param {any} value
 * @returns {value is Iterable<number>}
 */
const isIterable = (value) => typeof value[Symbol.iterator] === 'function';

/**
 * @param {unknown} options
 * @returns {number}
 */
function validateAlignment(options) {
  if (options === undefined) return MIN_ALIGNMENT;
  validateOptions(options);
  const { alignment } = /** @type {Alignment} */ (options);
  if (alignment === undefined) return MIN_ALIGNMENT;
  validateNumber(alignment, 'options.alignment', 1, MAX_ALIGNMENT);
  if (!Number.isInteger(Math.log2(alignment))) {
    throw invalidArgValue('options.alignment', alignment, 'must be a power of two');
  }
  return alignment;
}

/**
 * @param {WebAssembly.Module} module
 * @param {HeapOptions} options
 */
function makeHeap(module, options) {
  const {
    regionSize,
    maxBytes = Infinity,
    poolSize = DEFAULT_POOL_SIZE,
    hostContext = false,
    zeroOnFree = false,
    onExhausted = 'throw',
    debug = false,
  } = options;
  if (typeof poolSize !== 'number') throw invalidArgType('options.poolSize', 'number', poolSize);
  for (const [name, value] of Object.entries({ hostContext, zeroOnFree, debug })) {
    if (typeof value !== 'boolean') throw invalidArgType(`options.${name}`, 'boolean', value);
  }
  if (onExhausted !== 'throw' && onExhausted !== 'fallback') {
    throw invalidArgValue(
      'options.onExhausted',
      onExhausted,
      "must be one of: 'throw', 'fallback'",
    );
  }
  let size = DEFAULT_REGION_SIZE;
  let smallest = SMALLEST_DEFAULT_REGION_SIZE;
  if (regionSize !== undefined) {
    validateNumber(regionSize, 'options.regionSize', MIN_REGION_SIZE, MAX_REGION_SIZE);
    size = smallest = Math.ceil(regionSize / PAGE_SIZE) * PAGE_SIZE;
  }
  validateNumber(maxBytes, 'options.maxBytes', MIN_REGION_SIZE);
  if (maxBytes < size) {
    size = Math.floor(maxBytes / PAGE_SIZE) * PAGE_SIZE;
    smallest = Math.min(smallest, size);
  }
  const regions = new Regions(module, size, smallest, maxBytes);
  return new Heap(regions, { poolSize, hostContext, zeroOnFree, onExhausted, debug }, KEY);
}

/** @param {unknown} options @returns {asserts options is object} */
function validateOptions(options) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidArgType('options', 'object', options);
  }
}

/**
 * A heap, once the WebAssembly module is there: the one shipped beside this file is fetched (in
 * Node, read) and compiled at the first call.
 * @example
 * import { createHeap } from 'slabring';
 * const heap = await createHeap({ maxBytes: 2 ** 28 });
 * @param {HeapOptions & LoadOptions} [options]
 * @returns {Promise<Heap>} rejected with an error that says what was looked for and where, when the
 *   module cannot be loaded
 * @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE or ERR_OUT_OF_RANGE for an option
 * @throws ERR_HEAP_EXHAUSTED when the engine has no memory of that size
 */
export async function createHeap(options = {}) {
  validateOptions(options);
  return makeHeap(await loadModule(options.wasm), options);
}

/**
 * A heap at once, from a compiled module or its bytes. On a page's main thread some older browsers
 * compile only a few kilobytes at once.
 * @example
 * import { readFileSync } from 'node:fs';
 * import { createHeapSync } from 'slabring';
 * const url = new URL(import.meta.resolve('slabring/slabring.wasm'));
 * const heap = createHeapSync(readFileSync(url));
 * @param {WasmModule | WasmBytes} moduleOrBytes
 * @param {HeapOptions} [options]
 * @returns {Heap}
 * @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE or ERR_OUT_OF_RANGE
 * @throws ERR_HEAP_EXHAUSTED when the engine has no memory of that size
 */
export function createHeapSync(moduleOrBytes, options = {}) {
  validateOptions(options);
  return makeHeap(toModule(moduleOrBytes), options);
}
