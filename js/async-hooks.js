import { asyncCallback, invalidArgType } from './errors.js';

/**
 * What is called at the stages of a tick's life.
 * @typedef {object} AsyncHookCallbacks
 * @property {(asyncId: number, type: string, triggerAsyncId: number, resource: object) => void} [init]
 *   from within `nextTick`
 * @property {(asyncId: number) => void} [before] before its callback is called
 * @property {(asyncId: number) => void} [after] after that, and after an error of it was handled
 * @property {(asyncId: number) => void} [destroy] right after `after`
 */

/** @typedef {{ hooks: Set<AsyncHook>, onChange: (any: boolean) => void }} Registry */

/**
 * @template T
 * @param {T} value
 * @param {string} name
 */
function callable(value, name) {
  if (value !== undefined && typeof value !== 'function') throw asyncCallback(`hook.${name}`);
  return value;
}

/** Callbacks at the stages of each tick's life; made by `heap.createHook`, as Node's. */
export class AsyncHook {
  #registry;
  /** @internal */
  init;
  /** @internal */
  before;
  /** @internal */
  after;
  /** @internal */
  destroy;

  /**
   * @param {Registry} registry
   * @param {AsyncHookCallbacks} callbacks
   * @internal
   */
  constructor(registry, callbacks) {
    if (typeof callbacks !== 'object' || callbacks === null) {
      throw invalidArgType('callbacks', 'object', callbacks);
    }
    const { init, before, after, destroy } = callbacks;
    this.#registry = registry;
    this.init = callable(init, 'init');
    this.before = callable(before, 'before');
    this.after = callable(after, 'after');
    this.destroy = callable(destroy, 'destroy');
  }

  /** From now on the callbacks are called. */
  enable() {
    return this.#change('add');
  }

  /** From now on they are not. */
  disable() {
    return this.#change('delete');
  }

  /**
   * On a copy: who is being called now is not changed by a callback.
   * @param {'add' | 'delete'} change
   */
  #change(change) {
    const registry = this.#registry;
    const hooks = new Set(registry.hooks);
    hooks[change](this);
    registry.hooks = hooks;
    registry.onChange(hooks.size > 0);
    return this;
  }
}
