import {
  ASYNC_BASE,
  ASYNC_CAPACITY,
  ASYNC_DEPTH,
  ASYNC_EXECUTION_ID,
  ASYNC_LAST_ID,
  ASYNC_PAIRS,
  ASYNC_TRIGGER_ID,
  SEGMENT_IDS,
  SEGMENT_NUMBER,
  SEGMENT_WORDS,
  TICK_DRAINS,
  TICK_HEAD,
  TICK_HEAD_SEGMENT,
  TICK_HOOKED,
  TICK_IDLE,
  TICK_IN_NATIVE,
  TICK_REFUSED,
  TICK_SLOTS,
  TICK_SPARES,
  TICK_STATE,
  TICK_TAIL,
  TICK_TAIL_SEGMENT,
} from '#layout';
import { forgetFrom } from './async-ids.js';
import { heapDisposed, invalidArgType } from './errors.js';
import { copyOf, makeSlots } from './slots.js';

/** @import { Registry } from './async-hooks.js' */
/** @import { AsyncIds } from './async-ids.js' */
/** @import { Context, Frame } from './async-variable.js' */
/** @import { HostTicks } from './host-ticks.js' */
/** @import { Region } from './region.js' */

const { apply } = Reflect;

/** What hooks are told, as by Node. */
const TYPE = 'TickObject';

/** A tick has so many places for arguments; if it has more, the first place holds a list. */
const ARGS_SHIFT = 2;
const ARGS = 1 << ARGS_SHIFT;

/**
 * Segments that share an array of arguments. It is then so large that V8 never copies it: 20 ns a
 * tick of a long burst.
 */
const SHARED = 4;

const EMPTY = makeSlots(TICK_SLOTS);
const EMPTY_ARGS = makeSlots(SHARED * TICK_SLOTS * ARGS);

/**
 * JavaScript's part of a segment of the ring, see cpp/include/slabring/tick_queue.hpp. Arguments and
 * frames have arrays once there are any. Slots are cleared when their tick is taken.
 */
class Segment {
  /** In C++, of its ids: bytes, as a signed number. */
  address = 0x7fffffff;
  /** The same as an index of 64-bit words. */
  word = 0;
  number = 0;
  /** @type {(Function | undefined)[]} undefined: a native tick, or none */
  callbacks;
  /** @type {ArgsBlock | undefined} */
  args;
  /** The place of this segment's first tick in it. */
  argsAt = 0;
  /** @type {any[] | undefined} */
  frames;
  /** @type {Segment | undefined} */
  next;

  /** @param {(Function | undefined)[]} callbacks */
  constructor(callbacks) {
    this.callbacks = callbacks;
  }
}

/** The arguments of the ticks of several segments, and how many each has. */
class ArgsBlock {
  counts = new Uint8Array(SHARED * TICK_SLOTS);
  values = copyOf(EMPTY_ARGS);
}

/** Stands where JavaScript has no segment: nothing can be pushed or taken. */
const NONE = new Segment(EMPTY);

/** @param {Segment} segment */
function addFrames(segment) {
  segment.frames = copyOf(EMPTY);
  return segment.frames;
}

/**
 * @param {ArgsBlock} args
 * @param {number} place
 * @param {number} count 1 to 4
 * @param {unknown} a
 * @param {unknown} b
 * @param {unknown} c
 * @param {unknown} d
 */
function putArgs({ counts, values }, place, count, a, b, c, d) {
  const first = place << ARGS_SHIFT;
  counts[place] = count;
  values[first] = a;
  if (count > 1) values[first + 1] = b;
  if (count > 2) values[first + 2] = c;
  if (count > 3) values[first + 3] = d;
}

/**
 * @param {ArgsBlock} args
 * @param {number} place
 * @param {unknown[]} list
 */
function putList({ counts, values }, place, list) {
  counts[place] = ARGS + 1;
  values[place << ARGS_SHIFT] = list;
}

// JavaScript and C++ share one ring in linear memory; here is the fast path, and the arrays for what
// cannot be there.

/**
 * Callbacks to be called soon, in the order of pushing, from JavaScript or C++ alike; `heap.ticks`. Its
 * methods are bound.
 */
export class TickQueue {
  /**
   * Calls `callback(...args)` once the code that runs now, and all ticks pushed before, have ended.
   * @type {(callback: (...args: any[]) => unknown, ...args: any[]) => void}
   * @throws ERR_INVALID_ARG_TYPE when `callback` is no function
   * @throws ERR_HEAP_EXHAUSTED
   * @throws ERR_HEAP_DISPOSED
   */
  nextTick;

  /**
   * Runs all ticks now, those included that they push. An error of a tick comes to the caller; the
   * rest stay queued. May be called from a tick.
   * @type {() => void}
   */
  drain;

  /**
   * The end: takes no more ticks. Those queued still run.
   * @type {() => void}
   * @internal
   */
  refuse;

  /** @internal */
  schedule;

  #region;

  /**
   * @param {Region} region
   * @param {object} shared
   * @param {AsyncIds} shared.asyncIds
   * @param {Registry} shared.registry
   * @param {Context} shared.context
   * @param {HostTicks} shared.host
   * @param {(make: () => number) => void} shared.reserve calls a function that makes room, and sees
   *   to it if it could not
   * @internal
   */
  constructor(region, { asyncIds, registry, context, host, reserve }) {
    this.#region = region;
    const { words, exports } = region;
    const control = region.tickControl;
    const stack = region.asyncIdControl;
    const ids = new Float64Array(stack.buffer, stack.byteOffset, stack.length >> 1);

    // The list of our segments, first to last. C++ may have others before, between and after.
    let head = NONE;
    let tail = NONE;
    /** @type {Segment | undefined} */
    let spares;
    let spareCount = 0;

    /** @type {ArgsBlock | undefined} */
    let block;
    let blockAt = 0;

    /** @param {Segment} segment */
    const addArgs = (segment) => {
      if (block === undefined || blockAt === block.counts.length) {
        block = new ArgsBlock();
        blockAt = 0;
      }
      segment.args = block;
      segment.argsAt = blockAt;
      blockAt += TICK_SLOTS;
      return block;
    };

    /** @param {number} pointer to a segment, in bytes */
    const read = (pointer) => new Int32Array(region.buffer, pointer >>> 0, SEGMENT_WORDS);

    const ensureTail = () => reserve(exports.sr_tick_reserve);

    /** Room for a tick in the last segment, and our part of it. */
    const link = () => {
      ensureTail();
      const made = read(control[TICK_TAIL_SEGMENT]);
      const address = made[SEGMENT_IDS];
      const number = made[SEGMENT_NUMBER];
      if (tail !== NONE && tail.number === number) return;
      let segment = spares;
      if (segment === undefined) {
        segment = new Segment(copyOf(EMPTY));
      } else {
        spares = segment.next;
        spareCount--;
        segment.next = undefined;
        // A new one, though the old one is empty: 8 bytes a tick of which nothing outlives the next
        // scavenge. A young callback stored into an old array costs 5 ns, a new array 2 a tick.
        segment.callbacks = copyOf(EMPTY);
      }
      segment.address = address;
      segment.word = address >>> 3;
      segment.number = number;
      if (tail === NONE) head = segment;
      else tail.next = segment;
      tail = segment;
    };

    /**
     * The next tick is not in our first segment, or not ours. Runs native ticks; then our first
     * segment is that of the next tick.
     * @returns {boolean} whether there is one
     */
    const advance = () => {
      control[TICK_STATE] |= TICK_IN_NATIVE;
      const more = exports.sr_tick_run_native() !== 0;
      control[TICK_STATE] &= ~TICK_IN_NATIVE;
      const number = read(control[TICK_HEAD_SEGMENT])[SEGMENT_NUMBER];
      while (head !== NONE && ((head.number - number) | 0) < 0) {
        const done = head;
        if (done === tail) tail = NONE;
        head = done.next ?? NONE;
        done.next = undefined;
        if (spareCount < TICK_SPARES) {
          done.next = spares;
          spares = done;
          spareCount++;
        }
      }
      return more;
    };

    const hostDrain = () => {
      let ended = false;
      try {
        run(true);
        ended = true;
      } finally {
        if (ended) control[TICK_STATE] |= TICK_IDLE;
        else schedule();
      }
    };
    const schedule = () => host.schedule(hostDrain);
    this.schedule = schedule;

    /**
     * Before a push, where not all is as usual.
     * @param {number} id
     * @param {number} trigger
     * @param {Function} callback
     */
    const prepare = (id, trigger, callback) => {
      if ((control[TICK_STATE] & TICK_REFUSED) !== 0) throw heapDisposed();
      if ((control[TICK_STATE] & TICK_HOOKED) !== 0) {
        ensureTail();
        for (const { init } of registry.hooks) init?.(id, TYPE, trigger, { callback });
      }
      // Native ticks may have filled and emptied our last segment meanwhile.
      if ((control[TICK_STATE] & TICK_IN_NATIVE) !== 0) link();
      if ((control[TICK_STATE] & TICK_IDLE) !== 0) {
        ensureTail();
        control[TICK_STATE] &= ~TICK_IDLE;
        schedule();
      }
    };

    // Named parameters and `arguments.length`: no array is made for up to four arguments.
    // biome-ignore-start lint/complexity/noArguments: see above
    /** @type {any} */
    const nextTick = function nextTick(
      /** @type {Function} */ callback,
      /** @type {unknown} */ a,
      /** @type {unknown} */ b,
      /** @type {unknown} */ c,
      /** @type {unknown} */ d,
    ) {
      if (typeof callback !== 'function') throw invalidArgType('callback', 'Function', callback);
      const trigger = ids[ASYNC_EXECUTION_ID];
      const id = ++ids[ASYNC_LAST_ID];
      if (control[TICK_STATE] !== 0) prepare(id, trigger, callback);
      let at = (control[TICK_TAIL] - tail.address) >> 3;
      if (at >>> 0 >= TICK_SLOTS) {
        link();
        at = (control[TICK_TAIL] - tail.address) >> 3;
      }
      const segment = tail;
      const word = segment.word + at;
      words[word] = id;
      words[word + TICK_SLOTS] = trigger;
      // The rest is elsewhere to keep this short enough for V8 to inline.
      const count = arguments.length - 1;
      if (count > 0) {
        const args = segment.args ?? addArgs(segment);
        const place = segment.argsAt + at;
        if (count <= ARGS) {
          putArgs(args, place, count, a, b, c, d);
        } else {
          const list = makeSlots(count);
          for (let i = 0; i < count; i++) list[i] = arguments[i + 1];
          putList(args, place, list);
        }
      }
      const { frame } = context;
      if (frame !== undefined) (segment.frames ?? addFrames(segment))[at] = frame;
      segment.callbacks[at] = callback;
      control[TICK_TAIL] += 8;
    };
    // biome-ignore-end lint/complexity/noArguments: see above

    /**
     * A tick of the host's own drain threw: until the next drain, while the host reports the error,
     * the tick is still what runs.
     * @type {(() => void) | undefined}
     */
    let settle;

    /**
     * Back to what was interrupted by a drain.
     * @param {number} depth
     * @param {Frame | undefined} frame
     */
    const leave = (depth, frame) => {
      if (stack[ASYNC_DEPTH] !== depth + 1) forgetFrom(asyncIds, depth);
      const pair = (stack[ASYNC_PAIRS] >>> 3) + depth * 2;
      ids[ASYNC_EXECUTION_ID] = words[pair];
      ids[ASYNC_TRIGGER_ID] = words[pair + 1];
      stack[ASYNC_DEPTH] = depth;
      context.frame = frame;
    };

    /**
     * A tick threw.
     * @param {boolean} isHost
     * @param {number} depth
     * @param {Frame | undefined} frame
     * @param {number} id 0: of a native tick
     * @param {number} trigger
     * @param {boolean} hooked whether the hooks know of the tick
     */
    const fail = (isHost, depth, frame, id, trigger, hooked) => {
      stack[ASYNC_DEPTH] = depth + 1;
      if (id !== 0) {
        ids[ASYNC_EXECUTION_ID] = id;
        ids[ASYNC_TRIGGER_ID] = trigger;
      }
      const end = () => {
        settle = undefined;
        try {
          if (hooked) finish(id);
        } finally {
          leave(depth, frame);
        }
      };
      if (isHost) settle = end;
      else end();
    };

    /** @param {number} id */
    const begin = (id) => {
      for (const { before } of registry.hooks) before?.(id);
    };

    /**
     * Calls a tick with its arguments, which are cleared.
     * @param {Function} callback
     * @param {ArgsBlock} args
     * @param {number} place
     */
    const callWith = (callback, { counts, values }, place) => {
      const count = counts[place];
      if (count === 0) return callback();
      counts[place] = 0;
      const first = place << ARGS_SHIFT;
      const a = values[first];
      values[first] = undefined;
      if (count === 1) return callback(a);
      if (count > ARGS) return apply(callback, undefined, a);
      const b = values[first + 1];
      values[first + 1] = undefined;
      if (count === 2) return callback(a, b);
      const c = values[first + 2];
      values[first + 2] = undefined;
      if (count === 3) return callback(a, b, c);
      const d = values[first + 3];
      values[first + 3] = undefined;
      return callback(a, b, c, d);
    };

    // Turbofan takes typed arrays for the constants that they are only if they are not fetched from
    // a closure within nested loops: docs/decisions/0003.
    const views = { control, stack, ids, words };

    /** @param {boolean} isHost whether nobody but the host can see an error */
    const run = (isHost) => {
      const { control, stack, ids, words } = views;
      settle?.();
      if (control[TICK_HEAD] === control[TICK_TAIL]) return;
      const depth = stack[ASYNC_DEPTH];
      if (depth >= stack[ASYNC_CAPACITY]) reserve(exports.sr_async_reserve);
      const outer = (stack[ASYNC_PAIRS] >>> 3) + depth * 2;
      words[outer] = ids[ASYNC_EXECUTION_ID];
      words[outer + 1] = ids[ASYNC_TRIGGER_ID];
      const inner = depth + 1;
      stack[ASYNC_DEPTH] = inner;
      const outerBase = stack[ASYNC_BASE];
      stack[ASYNC_BASE] = inner;
      const outerFrame = context.frame;
      let id = 0;
      let trigger = 0;
      // Whether the hooks know of the tick that runs.
      let hooked = false;
      let ended = false;

      try {
        while (control[TICK_HEAD] !== control[TICK_TAIL]) {
          const segment = head;
          const { callbacks, word: start } = segment;
          let position = control[TICK_HEAD];
          let at = (position - segment.address) >>> 3;
          context.frame = undefined;
          if (at >= TICK_SLOTS || callbacks[at] === undefined) {
            id = 0;
            if (advance()) continue;
            break;
          }
          const drains = (control[TICK_DRAINS] + 1) | 0;
          control[TICK_DRAINS] = drains;
          // Our ticks, until one is not ours, the segment ends, or a tick has drained the queue.
          do {
            const callback = callbacks[at];
            if (callback === undefined) break;
            callbacks[at] = undefined;
            position = (position + 8) | 0;
            control[TICK_HEAD] = position;
            const word = (start + at) | 0;
            id = words[word];
            trigger = words[(word + TICK_SLOTS) | 0];
            ids[ASYNC_EXECUTION_ID] = id;
            ids[ASYNC_TRIGGER_ID] = trigger;
            const { args, frames } = segment;
            if (frames !== undefined) {
              const frame = frames[at];
              if (frame !== undefined) frames[at] = undefined;
              context.frame = frame;
            }
            if ((control[TICK_STATE] & TICK_HOOKED) !== 0) {
              hooked = true;
              begin(id);
            }
            if (args === undefined) callback();
            else callWith(callback, args, segment.argsAt + at);
            if (stack[ASYNC_DEPTH] !== inner) {
              // It left something pushed.
              forgetFrom(asyncIds, depth);
              stack[ASYNC_DEPTH] = inner;
              ids[ASYNC_EXECUTION_ID] = id;
              ids[ASYNC_TRIGGER_ID] = trigger;
            }
            if ((control[TICK_STATE] & TICK_HOOKED) !== 0) {
              hooked = false;
              finish(id);
            }
          } while (control[TICK_DRAINS] === drains && ++at < TICK_SLOTS);
        }
        ended = true;
      } finally {
        // Here, and by no call: where the engine's stack overflowed, none might get through.
        stack[ASYNC_BASE] = outerBase;
        if (!ended) fail(isHost, depth, outerFrame, id, trigger, hooked);
      }
      leave(depth, outerFrame);
      // Empty. A queue that is never long stays in the same few cache lines.
      const position = control[TICK_HEAD];
      if ((position - head.address) >>> 3 <= TICK_SLOTS && position === control[TICK_TAIL]) {
        control[TICK_HEAD] = head.address;
        control[TICK_TAIL] = head.address;
      }
    };

    /** @param {number} id */
    const finish = (id) => {
      const { hooks } = registry;
      try {
        for (const { after } of hooks) after?.(id);
      } finally {
        for (const { destroy } of registry.hooks) destroy?.(id);
      }
    };

    this.nextTick = nextTick;
    this.drain = () => {
      if ((control[TICK_STATE] & TICK_REFUSED) !== 0) throw heapDisposed();
      run(false);
    };
    registry.onChange = (any) => {
      if (any) control[TICK_STATE] |= TICK_HOOKED;
      else control[TICK_STATE] &= ~TICK_HOOKED;
    };
    this.refuse = () => {
      control[TICK_STATE] |= TICK_REFUSED;
    };
  }

  /** How many ticks are queued. */
  get size() {
    return this.#region.exports.sr_tick_size();
  }
}
