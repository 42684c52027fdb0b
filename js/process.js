/**
 * What packages written for Node ask of `process`, for pages: a bundler's alias for `process` points
 * here. `nextTick` is a heap's; all else tells that this is no Node, as npm's `process` does.
 *
 * Everything is exported twice, by name and in the default export: a bundler gives the CommonJS
 * `require('process')` the names.
 *
 * @module
 */

import { invalidArgType, invalidState, notImplemented, outOfRange } from './errors.js';
import { createHeapSync } from './inline.js';

/** @import { Heap } from './index.js' */
/** @import { TickQueue } from './index.js' */

/** Of the heap that is made where none is given: enough for some hundred thousand ticks at a time. */
const REGION_SIZE = 16 * 1024 * 1024;

const { apply } = Reflect;

/** @type {TickQueue | undefined} */
let ticks;

/** @type {(...args: any[]) => void} */
let push = (...args) => {
  useHeap(createHeapSync(undefined, { regionSize: REGION_SIZE }));
  apply(push, undefined, args);
};

/**
 * Has `nextTick` queue on a heap that there is anyway, in order with its other ticks. Without it the
 * first tick makes a heap of 16 MiB of address space, which takes some milliseconds.
 * @param {Heap} heap
 * @throws ERR_INVALID_STATE while ticks are queued on another: their order would be lost
 */
export function useHeap(heap) {
  const queue = heap?.ticks;
  if (typeof queue?.nextTick !== 'function') throw invalidArgType('heap', 'Heap', heap);
  if (ticks !== undefined && ticks !== queue && ticks.size > 0) {
    throw invalidState('ticks are queued on another heap');
  }
  ticks = queue;
  push = queue.nextTick;
}

// `arguments` as it is: no array is made, and no iterator asked that others may have replaced.
// biome-ignore-start lint/complexity/noArguments: see above
/**
 * Calls `callback(...args)` once the code that runs now, and all ticks queued before, have ended, and
 * before any microtask that is queued later. A callback that throws is an uncaught error of the page;
 * the rest run.
 * @type {(callback: (...args: any[]) => unknown, ...args: any[]) => void}
 * @throws ERR_INVALID_ARG_TYPE when it is no function
 * @throws ERR_HEAP_EXHAUSTED
 */
export const nextTick = /** @type {any} */ (
  function nextTick() {
    apply(push, undefined, arguments);
  }
);
// biome-ignore-end lint/complexity/noArguments: see above

/** `'browser'` */
export const title = 'browser';
/** True: packages ask it to tell a page from Node. */
export const browser = true;
/** `'browser'`: none of Node's. */
export const platform = 'browser';
/** Empty, as there is no Node. */
export const version = '';
/**
 * Empty, as there is no Node.
 * @type {Record<string, string | undefined>}
 */
export const versions = {};
/**
 * Empty, and may be written to.
 * @type {Record<string, string | undefined>}
 */
export const env = {};
/**
 * Empty.
 * @type {string[]}
 */
export const argv = [];
/** There is no stream to write to. */
export const stdout = undefined;
/** There is no stream to write to. */
export const stderr = undefined;

/** `'/'` */
export function cwd() {
  return '/';
}

/**
 * There are no directories to go to.
 * @param {string} _directory
 * @returns {never}
 * @throws ERR_METHOD_NOT_IMPLEMENTED always
 */
export function chdir(_directory) {
  throw notImplemented('chdir()');
}

/**
 * There is nothing of Node's inside.
 * @param {string} _name
 * @returns {never}
 * @throws ERR_METHOD_NOT_IMPLEMENTED always
 */
export function binding(_name) {
  throw notImplemented('binding()');
}

/** 0 */
export function umask() {
  return 0;
}

/** Seconds since the page was opened, or the worker started. */
export function uptime() {
  return performance.now() / 1000;
}

/** Nanoseconds since the page was opened. */
const nanoseconds = () => BigInt(Math.round(performance.now() * 1e6));

/**
 * Seconds and nanoseconds since the page was opened; with an earlier result, since then. As fine as
 * the browser's clock: 5 to 1000 microseconds.
 * @param {[number, number]} [time]
 * @returns {[number, number]}
 * @throws ERR_INVALID_ARG_TYPE when it is no array; ERR_OUT_OF_RANGE when it is not of two
 */
export function hrtime(time) {
  const now = nanoseconds();
  let seconds = Number(now / 1_000_000_000n);
  let rest = Number(now % 1_000_000_000n);
  if (time !== undefined) {
    if (!Array.isArray(time)) throw invalidArgType('time', 'Array', time);
    if (time.length !== 2) throw outOfRange('time', '2', time.length);
    seconds -= time[0];
    rest -= time[1];
    if (rest < 0) {
      seconds--;
      rest += 1e9;
    }
  }
  return [seconds, rest];
}

/** Nanoseconds since the page was opened. */
hrtime.bigint = nanoseconds;

/**
 * Writes a warning to the console, in Node's words.
 * @param {string | Error} warning
 * @param {string | { type?: string, code?: string, detail?: string }} [type] `'Warning'` by default
 * @param {string} [code]
 * @throws ERR_INVALID_ARG_TYPE when the warning is neither a text nor an error
 */
export function emitWarning(warning, type, code) {
  const options = typeof type === 'object' && type !== null ? type : { type, code };
  if (typeof warning !== 'string' && !(warning instanceof Error)) {
    throw invalidArgType('warning', ['string', 'Error'], warning);
  }
  const {
    name = '',
    message,
    code: own,
    detail,
  } = /** @type {any} */ (
    typeof warning === 'string'
      ? { name: options.type ?? 'Warning', message: warning, ...options }
      : warning
  );
  console.warn(`${own ? `[${own}] ` : ''}${name}: ${message}${detail ? `\n${detail}` : ''}`);
}

/**
 * What Node tells by events never happens here: listeners are let go.
 * @param {string | symbol} _name
 * @param {Function} [_listener]
 * @returns {typeof process}
 */
export function on(_name, _listener) {
  return process;
}

export {
  on as addListener,
  on as off,
  on as once,
  on as prependListener,
  on as prependOnceListener,
  on as removeAllListeners,
  on as removeListener,
};

/**
 * Nobody listens.
 * @param {string | symbol} _name
 * @param {unknown[]} _args
 */
export function emit(_name, ..._args) {
  return false;
}

/**
 * Nobody listens.
 * @param {string | symbol} _name
 * @returns {Function[]}
 */
export function listeners(_name) {
  return [];
}

/**
 * Nobody listens.
 * @param {string | symbol} _name
 */
export function listenerCount(_name) {
  return 0;
}

/** All of it in one object, which may be changed. */
const process = {
  nextTick,
  title,
  browser,
  platform,
  version,
  versions,
  env,
  argv,
  stdout,
  stderr,
  cwd,
  chdir,
  binding,
  umask,
  uptime,
  hrtime,
  emitWarning,
  on,
  addListener: on,
  once: on,
  prependListener: on,
  prependOnceListener: on,
  off: on,
  removeListener: on,
  removeAllListeners: on,
  emit,
  listeners,
  listenerCount,
};

export default process;
