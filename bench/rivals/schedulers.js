/** Other ways to have a function called soon. */

import { makeLinkedListQueue } from './linked-list-queue.js';

/** @import { NextTick } from '../harness/tick-shapes.js' */

/**
 * @typedef {object} SchedulerRival
 * @property {string} name
 * @property {string} [package]
 * @property {boolean} [bare] passes no arguments on
 * @property {() => boolean} [available]
 * @property {() => NextTick | Promise<NextTick>} load
 */

/** Bundlers for browsers put the package of this name in its place. */
const isNode = () => typeof globalThis.process?.versions?.node === 'string';

/** @type {SchedulerRival[]} */
export const schedulerRivals = [
  { name: 'process.nextTick', available: isNode, load: () => process.nextTick },
  { name: 'queueMicrotask', bare: true, load: () => queueMicrotask },
  {
    name: 'asap/raw',
    package: 'asap',
    bare: true,
    load: async () => (await import('asap/raw.js')).default,
  },
  {
    name: 'process',
    package: 'process',
    load: async () => (await import('process/browser.js')).default.nextTick,
  },
  {
    name: 'queue-microtask',
    package: 'queue-microtask',
    bare: true,
    load: async () => (await import('queue-microtask')).default,
  },
  { name: 'before: linked list', load: () => makeLinkedListQueue() },
];
