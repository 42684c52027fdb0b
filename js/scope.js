import { invalidState } from './errors.js';
import { HeapBuffer, isLive, moveTo, ownerOf } from './heap-buffer.js';
import { bufferOf } from './typed-views.js';

/** @import { Heap } from './heap.js' */
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
 * Given to the function that `heap.scope` calls. What is allocated while that function runs is
 * freed when it has ended; of an asynchronous function, that is until its first `await`, and after
 * that what is allocated through this object. Any other rule would take in what other code
 * allocates meanwhile.
 */
export class Scope {
  /** As the heap's method, in this scope. @type {Heap['alloc']} */
  alloc;
  /** As the heap's method, in this scope. @type {Heap['allocUnsafe']} */
  allocUnsafe;
  /** As the heap's method, in this scope. @type {Heap['allocUnsafeSlow']} */
  allocUnsafeSlow;
  /** As the heap's method, in this scope. @type {Heap['from']} */
  from;
  /** As the heap's method, in this scope. @type {Heap['typed']} */
  typed;

  /** @type {Set<HeapBuffer> | undefined} undefined once the scope has ended */
  #held = new Set();
  /** Other code runs in between. */
  #isAsync = false;
  #access;

  /**
   * @param {Heap} heap
   * @param {Access} access
   * @internal
   */
  constructor(heap, access) {
    this.#access = access;
    /**
     * @template {any[]} A
     * @template T
     * @param {(...args: A) => T} method
     * @returns {any}
     */
    const here =
      (method) =>
      (/** @type {A} */ ...args) => {
        if (this.#held === undefined) throw invalidState('the scope has ended');
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
   * The buffer, or that which the view is part of, outlives this scope and those around it.
   * @template {ArrayBufferView} V
   * @param {V} view
   * @returns {V}
   */
  keep(view) {
    /** @type {Scope | undefined} */
    let scope = this;
    for (; scope !== undefined; scope = scope.#access.outer) scope.#letGo(view);
    return view;
  }

  /**
   * @template T
   * @param {(scope: Scope) => T} fn
   * @returns {T}
   * @internal
   */
  run(fn) {
    let result;
    try {
      result = this.#access.within(this, () => fn(this));
    } catch (error) {
      this.#end(undefined);
      throw error;
    }
    const promise = /** @type {any} */ (result);
    if (!isThenable(promise)) {
      this.#end(result);
      return result;
    }
    // A buffer that is freed is not to be handed out as the same object again: the scope could not
    // tell whose it is then.
    this.#isAsync = true;
    for (const view of /** @type {Set<HeapBuffer>} */ (this.#held)) {
      if (isLive(view)) moveTo(view, this.#access.unparked);
      else this.#held?.delete(view);
    }
    return promise.then(
      (/** @type {unknown} */ value) => {
        this.#end(value);
        return value;
      },
      (/** @type {unknown} */ error) => {
        this.#end(undefined);
        throw error;
      },
    );
  }

  /**
   * @param {HeapBuffer} view
   * @internal
   */
  add(view) {
    if (this.#isAsync) moveTo(view, this.#access.unparked);
    this.#held?.add(view);
  }

  /** @param {unknown} view */
  #letGo(view) {
    const buffer = bufferOf(view) ?? view;
    return buffer instanceof HeapBuffer && this.#held?.delete(ownerOf(buffer)) === true;
  }

  /** @param {unknown} result outlives the scope: a view, or those in an array or plain object */
  #end(result) {
    const { outer, discard } = this.#access;
    for (const value of partsOf(result)) {
      const buffer = bufferOf(value) ?? value;
      if (this.#letGo(buffer)) outer?.add(ownerOf(/** @type {HeapBuffer} */ (buffer)));
    }
    const held = /** @type {Set<HeapBuffer>} */ (this.#held);
    this.#held = undefined;
    for (const view of held) discard(view);
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
