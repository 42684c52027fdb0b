import {
  ASYNC_BASE,
  ASYNC_CAPACITY,
  ASYNC_DEPTH,
  ASYNC_EXECUTION_ID,
  ASYNC_LAST_ID,
  ASYNC_PAIRS,
  ASYNC_TRIGGER_ID,
} from '#layout';
import { asyncStackCorrupted, validateNumber } from './errors.js';
import { makeSlots } from './slots.js';

/** @import { Region } from './region.js' */

/** Frames of a function that does nothing, more than any function of ours needs. */
const HEADROOM = 250;

/** @type {(frames: number) => number} */
const dive = (frames) => (frames > 0 ? dive(frames - 1) + 1 : 0);

/** Whether the engine's own stack is about to overflow, or just did and is being unwound. */
function isOverflowing() {
  try {
    dive(HEADROOM);
    return false;
  } catch {
    return true;
  }
}

// Not by a static block, which bundlers keep with all that it is in.
/** @type {WeakMap<AsyncIds, (depth: number) => void>} */
const forgets = new WeakMap();

/**
 * Lets go of the resources from a depth on: for the tick queue alone.
 * @param {AsyncIds} asyncIds
 * @param {number} depth
 */
export const forgetFrom = (asyncIds, depth) => forgets.get(asyncIds)?.(depth);

// In linear memory: C++ pushes and pops the ids too, see cpp/include/slabring/async_id_stack.hpp. C++ is
// called only when there is no room. The methods are functions of each object: they need no `this`,
// and read what they need without a step through one.

/** The ids of what runs now and of what it interrupted; `heap.asyncIds`. Its methods are bound. */
export class AsyncIds {
  /** The id of what runs now; 1 for the program itself. */
  executionAsyncId;
  /** The id of what caused what runs now; 0 when nothing did. */
  triggerAsyncId;
  /** The resource that the last `push` came with. */
  executionAsyncResource;
  /** An id that nothing had before. */
  newAsyncId;
  /**
   * Makes two ids current, until they are popped. The resource is kept with them.
   * @type {(asyncId: number, triggerId: number, resource?: unknown) => void}
   */
  push;
  /**
   * Goes back to what was interrupted; returns whether that was pushed, too. With nothing pushed,
   * in a tick with nothing pushed by it, it does nothing.
   * @type {(asyncId: number) => boolean}
   * @throws ERR_ASYNC_STACK_CORRUPTED, with nothing changed, when another id is current
   */
  pop;
  /** Back to the program itself. Within a tick it holds until the tick ends. */
  clear;
  #words;

  /**
   * @param {Region} region
   * @param {() => void} reserve makes room for one more pair at least
   * @internal
   */
  constructor(region, reserve) {
    const { words } = region;
    const control = region.asyncIdControl;
    const ids = new Float64Array(control.buffer, control.byteOffset, control.length >> 1);
    this.#words = control;
    // As many as there are pairs; C++ alone may have more.
    let resources = makeSlots(0);

    this.executionAsyncId = () => ids[ASYNC_EXECUTION_ID];
    this.triggerAsyncId = () => ids[ASYNC_TRIGGER_ID];
    this.newAsyncId = () => ++ids[ASYNC_LAST_ID];
    this.executionAsyncResource = () => {
      const depth = control[ASYNC_DEPTH];
      return depth > 0 && depth <= resources.length ? resources[depth - 1] : undefined;
    };

    const grow = () => {
      reserve();
      const longer = makeSlots(control[ASYNC_CAPACITY]);
      for (let i = 0; i < resources.length; i++) longer[i] = resources[i];
      resources = longer;
    };

    this.push = (asyncId, triggerId, resource) => {
      if (!(typeof asyncId === 'number' && asyncId >= 0)) validateNumber(asyncId, 'asyncId', 0);
      if (!(typeof triggerId === 'number' && triggerId >= 0)) {
        validateNumber(triggerId, 'triggerId', 0);
      }
      const depth = control[ASYNC_DEPTH];
      if (depth >= resources.length) grow();
      const at = (control[ASYNC_PAIRS] >>> 3) + depth * 2;
      words[at] = ids[ASYNC_EXECUTION_ID];
      words[at + 1] = ids[ASYNC_TRIGGER_ID];
      ids[ASYNC_EXECUTION_ID] = asyncId;
      ids[ASYNC_TRIGGER_ID] = triggerId;
      if (resource !== undefined) resources[depth] = resource;
      control[ASYNC_DEPTH] = depth + 1;
    };

    /** @param {number} depth */
    const popTo = (depth) => {
      const at = (control[ASYNC_PAIRS] >>> 3) + depth * 2;
      ids[ASYNC_EXECUTION_ID] = words[at];
      ids[ASYNC_TRIGGER_ID] = words[at + 1];
      control[ASYNC_DEPTH] = depth;
    };

    /**
     * Another id is current. Where the engine's stack overflows, that is since a `pop` further in
     * could not even be called, and the RangeError is what the caller must see: then what was left
     * is popped as well.
     * @param {number} asyncId
     */
    const popOther = (asyncId) => {
      if (isOverflowing()) {
        for (let depth = control[ASYNC_DEPTH] - 1; depth > control[ASYNC_BASE]; depth--) {
          if (words[(control[ASYNC_PAIRS] >>> 3) + depth * 2] === asyncId) {
            forget(depth);
            popTo(depth - 1);
            return;
          }
        }
      }
      throw asyncStackCorrupted(ids[ASYNC_EXECUTION_ID], asyncId);
    };

    this.pop = (asyncId) => {
      const depth = control[ASYNC_DEPTH] - 1;
      if (depth < control[ASYNC_BASE]) return false;
      if (ids[ASYNC_EXECUTION_ID] !== asyncId) {
        popOther(asyncId);
        return control[ASYNC_DEPTH] > 0;
      }
      if (depth < resources.length && resources[depth] !== undefined) resources[depth] = undefined;
      popTo(depth);
      return depth > 0;
    };

    this.clear = () => {
      const base = control[ASYNC_BASE];
      forget(base);
      control[ASYNC_DEPTH] = base;
      ids[ASYNC_EXECUTION_ID] = 1;
      ids[ASYNC_TRIGGER_ID] = 0;
    };

    const forget = (/** @type {number} */ depth) => {
      for (let i = depth; i < resources.length; i++) resources[i] = undefined;
    };
    forgets.set(this, forget);
  }

  /** How many pairs are pushed. */
  get depth() {
    return this.#words[ASYNC_DEPTH];
  }
}
