/** @import { Implementation } from './measure.js' */
/** @import { NextTick } from './tick-shapes.js' */

let copies = 0;

/**
 * A shape from a copy of its module of its own: an engine that saw several schedulers pass through
 * the same loop would inline none of them.
 * @param {string} name
 * @param {NextTick} nextTick
 * @param {number} n
 * @returns {Promise<Implementation>}
 */
export async function freshShape(name, nextTick, n) {
  const { shapes } = await import(`./tick-shapes.js?copy=${++copies}`);
  return shapes[name](nextTick, n);
}
