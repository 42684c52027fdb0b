import { invalidState } from './errors.js';
import { binOf, isLive, moveTo, ownerOf } from './heap-buffer.js';
import { bufferOf } from './typed-views.js';

/** @import { Heap } from './heap.js' */
/** @import { HeapBuffer } from './heap-buffer.js' */
/** @import { Bin } from './view-cache.js' */

/**
 * What a scope needs of its heap.
 * @typedef {object} Access
 * @property {Bin} unparked
 * @property {Scope | undefined} outer the scope in which this one was opened
 * @property {<T>(scope: Scope, fn: () => T) => T} within calls `fn`; what that allocates is noted
 * @property {(view: HeapBuffer) => void} discard
 */

/**
 * The scope that will free a buffer. A buffer freed within a scope may be handed out as the same
 * object in another before the first has ended: then it is that one's.
 * @type {WeakMap<HeapBuffer, Scope>}
 */
const holders = new WeakMap();

// For this package alone: who is given a scope could do harm with these.
/** @type {<T>(scope: Scope, fn: (scope: Scope) => T) => T} calls the function and ends the scope */
export let runIn;
/** @type {(scope: Scope, view: HeapBuffer) => void} has the scope free the buffer */
export let noteIn;

/**
 * Given to the function that `heap.scope` calls. What is allocated while that function runs is
 * freed when it has ended; of an asynchronous function, that is until its first `await`, and after
 * that what is allocated through this object. Any other rule would take in what other code
 * allocates meanwhile.
 */
export class Scope {
  /**
   * As the heap's method, in this scope.
   * @type {Heap['alloc']}
   */
  alloc;
  /**
   * As the heap's method, in this scope.
   * @type {Heap['allocUnsafe']}
   */
  allocUnsafe;
  /**
   * As the heap's method, in this scope.
   * @type {Heap['allocUnsafeSlow']}
   */
  allocUnsafeSlow;
  /**
   * As the heap's method, in this scope.
   * @type {Heap['from']}
   */
  from;
  /**
   * As the heap's method, in this scope.
   * @type {Heap['typed']}
   */
  typed;

  /** @type {Set<HeapBuffer> | undefined} undefined once the scope has ended */
  #held = new Set();
  /** Other code runs in between. */
  #isAsync = false;
  #access;
  #keep;

  /**
   * @param {Heap} heap
   * @param {Access} access
   * @internal
   */
  constructor(heap, access) {
    this.#access = access;
    this.#keep = heap.keep;
    /**
     * @template {any[]} A
     * @template T
     * @param {(...args: A) => T} method
     * @returns {any}
     */
    const here =
      (method) =>
      (/** @type {A} */ ...args) => {
        this.#ensureOpen();
        return access.within(this, () => method(...args));
      };
    this.alloc = here(heap.alloc);
    this.allocUnsafe = here(heap.allocUnsafe);
    this.allocUnsafeSlow = here(heap.allocUnsafeSlow);
    this.from = here(heap.from);
    this.typed = here(heap.typed);
    this.keep = this.keep.bind(this);
  }

  /**
   * The buffer, or that which the view is part of, outlives all scopes, as by `heap.keep`.
   * @template {ArrayBufferView} V
   * @param {V} view a HeapBuffer, or what `typed` returned
   * @returns {V} the same
   * @throws ERR_BUFFER_FREED
   * @throws ERR_NOT_IN_HEAP
   */
  keep(view) {
    this.#ensureOpen();
    return this.#keep(view);
  }

  /**
   * No scope frees the buffer.
   * @param {HeapBuffer} view
   * @internal
   */
  static letGo(view) {
    const scope = holders.get(view);
    if (scope !== undefined) scope.#held?.delete(view);
    holders.delete(view);
  }

  static {
    runIn = (scope, fn) => {
      const { within, unparked } = scope.#access;
      let result;
      let isAsync;
      try {
        result = within(scope, () => fn(scope));
        isAsync = isThenable(result);
      } catch (error) {
        scope.#end([]);
        throw error;
      }
      if (!isAsync) return scope.#return(result);
      // A buffer that is freed is not to be handed out as the same object again: the scope could not
      // tell whose it is then.
      scope.#isAsync = true;
      for (const view of /** @type {Set<HeapBuffer>} */ (scope.#held)) {
        if (holders.get(view) !== scope) scope.#held?.delete(view);
        else if (isLive(view)) moveTo(view, unparked);
        else Scope.letGo(view);
      }
      return /** @type {any} */ (
        Promise.resolve(result).then(
          (value) => scope.#return(value),
          (error) => {
            scope.#end([]);
            throw error;
          },
        )
      );
    };

    noteIn = (scope, view) => {
      if (scope.#held === undefined) return;
      if (scope.#isAsync) moveTo(view, scope.#access.unparked);
      holders.set(view, scope);
      scope.#held.add(view);
    };
  }

  #ensureOpen() {
    if (this.#held === undefined) throw invalidState('the scope has ended');
  }

  /**
   * @template T
   * @param {T} result
   */
  #return(result) {
    /** @type {unknown[]} */
    let survivors = [];
    let failure;
    try {
      survivors = partsOf(result);
    } finally {
      failure = this.#end(survivors);
    }
    if (failure !== undefined) throw failure;
    return result;
  }

  /**
   * Frees what it holds, all of it whatever happens.
   * @param {unknown[]} survivors views, and other things, that outlive the scope
   * @returns {unknown} the first error: in debug mode, a buffer was written to past its ends
   */
  #end(survivors) {
    const { outer, discard } = this.#access;
    for (const value of survivors) {
      const buffer = bufferOf(value) ?? value;
      if (binOf(buffer) === undefined) continue;
      const owner = ownerOf(/** @type {HeapBuffer} */ (buffer));
      if (holders.get(owner) !== this) continue;
      Scope.letGo(owner);
      if (outer !== undefined) noteIn(outer, owner);
    }
    const held = /** @type {Set<HeapBuffer>} */ (this.#held);
    this.#held = undefined;
    let failure;
    for (const view of held) {
      if (holders.get(view) !== this) continue;
      holders.delete(view);
      try {
        discard(view);
      } catch (error) {
        failure ??= error;
      }
    }
    return failure;
  }
}

/** @param {any} value */
const isThenable = (value) => value != null && typeof value.then === 'function';

/** @param {any} result */
function partsOf(result) {
  if (typeof result !== 'object' || result === null || ArrayBuffer.isView(result)) return [result];
  const prototype = Object.getPrototypeOf(result);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return Array.isArray(result) || isPlain ? Object.values(result) : [];
}
