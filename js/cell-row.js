/** @import { Lease } from './lease.js' */
/** @import { Region } from './region.js' */
/** @import { Bin } from './view-cache.js' */

/**
 * Cells of one size class that C++ has handed out and no buffer has yet: one after another, taken
 * from the front. A call into WebAssembly costs more than a cell does, so they are fetched by rows.
 *
 *   | used | used | next |      |      |
 *                   ^ next, `left` = 3
 */
export class CellRow {
  // Fields, here and in the other classes, rather than plain assignments: a setter that somebody
  // put on Object.prototype does not see them.
  sizeClass;
  cellSize;
  next = 0;
  left = 0;
  /** Whether every byte of the cells left is known to be zero. */
  zero = false;
  /** @type {Region | undefined} that the cells are in */
  region;
  /** @type {ArrayBuffer | undefined} its memory */
  memory;
  /** @type {Lease | undefined} of the slab that the cells are in */
  lease;
  /** @type {Bin | undefined} that their buffers have in place of that of their length */
  bin;

  /**
   * @param {number} sizeClass
   * @param {number} cellSize bytes
   */
  constructor(sizeClass, cellSize) {
    this.sizeClass = sizeClass;
    this.cellSize = cellSize;
  }

  /** The address of the next cell; `left` must not be 0. */
  take() {
    const address = this.next;
    this.next = address + this.cellSize;
    this.left--;
    return address;
  }

  /** Gives back what is left. */
  release() {
    while (this.left > 0) /** @type {Region} */ (this.region).free(this.take());
    this.lease = undefined;
  }
}
