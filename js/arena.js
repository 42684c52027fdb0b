import {
  ARENA_ALIGNMENT,
  ARENA_BASE,
  ARENA_END,
  ARENA_FIRST,
  ARENA_HIGH_WATER,
  ARENA_MAX_ALIGNMENT,
  ARENA_MAX_SIZE,
  ARENA_TOP,
  ARENA_WINDOW_SIZE,
  ARENA_WORDS,
} from '#layout';
import {
  arenaExhausted,
  heapDisposed,
  invalidArgType,
  invalidArgValue,
  outOfRange,
  validateInteger,
  validateNumber,
} from './errors.js';
import { KEY } from './heap-buffer.js';
import { BaseArray, byteLengthOf, byteOffsetOf, kindOf, memoryOf, setElements } from './host.js';
import { MAX_REGION_SIZE } from './region.js';

/** @import { Allocator } from './allocator.js' */
/** @import { HeapBuffer } from './heap-buffer.js' */
/** @import { Region } from './region.js' */
/** @import { TypedArray } from './views.js' */

const DEFAULT_SIZE = 2 ** 20;

/** Bytes that an arena takes besides, at most: its control block and window, where alignment lets them. */
const OVERHEAD = ARENA_WORDS * 4 + ARENA_WINDOW_SIZE + 64;

/** Up to here the engine's own stores are quicker than a call. */
const SMALL_ZERO = 64;
const SMALL_COPY = 16;

/** Marks of one arena are so far from the next one's; so many have marks of their own. */
const MARKS = 2 ** 32;
const SERIALS = 2 ** 20;
let serial = 0;

/** Of an arena that is disposed of: nothing fits, and no pointer is right. */
const NONE = new Int32Array(ARENA_WORDS);
NONE[ARENA_TOP] = 1;

/** @type {any} Of fields that are set before anybody sees them. */
const SOON = undefined;

const FIELDS = {
  u8: BaseArray,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
};

/** Classes of views that are as they say. @type {Set<unknown>} */
const KNOWN = new Set([...Object.values(FIELDS), Uint8ClampedArray, DataView]);

/**
 * What an arena is made with.
 * @typedef {object} ArenaOptions
 * @property {number} [size] bytes to allocate from, what alignment skips among them: 1 to 2^29, 2^20
 *   by default. Only what is used becomes resident.
 */

/**
 * The constructor of typed arrays of a kind, or DataView; of any realm.
 * @template T
 * @typedef {new (buffer: ArrayBuffer, byteOffset: number, length: number) => T} ViewConstructor
 */

/**
 * Bytes of an element.
 * @param {any} Type
 * @returns {number}
 */
function unitOf(Type) {
  if (typeof Type === 'function') {
    const unit = Type.BYTES_PER_ELEMENT;
    if (unit === 1 || unit === 2 || unit === 4 || unit === 8) return unit;
    if (Type.prototype?.[Symbol.toStringTag] === 'DataView') return 1;
  }
  throw invalidArgType('Type', 'the constructor of a typed array or data view', Type);
}

/**
 * @param {number} value
 * @param {string} name
 * @param {number} unit
 */
function validateMultiple(value, name, unit) {
  if (value % unit !== 0) throw invalidArgValue(name, value, `must be a multiple of ${unit}`);
}

/**
 * Throws unless `length` times `unit` bytes from `pointer` on are allocated.
 * @param {Int32Array} control
 * @param {unknown} pointer
 * @param {unknown} length
 * @param {number} unit
 */
function validateRange(control, pointer, length, unit) {
  const top = control[ARENA_TOP];
  if (
    typeof pointer === 'number' &&
    typeof length === 'number' &&
    pointer >>> 0 === pointer &&
    pointer >= ARENA_FIRST &&
    pointer % unit === 0 &&
    length >>> 0 === length &&
    length * unit <= top - pointer
  ) {
    return;
  }
  if (control === NONE) throw heapDisposed('arena');
  validateInteger(pointer, 'pointer', ARENA_FIRST, top);
  validateMultiple(pointer, 'pointer', unit);
  validateInteger(length, 'length', 0, Math.floor((top - pointer) / unit));
}

/**
 * The path of `alloc` for all that is not usual.
 * @param {Int32Array} control
 * @param {unknown} bytes
 * @param {unknown} alignment
 * @returns {number}
 */
function allocAligned(control, bytes, alignment = ARENA_ALIGNMENT) {
  validateInteger(bytes, 'bytes', 0, MAX_REGION_SIZE);
  validateInteger(alignment, 'alignment', 1, ARENA_MAX_ALIGNMENT);
  if ((alignment & (alignment - 1)) !== 0) {
    throw invalidArgValue('alignment', alignment, 'must be a power of two');
  }
  if (control === NONE) throw heapDisposed('arena');
  const top = control[ARENA_TOP];
  const end = control[ARENA_END];
  const pointer = (top + alignment - 1) & -alignment;
  if (bytes > end - pointer) throw arenaExhausted(bytes, top - ARENA_FIRST, end - ARENA_FIRST);
  control[ARENA_TOP] = pointer + bytes;
  return pointer;
}

/**
 * @param {any} source
 * @param {number} from an index
 * @param {any} target
 * @param {number} to likewise
 * @param {number} count
 */
function copyElements(source, from, target, to, count) {
  for (let i = 0; i < count; i++) target[to + i] = source[from + i];
}

/**
 * Memory for values that live for a moment: `alloc` moves a mark and returns a number, `reset` takes
 * everything back at once, and nothing is made on the JavaScript heap. Made by `heap.arena()`.
 *
 *     const v = arena.alloc(24); // three doubles
 *     arena.f64[v >> 3] = 1.5;
 *     arena.reset();
 *
 * A pointer counts bytes from the start of the arena: it is never 0, and below 2^30, so that `>>`
 * makes it an index of the arena's own arrays, `u8` to `f64`. These show the arena and nothing else;
 * that they are used within what is allocated, nobody checks. `view`, `copyContents` and
 * `materialize` are checked.
 *
 * C++ kernels allocate from the same arena, and in turns with JavaScript: give them `handle`, which
 * they see as a `slabring::Arena*`, or the `address` of a pointer.
 *
 * The arena owns its memory until `dispose()`, its own or the heap's. A call that throws has changed
 * nothing.
 * @disposable The same as `dispose`, at the end of a `using` block.
 */
export class Arena {
  /** @type {Allocator} */
  #allocator;
  /** @type {Set<Arena>} */
  #open;
  /**
   * Undefined once the arena is disposed of: nothing here shall keep the memory of a heap that is.
   * @type {Region | undefined}
   */
  #region;
  #handle;
  #base;
  /**
   * What is shared with C++: cpp/include/slabring/arena.hpp.
   * @type {Int32Array}
   */
  #control;
  /** What this arena's marks count from. */
  #marks;
  /**
   * Its arrays, by kind: what somebody puts into the fields below matters to them alone.
   * @type {Record<string, any>}
   */
  #arrays = Object.create(null);
  /** @type {Uint8Array} */
  #bytes = SOON;
  /** @type {Float64Array} */
  #doubles = SOON;
  /**
   * Of one place, which is nobody else's: by length, the powers of two.
   * @type {Uint8Array[]}
   */
  #windows = [];

  /**
   * Kept by the minifier: `util.inspect` shows it.
   * @internal
   */
  static name = 'Arena';

  // All of the arena. Own properties: no engine reads anything quicker.

  /**
   * `u8[pointer]`
   * @type {Uint8Array}
   */
  u8 = SOON;
  /**
   * `i8[pointer]`
   * @type {Int8Array}
   */
  i8 = SOON;
  /**
   * `u16[pointer >> 1]`
   * @type {Uint16Array}
   */
  u16 = SOON;
  /**
   * `i16[pointer >> 1]`
   * @type {Int16Array}
   */
  i16 = SOON;
  /**
   * `u32[pointer >> 2]`
   * @type {Uint32Array}
   */
  u32 = SOON;
  /**
   * `i32[pointer >> 2]`
   * @type {Int32Array}
   */
  i32 = SOON;
  /**
   * `f32[pointer >> 2]`
   * @type {Float32Array}
   */
  f32 = SOON;
  /**
   * `f64[pointer >> 3]`
   * @type {Float64Array}
   */
  f64 = SOON;
  /**
   * `u64[pointer >> 3]`, bigints
   * @type {BigUint64Array}
   */
  u64 = SOON;
  /**
   * `i64[pointer >> 3]`, bigints
   * @type {BigInt64Array}
   */
  i64 = SOON;

  /**
   * @param {Allocator} allocator
   * @param {Set<Arena>} open the heap's, which this one joins until it is disposed of
   * @param {ArenaOptions} options
   * @param {symbol} key
   * @internal
   */
  constructor(allocator, open, options, key) {
    if (key !== KEY) throw new TypeError('Illegal constructor: use heap.arena()');
    const { size = DEFAULT_SIZE } = options;
    void allocator.regions;
    validateInteger(size, 'options.size', 1, ARENA_MAX_SIZE);
    const found = allocator.find(size + OVERHEAD, 1, (region) => {
      const handle = region.exports.sr_arena_create(size) >>> 0;
      return handle === 0 ? undefined : { region, handle };
    });
    if (found === undefined) throw allocator.exhausted(size + OVERHEAD);
    const { region, handle } = found;
    const { buffer } = region;
    const control = new Int32Array(buffer, handle, ARENA_WORDS);
    const base = control[ARENA_BASE] >>> 0;
    this.#allocator = allocator;
    this.#open = open;
    this.#region = region;
    this.#handle = handle;
    this.#base = base;
    this.#control = control;
    serial = (serial % SERIALS) + 1;
    this.#marks = serial * MARKS;
    const window = handle + ARENA_WORDS * 4;
    this.#windows = Array.from(
      { length: 32 - Math.clz32(ARENA_WINDOW_SIZE) },
      (_, i) => new BaseArray(buffer, window, 2 ** i),
    );

    this.#show(buffer, base, control[ARENA_END]);
    open.add(this);
  }

  /**
   * `bytes` bytes, until a reset to a mark before them, with whatever was there before: bytes of
   * this heap. 1 to 2 ns.
   * @param {number} bytes 0 to 2^32, a whole number; 0 bytes have a pointer like any other
   * @param {number} [alignment] of the pointer and of the address, in bytes: a power of two, 1 to
   *   65536; 8 by default
   * @returns {number} the pointer
   * @throws ERR_HEAP_EXHAUSTED when the arena has no room
   * @throws ERR_HEAP_DISPOSED
   */
  alloc(bytes, alignment) {
    const control = this.#control;
    const pointer = (control[ARENA_TOP] + ARENA_ALIGNMENT - 1) & -ARENA_ALIGNMENT;
    // Few bytecodes: so V8 inlines it again and again, where many small functions allocate.
    if (
      alignment === undefined &&
      typeof bytes === 'number' &&
      bytes >>> 0 === bytes &&
      bytes <= control[ARENA_END] - pointer
    ) {
      control[ARENA_TOP] = pointer + bytes;
      return pointer;
    }
    return allocAligned(control, bytes, alignment);
  }

  /**
   * The same, every byte zero.
   * @param {number} bytes 0 to 2^32, a whole number
   * @param {number} [alignment] a power of two, 1 to 65536; 8 by default
   * @returns {number} the pointer
   * @throws ERR_HEAP_EXHAUSTED when the arena has no room
   * @throws ERR_HEAP_DISPOSED
   */
  allocZeroed(bytes, alignment) {
    // Not by `alloc`: what somebody put in its place might point anywhere. Its first lines again:
    // by `allocAligned` alone this takes 12 ns, so 5.
    const control = this.#control;
    let pointer = (control[ARENA_TOP] + ARENA_ALIGNMENT - 1) & -ARENA_ALIGNMENT;
    if (
      alignment === undefined &&
      typeof bytes === 'number' &&
      bytes >>> 0 === bytes &&
      bytes <= control[ARENA_END] - pointer
    ) {
      control[ARENA_TOP] = pointer + bytes;
    } else {
      pointer = allocAligned(control, bytes, alignment);
    }
    if (bytes <= SMALL_ZERO && pointer % 8 === 0) {
      // The rest of the last word is not allocated yet.
      const doubles = this.#doubles;
      for (let at = pointer; at < pointer + bytes; at += 8) doubles[at >> 3] = 0;
    } else {
      this.#opened().exports.sr_zero(this.#base + pointer, bytes);
    }
    return pointer;
  }

  /**
   * A typed array or DataView of what is allocated there. It must not be used after a reset that
   * takes that back: it would show whatever comes next. Some 30 ns, and an object for the garbage
   * collector; `f64[pointer >> 3]` costs neither.
   * @template T
   * @param {ViewConstructor<T>} Type
   * @param {number} pointer a multiple of the size of an element
   * @param {number} length in elements; of a DataView in bytes
   * @returns {T}
   * @throws ERR_OUT_OF_RANGE when not all of it is allocated
   * @throws ERR_HEAP_DISPOSED
   */
  view(Type, pointer, length) {
    const unit = unitOf(Type);
    validateRange(this.#control, pointer, length, unit);
    const view = new Type(this.#opened().buffer, this.#base + pointer, length);
    // A class of somebody's own may have told another size than its elements have. To ask each view
    // takes 30 ns.
    if (!KNOWN.has(Type) && /** @type {any} */ (view).byteLength !== length * unit) {
      throw invalidArgType('Type', 'the constructor of a typed array or data view', Type);
    }
    return view;
  }

  /**
   * Copies what is allocated there into a typed array, without making a view or any other object.
   * Everything is in bytes; for a target of wider elements all must be multiples of their size.
   * @overload
   * @param {number} pointer where to begin
   * @param {number} length how many
   * @param {TypedArray} target in whatever memory
   * @param {number} [at] where in the target to begin; 0 by default
   * @returns {void}
   * @throws ERR_OUT_OF_RANGE when not all of it is allocated, or the target too short
   * @throws ERR_HEAP_DISPOSED
   */
  /**
   * @param {number} pointer
   * @param {number} length
   * @param {any} target
   * @param {number} [at]
   */
  copyContents(pointer, length, target, at = 0) {
    validateRange(this.#control, pointer, length, 1);
    const kind = kindOf(target);
    if (kind === undefined) throw invalidArgType('target', 'TypedArray', target);
    const room = byteLengthOf(target);
    if (!(typeof at === 'number' && at >>> 0 === at && length <= room - at)) {
      validateInteger(at, 'at', 0, room);
      validateNumber(length, 'length', 0, room - at);
    }
    const { buffer, exports } = /** @type {Region} */ (this.#region);
    const from = this.#base + pointer;
    const offset = byteOffsetOf(target);
    // In our memory the two may overlap. A view of that begins past its start; and in V8 to ask for
    // the buffer of an array that does not would make one, where there may be none yet.
    if (offset !== 0 && memoryOf(target) === buffer) {
      exports.sr_copy(offset + at, from, length);
      return;
    }
    // The quickest of the bytes first: a look into the table takes 10 ns.
    const bytes = this.#bytes;
    if (kind === 'Uint8Array' && length < SMALL_COPY) {
      for (let i = 0; i < length; i++) target[at + i] = bytes[pointer + i];
      return;
    }
    const source = kind === 'Uint8Array' ? bytes : this.#arrays[kind];
    if (source === undefined) {
      // A kind that came after these.
      const plain = new BaseArray(/** @type {ArrayBuffer} */ (memoryOf(target)), offset, room);
      this.copyContents(pointer, length, plain, at);
      return;
    }
    const unit = source.BYTES_PER_ELEMENT;
    if (unit > 1 || length < SMALL_COPY) {
      validateMultiple(pointer, 'pointer', unit);
      validateMultiple(length, 'length', unit);
      validateMultiple(at, 'at', unit);
      copyElements(source, pointer / unit, target, at / unit, length / unit);
      return;
    }
    // A target takes whole arrays only: the bytes go through the largest window that they fill, and
    // the last time may overlap the one before.
    const which = Math.min(31 - Math.clz32(length), this.#windows.length - 1);
    const window = this.#windows[which];
    const step = 1 << which;
    for (let done = 0; done < length; done += step) {
      if (done > length - step) done = length - step;
      exports.sr_copy(byteOffsetOf(window), from + done, step);
      setElements(target, window, at + done);
    }
  }

  /**
   * A copy that survives the reset: a buffer of the heap, as `heap.allocUnsafe(length)` gives it.
   * @param {number} pointer where to begin
   * @param {number} length bytes
   * @returns {HeapBuffer}
   * @throws ERR_OUT_OF_RANGE when not all of it is allocated
   * @throws ERR_HEAP_EXHAUSTED
   */
  materialize(pointer, length) {
    validateRange(this.#control, pointer, length, 1);
    const buffer = this.#allocator.pooled(length);
    try {
      this.copyContents(pointer, length, buffer);
    } catch (error) {
      // Somebody who was told of a new region has reset the arena.
      this.#allocator.forgo(buffer);
      throw error;
    }
    return buffer;
  }

  /**
   * What `reset` takes: a number, of this arena alone.
   * @returns {number}
   */
  mark() {
    this.#opened();
    return this.#marks + this.#control[ARENA_TOP];
  }

  /**
   * Takes back all that was allocated since the mark, or everything: its pointers, views and marks
   * must not be used any more.
   * @param {number} [mark] what `mark()` returned
   * @throws ERR_OUT_OF_RANGE when it is another arena's, or of what was taken back
   * @throws ERR_HEAP_DISPOSED
   */
  reset(mark) {
    this.#opened();
    const control = this.#control;
    const top = control[ARENA_TOP];
    let first = ARENA_FIRST;
    if (mark !== undefined) {
      validateNumber(mark, 'mark');
      first = mark - this.#marks;
      if (!(first >= ARENA_FIRST && first <= top && Number.isInteger(first))) {
        throw outOfRange('mark', 'a mark of this arena, not past its top', mark);
      }
    }
    if (top > control[ARENA_HIGH_WATER]) control[ARENA_HIGH_WATER] = top;
    control[ARENA_TOP] = first;
  }

  /** Bytes allocated now, those among them that alignment skipped. */
  get used() {
    return Math.max(0, this.#control[ARENA_TOP] - ARENA_FIRST);
  }

  /** The most that `used` ever was. */
  get highWater() {
    const control = this.#control;
    return Math.max(0, control[ARENA_TOP] - ARENA_FIRST, control[ARENA_HIGH_WATER] - ARENA_FIRST);
  }

  /** Bytes there are; 0 after `dispose()`. */
  get size() {
    return Math.max(0, this.#control[ARENA_END] - ARENA_FIRST);
  }

  /** For C++: the address of the `slabring::Arena`. */
  get handle() {
    this.#opened();
    return this.#handle;
  }

  /**
   * For C++: where a pointer points to in linear memory.
   * @param {number} pointer
   * @returns {number} bytes from the start of the memory
   */
  address(pointer) {
    validateRange(this.#control, pointer, 0, 1);
    return this.#base + pointer;
  }

  /** What the WebAssembly instance exports whose memory this is: see `heap.exportsOf`. */
  get exports() {
    return this.#opened().exports;
  }

  /** Gives the memory back. The arena refuses all else from now on; a second call does nothing. */
  dispose() {
    const region = this.#region;
    if (region === undefined) return;
    region.exports.sr_arena_destroy(this.#handle);
    this.#allocator.dropIfEmpty(region);
    this.#region = undefined;
    this.#open.delete(this);
    this.#control = NONE;
    this.#windows = [];
    this.#show(new ArrayBuffer(0), 0, 0);
  }

  /**
   * The arena's own arrays. In whole words: the last may reach up to 7 bytes past the end, which
   * are nobody's.
   * @param {ArrayBuffer} buffer
   * @param {number} base
   * @param {number} size bytes
   */
  #show(buffer, base, size) {
    const bytes = Math.ceil(size / 8) * 8;
    for (const [name, Type] of Object.entries(FIELDS)) {
      const array = new Type(buffer, base, bytes / Type.BYTES_PER_ELEMENT);
      this.#arrays[/** @type {string} */ (kindOf(array))] = array;
      /** @type {any} */ (this)[name] = array;
    }
    this.#bytes = this.u8;
    this.#doubles = this.f64;
    this.#arrays.Uint8ClampedArray = this.#bytes;
  }

  /** Not on the path of `alloc`: V8 of Node 20 takes 7 ns for the call. */
  #opened() {
    if (this.#region === undefined) throw heapDisposed('arena');
    return this.#region;
  }

  /**
   * What does not agree when it is counted again. Only a build with assertions tells.
   * @internal
   */
  findProblem() {
    const region = this.#opened();
    return region.text(region.exports.sr_arena_find_problem?.(this.#handle) ?? 0);
  }
}

// A feature of the host: not every engine has the symbol.
if (Symbol.dispose) {
  Object.defineProperty(Arena.prototype, Symbol.dispose, {
    value: Arena.prototype.dispose,
    writable: true,
    configurable: true,
  });
}
