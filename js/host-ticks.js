/** Where ticks are drained from: in Node one `process.nextTick`, elsewhere one microtask. */

/**
 * @typedef {object} HostTicks
 * @property {(drain: () => void) => void} schedule has `drain` called soon, in the context in which
 *   this object was made
 * @property {() => (fn: Function, args: unknown[]) => unknown} capture what calls a function in
 *   the host's context of now, where it has one
 */

const { apply } = Reflect;

/**
 * One microtask for all ticks. An error of a tick is reported from it, so that the rest come before
 * any other microtask, as in Node; thrown, it would end the microtask, and the rest could only queue
 * behind those that wait.
 * @returns {HostTicks['schedule']}
 */
function inMicrotask() {
  const { reportError } = globalThis;
  if (typeof reportError !== 'function') return (drain) => queueMicrotask(drain);
  let draining = false;
  /** @type {(() => void) | undefined} */
  let next;
  /** @param {() => void} drain */
  const run = (drain) => {
    draining = true;
    next = drain;
    while (next !== undefined) {
      const now = next;
      next = undefined;
      try {
        now();
      } catch (error) {
        reportError(error);
      }
    }
    draining = false;
  };
  return (drain) => {
    // A drain that fails asks for another.
    if (draining) next = drain;
    else queueMicrotask(() => run(drain));
  };
}

/** @type {HostTicks['capture']} */
const capture = () => (fn, args) => apply(fn, undefined, args);

/**
 * Node's scheduler puts the AsyncLocalStorage stores of whoever calls it around the drain, and all
 * ticks would see those of the first that queued one; so it is called from where the heap was made.
 * @returns {HostTicks}
 */
export function captureHost() {
  const { process } = /** @type {{ process?: NodeJS.Process }} */ (globalThis);
  if (process?.versions?.node === undefined) {
    return { schedule: inMicrotask(), capture };
  }
  const { nextTick } = process;
  // Nothing is imported: bundles for browsers hold this too. Nodes before 20.16 lack it.
  const hooks = process.getBuiltinModule?.('node:async_hooks');
  if (hooks === undefined) return { schedule: (drain) => nextTick(drain), capture };
  const { AsyncResource } = hooks;
  const run = AsyncResource.prototype.runInAsyncScope;
  // AsyncResource.bind would do, but for setters on Object.prototype.
  const maker = new AsyncResource('slabring', { requireManualDestroy: true });
  return {
    schedule: (drain) => apply(run, maker, [nextTick, undefined, drain]),
    capture: () => {
      const resource = new AsyncResource('slabring', { requireManualDestroy: true });
      return (fn, args) => apply(run, resource, [apply, undefined, fn, undefined, args]);
    },
  };
}
