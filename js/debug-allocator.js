import { MIN_ALIGNMENT } from '#layout';
import { Allocator } from './allocator.js';
import { bufferFreed, heapCorrupted } from './errors.js';
import { addressOf, HeapBuffer, KEY, leaseOf, retire } from './heap-buffer.js';
import { BaseArray, clear, lengthOf, memoryOf } from './host.js';

/** @import { Lease, Record } from './lease.js' */

/** Bytes before and after each buffer; before it more, where its alignment is. */
const GUARD = 16;
const GUARD_BYTE = 0xfd;
const FREED_BYTE = 0xdd;

/** The most frames of a stack trace that can be of this package. */
const OWN_FRAMES = 9;

/** The share of the first region that freed buffers may take before their cells are used again. */
const QUARANTINE_SHARE = 16;

/**
 * What is known of a buffer.
 * @typedef {object} Info
 * @property {Uint8Array} block guard, bytes, guard; a plain array
 * @property {number} taken bytes, of a cell or of pages
 * @property {number} guard bytes before
 * @property {number} size
 * @property {Record} record
 * @property {string} allocated where, a stack trace
 * @property {string} freed
 * @property {Lease | undefined} lease of a freed one: its slab shall stay
 */

/**
 * The allocator of a heap made with `debug: true`.
 *
 *   | guard fd fd ... | the buffer's bytes      | guard fd fd ... |   live
 *   | guard           | dd dd dd dd dd dd dd dd | guard           |   freed, in quarantine
 *
 * No view and, for a while, no cell is used a second time, so that what is written through a stale
 * view harms nobody and is found.
 */
export class DebugAllocator extends Allocator {
  /** @type {WeakMap<HeapBuffer, Info>} */
  #infos = new WeakMap();
  /** @type {Set<Info>} */
  #live = new Set();
  /** @type {Set<Info>} oldest first */
  #quarantine = new Set();
  #quarantined = 0;
  /** @type {string[]} found when it was too late to say whose */
  #found = [];
  #zeroOnFree;

  /** @param {ConstructorParameters<typeof Allocator>} args */
  constructor(...args) {
    super(...args);
    this.#zeroOnFree = args[2].zeroOnFree;
    // Never the cache's: nothing is parked, and the quick paths find nothing.
    this.bins = /** @type {Allocator['bins']} */ ([]);
  }

  /**
   * @override
   * @param {number} size
   */
  pooled(size) {
    return this.#guarded(size, MIN_ALIGNMENT, (total) => super.cell(total));
  }

  /**
   * @override
   * @param {number} size
   */
  zeroed(size) {
    return this.#guarded(size, MIN_ALIGNMENT, (total) => super.zeroed(total));
  }

  /**
   * @override
   * @param {number} size
   * @param {number} alignment
   */
  alignedCell(size, alignment) {
    return this.#guarded(size, alignment, (total) => super.alignedCell(total, alignment));
  }

  /**
   * @override
   * @param {number} size
   * @param {number} alignment
   */
  run(size, alignment) {
    return this.#guarded(size, alignment, (total) => super.run(total, alignment));
  }

  /**
   * @override
   * @param {HeapBuffer} view
   */
  release(view) {
    const info = this.#infos.get(view);
    if (info !== undefined) {
      const problem = guardProblem(info);
      if (problem !== undefined) throw heapCorrupted(problem);
    }
    // The program may have a say in what a stack looks like, and throw.
    const freed = info && stack();
    retire(view);
    if (info === undefined) {
      if (this.#zeroOnFree) clear(view);
      return;
    }
    bytesOf(info).fill(FREED_BYTE);
    info.freed = /** @type {string} */ (freed);
    info.lease = leaseOf(view);
    this.#live.delete(info);
    this.#quarantine.add(info);
    this.#quarantined += info.taken;
    this.#evict(this.regions.home.size / QUARANTINE_SHARE);
  }

  /** @override */
  trim() {
    this.#evict(0);
    super.trim();
  }

  /** @override */
  kept() {
    const { bytes, buffers } = super.kept();
    return { bytes: bytes + this.#quarantined, buffers: buffers + this.#quarantine.size };
  }

  /**
   * @override
   * @param {HeapBuffer} view
   */
  freedError(view) {
    const info = this.#infos.get(view);
    return info === undefined ? super.freedError(view) : bufferFreed(told(info));
  }

  /** @override */
  problems() {
    const live = this.#collect();
    const problems = [...super.problems(), ...this.#found];
    for (const info of live) {
      const problem = guardProblem(info);
      if (problem !== undefined) problems.push(problem);
    }
    for (const info of this.#quarantine) {
      const problem = guardProblem(info) ?? freedProblem(info);
      if (problem !== undefined) problems.push(problem);
    }
    return problems;
  }

  /** @override */
  dispose() {
    if (this.isDisposed) return [];
    const leaks = [...this.#collect()].map((info) => `Never freed: ${told(info)}`);
    super.dispose();
    this.#live.clear();
    this.#quarantine.clear();
    return [...this.#found, ...leaks];
  }

  /**
   * @param {number} size
   * @param {number} alignment
   * @param {(total: number) => HeapBuffer} make
   */
  #guarded(size, alignment, make) {
    const { scope } = this;
    const guard = size === 0 ? 0 : Math.max(GUARD, alignment);
    const allocated = stack();
    this.scope = undefined;
    let outer;
    try {
      outer = make(size === 0 ? 0 : guard + size + GUARD);
    } finally {
      this.scope = scope;
    }
    const lease = leaseOf(outer);
    const memory = memoryOf(outer);
    const at = addressOf(outer);
    const { unparked } = this.cache;
    const view = new HeapBuffer(memory, at + guard, size, unparked, lease, KEY);
    if (lease !== undefined) {
      const block = new BaseArray(memory, at, lengthOf(outer));
      /** @type {Info} */
      const info = {
        block,
        taken: lease.record.region.usableSize(at),
        guard,
        size,
        record: lease.record,
        allocated,
        freed: '',
        lease: undefined,
      };
      block.fill(GUARD_BYTE, 0, guard);
      block.fill(GUARD_BYTE, guard + size);
      this.#infos.set(view, info);
      this.#live.add(info);
    }
    return this.noted(view);
  }

  /** The buffers that are live; of those that were collected it is noted that nobody freed them. */
  #collect() {
    for (const info of this.#live) {
      if (!info.record.over) continue;
      this.#live.delete(info);
      this.#found.push(`Collected, but never freed: ${told(info)}`);
    }
    return this.#live;
  }

  /** @param {number} most bytes that may stay in quarantine */
  #evict(most) {
    for (const info of this.#quarantine) {
      if (this.#quarantined <= most) return;
      const problem = guardProblem(info) ?? freedProblem(info);
      if (problem !== undefined) this.#found.push(problem);
      this.#quarantine.delete(info);
      this.#quarantined -= info.taken;
      if (this.#zeroOnFree) clear(info.block);
      this.giveBackBlock(/** @type {Lease} */ (info.lease), info.block.byteOffset);
    }
  }
}

/**
 * Where the caller of this package is: the stack without our frames. All of it where the program is
 * one file together with the package.
 */
function stack() {
  const { stackTraceLimit: limit } = Error;
  if (typeof limit === 'number') Reflect.set(Error, 'stackTraceLimit', limit && limit + OWN_FRAMES);
  const { stack } = new Error();
  if (typeof limit === 'number') Reflect.set(Error, 'stackTraceLimit', limit);
  const lines = String(stack)
    .replace(/^Error.*\n/, '')
    .split('\n');
  // By its folder where it is not bundled, or a source map makes it look so.
  const own = /[^\s()@]+(?=:\d+:\d+\)?$)/.exec(lines[0])?.[0].replace(/debug-allocator\.js$/, '');
  const others = lines.filter((line) => own === undefined || !line.includes(own));
  return (others.length > 0 ? others : lines).join('\n');
}

/** @param {Info} info */
const bytesOf = ({ block, guard, size }) => block.subarray(guard, guard + size);

/** @param {Info} info */
function told(info) {
  const { length, byteOffset } = bytesOf(info);
  const freed = info.freed && `\n  freed:\n${info.freed}`;
  return `${length} bytes at byteOffset ${byteOffset}\n  allocated:\n${info.allocated}${freed}`;
}

/**
 * @param {Info} info
 * @returns {string | undefined}
 */
function guardProblem(info) {
  const { block, guard, size } = info;
  const before = lastOther(block.subarray(0, guard), GUARD_BYTE);
  if (before >= 0) return `Written ${guard - before} bytes before its start: ${told(info)}`;
  const after = block.subarray(guard + size).findIndex((byte) => byte !== GUARD_BYTE);
  return after < 0 ? undefined : `Written ${after + 1} bytes past its end: ${told(info)}`;
}

/**
 * @param {Info} info
 * @returns {string | undefined}
 */
function freedProblem(info) {
  const at = bytesOf(info).findIndex((byte) => byte !== FREED_BYTE);
  return at < 0 ? undefined : `Written after it was freed, byte ${at}: ${told(info)}`;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} value
 */
const lastOther = (bytes, value) => bytes.findLastIndex((byte) => byte !== value);
