import { AsyncHook } from './async-hooks.js';
import { AsyncIds } from './async-ids.js';
import { makeAsyncVariable } from './async-variable.js';
import { invalidArgType } from './errors.js';
import { TickQueue } from './tick-queue.js';

/** @import { AsyncHookCallbacks, Registry } from './async-hooks.js' */
/** @import { Context } from './async-variable.js' */
/** @import { HostTicks } from './host-ticks.js' */
/** @import { Region } from './region.js' */

/**
 * The tick queue of a heap and all that goes with it. A heap makes it when first asked for any.
 * @param {Region} region
 * @param {HostTicks} host
 * @param {boolean} hostContext whether each tick runs in the host's context of who pushed it
 * @param {(make: () => number) => void} reserve see TickQueue
 */
export function makeAsyncParts(region, host, hostContext, reserve) {
  /** @type {Registry} */
  const registry = { hooks: new Set(), onChange: () => {} };
  /** @type {Context} */
  const context = { frame: undefined };
  const asyncIds = new AsyncIds(region, () => reserve(region.exports.sr_async_reserve));
  const ticks = new TickQueue(region, { asyncIds, registry, context, host, reserve });
  if (hostContext) {
    const { nextTick } = ticks;
    ticks.nextTick = (callback, ...args) => {
      if (typeof callback !== 'function') throw invalidArgType('callback', 'Function', callback);
      nextTick(host.capture(), callback, args);
    };
  }
  return {
    ticks,
    asyncIds,
    /** @param {AsyncHookCallbacks} callbacks */
    createHook: (callbacks) => new AsyncHook(registry, callbacks),
    AsyncVariable: makeAsyncVariable(context),
  };
}
