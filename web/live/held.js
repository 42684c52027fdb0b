/** @import { HeapBuffer } from 'slabring' */

/** The buffers that a workload holds. */
export class Held {
  /** @type {HeapBuffer[]} in no order */
  views = [];
  /** That were asked for, of the heap; a cell may have more. */
  bytes = 0;
  /** Of buffers that a full heap gave from elsewhere. */
  outside = 0;

  get count() {
    return this.views.length;
  }

  get total() {
    return this.bytes + this.outside;
  }

  /** @param {HeapBuffer} view */
  add(view) {
    this.views.push(view);
    this.#count(view, 1);
  }

  /**
   * @param {number} index
   * @param {HeapBuffer} view
   * @returns {HeapBuffer} what was there: not held any more, nor freed
   */
  replace(index, view) {
    const before = this.views[index];
    this.views[index] = view;
    this.#count(before, -1);
    this.#count(view, 1);
    return before;
  }

  /** @param {number} index of the one to free; the last takes its place */
  free(index) {
    const { views } = this;
    const view = views[index];
    const last = /** @type {HeapBuffer} */ (views.pop());
    if (view !== last) views[index] = last;
    this.#count(view, -1);
    view.free();
  }

  freeAll() {
    while (this.views.length > 0) this.free(this.views.length - 1);
  }

  /** Drops all, freeing none. */
  dropAll() {
    this.views.length = 0;
    this.bytes = this.outside = 0;
  }

  /** @param {HeapBuffer} view @param {1 | -1} sign */
  #count(view, sign) {
    if (view.inHeap) this.bytes += sign * view.length;
    else this.outside += sign * view.length;
  }
}
