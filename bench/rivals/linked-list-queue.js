/**
 * How Node queued ticks before the ring (pull request 18617): an object a tick, linked to the next.
 * All else is as in the ring here: ids in a typed array, one call of the host for all ticks, a tick
 * that throws does not end the rest.
 */

/** @import { NextTick } from '../harness/tick-shapes.js' */

/** @typedef {(...args: any[]) => void} Callback */

class Tick {
  /** @type {Tick | null} */
  next = null;

  /**
   * @param {Callback} callback
   * @param {any[] | undefined} args
   * @param {number} asyncId
   * @param {number} triggerId
   */
  constructor(callback, args, asyncId, triggerId) {
    this.callback = callback;
    this.args = args;
    this.asyncId = asyncId;
    this.triggerId = triggerId;
  }
}

const EXECUTION = 0;
const TRIGGER = 1;
const LAST = 2;

/** @returns {NextTick} */
export function makeLinkedListQueue() {
  const ids = new Float64Array(3);
  /** @type {Tick | null} */
  let head = null;
  /** @type {Tick | null} */
  let tail = null;
  const host = globalThis.process?.nextTick ?? queueMicrotask;

  function drain() {
    try {
      while (head !== null) {
        const tick = head;
        const { callback, args } = tick;
        head = tick.next;
        if (head === null) tail = null;
        ids[EXECUTION] = tick.asyncId;
        ids[TRIGGER] = tick.triggerId;
        if (args === undefined) callback();
        else callback(...args);
      }
    } finally {
      ids[EXECUTION] = ids[TRIGGER] = 0;
      if (head !== null) host(drain);
      else isAsked = false;
    }
  }

  let isAsked = false;
  return (callback, ...args) => {
    if (typeof callback !== 'function') throw new TypeError('callback is no function');
    const given = args.length > 0 ? args : undefined;
    const tick = new Tick(callback, given, ++ids[LAST], ids[EXECUTION]);
    if (tail === null) head = tick;
    else tail.next = tick;
    tail = tick;
    if (!isAsked) {
      isAsked = true;
      host(drain);
    }
  };
}
