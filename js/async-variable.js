import { invalidArgType } from './errors.js';

const { apply } = Reflect;

/**
 * The values of all variables at one moment, never changed: a list with one entry a variable.
 * @typedef {object} Frame
 * @property {object} variable
 * @property {unknown} value
 * @property {Frame | undefined} next
 */

/**
 * What is current in a heap.
 * @typedef {{ frame: Frame | undefined }} Context
 */

/**
 * @param {Frame | undefined} frame
 * @param {object} variable
 * @returns {Frame | undefined}
 */
function find(frame, variable) {
  let entry = frame;
  while (entry !== undefined && entry.variable !== variable) entry = entry.next;
  return entry;
}

/**
 * Without the entry of a variable, so that no older value is kept alive.
 * @param {Frame | undefined} frame one that has it
 * @param {object} variable
 * @returns {Frame | undefined}
 */
function without(frame, variable) {
  const { variable: first, value, next } = /** @type {Frame} */ (frame);
  return first === variable ? next : { variable: first, value, next: without(next, variable) };
}

/**
 * What a variable is made with.
 * @template T
 * @typedef {object} AsyncVariableOptions
 * @property {string} [name] for whoever debugs
 * @property {T} [defaultValue] what `get` returns where nothing was set
 */

/**
 * A value that follows the program: what runs inside of `run`, and every tick that it pushes, and
 * what those push. A native `await` is not followed: no library can.
 * @template T
 * @typedef {object} AsyncVariable
 * @property {string} name for whoever debugs
 * @property {T} defaultValue what `get` returns where nothing was set
 * @property {() => T} get the value that is current
 * @property {<R, A extends any[]>(value: T, fn: (...args: A) => R, ...args: A) => R} run calls `fn`
 *   with the value current; returns what it returns
 */

/**
 * The class of a heap's variables.
 * @typedef {{ new <T = any>(options?: AsyncVariableOptions<T>): AsyncVariable<T> }}
 *   AsyncVariableConstructor
 */

/**
 * The class of a heap's variables: as AsyncLocalStorage, for the ticks of that heap.
 * @param {Context} context
 * @returns {AsyncVariableConstructor}
 */
export function makeAsyncVariable(context) {
  return class AsyncVariable {
    #name;
    #defaultValue;

    /** @param {AsyncVariableOptions<any>} [options] */
    constructor(options = {}) {
      if (typeof options !== 'object' || options === null) {
        throw invalidArgType('options', 'object', options);
      }
      const { name = '', defaultValue } = options;
      this.#name = `${name}`;
      this.#defaultValue = defaultValue;
    }

    get name() {
      return this.#name;
    }

    get defaultValue() {
      return this.#defaultValue;
    }

    /** The value that is current. */
    get() {
      const entry = find(context.frame, this);
      return entry === undefined ? this.#defaultValue : entry.value;
    }

    /**
     * Calls `fn` with the value current; returns what it returns.
     * @template R
     * @template {any[]} A
     * @param {any} value
     * @param {(...args: A) => R} fn
     * @param {A} args
     * @returns {R}
     */
    run(value, fn, ...args) {
      if (typeof fn !== 'function') throw invalidArgType('fn', 'Function', fn);
      const before = context.frame;
      const next =
        before !== undefined && find(before, this) !== undefined ? without(before, this) : before;
      context.frame = { variable: this, value, next };
      try {
        return apply(fn, undefined, args);
      } finally {
        context.frame = before;
      }
    }
  };
}
