/**
 * Random programs that use all of a heap at once, each step done on the heap and on a model in plain
 * JavaScript: regions that come and go, buffers, typed views, parts, scopes, arenas, ticks, ids,
 * hooks, variables, debug mode, the fallback. Where the two differ an error is thrown.
 *
 * A program is a list of steps; a step is a name and its arguments, some of which are programs. A
 * step keeps some meaning when others are left out. Nothing of Jest here: `npm run fuzz` runs it, too.
 */
import fc from 'fast-check';
import { ARRAYS, bytesOf, caught, MIB, PAGE } from './heap.js';

const MAX_BYTES = 4 * MIB;
const LARGEST_CELL = PAGE / 2;
/** Bytes before and after a buffer in debug mode. */
const GUARD = 16;
/** All is looked at after so many steps. */
const LOOK = 10;
const MOST_LIVE = 60;

/** A heap of each of these is tested. */
export const KINDS_OF_HEAP = {
  plain: {},
  fallback: { onExhausted: 'fallback' },
  debug: { debug: true },
  zeroOnFree: { zeroOnFree: true },
  'debug, zeroOnFree and fallback': { debug: true, zeroOnFree: true, onExhausted: 'fallback' },
  hostContext: { hostContext: true },
};

function ensure(truth, what) {
  if (!truth) throw new Error(`${what}: not so`);
}

function same(actual, expected, what) {
  if (!Object.is(actual, expected)) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

/** What a program throws. */
const MARK = new Error('of the program');

/** Refused with that code, or the program goes on in a heap that is wrong. */
function refused(action, ...codes) {
  const { code } = caught(action);
  ensure(codes.includes(code), `refused with ${codes}, not ${code}`);
}

class Model {
  /** How many steps were done, by name. */
  counts = new Map();
  steps = 0;
  /** Ticks that are still queued after a failure do nothing. */
  isOver = false;

  #heap;
  #options;
  #cellSizes;
  #poolSize = 65536;
  #regions = 1;
  #mark = 0;
  #live = [];
  #freed = [];
  #arenas = [];
  /** The scope that takes note of what is made: `{ outer }`. */
  #scope;

  // Ticks, and what is current.
  #queue = [];
  #lastId = 1;
  #current = { id: 1, trigger: 0 };
  #stack = [];
  #variable;
  #value = 'none';
  #hook;
  #hooked = false;
  #heard = [];
  #expected = [];
  #usedTicks = false;
  #depth = 0;

  constructor(heap, options) {
    this.#heap = heap;
    this.#options = options;
    this.#cellSizes = heap.stats().sizeClasses.map(({ cellSize }) => cellSize);
    heap.onRegion(({ type, regions, reserved }) => {
      this.#regions += type === 'added' ? 1 : -1;
      same(regions, this.#regions, 'regions of an event');
      ensure(reserved <= MAX_BYTES, 'all regions are within maxBytes');
    });
  }

  run(program) {
    for (const [name, ...args] of program) {
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      this.steps++;
      this[name](...args);
      this.#check();
    }
  }

  /** A program that may throw. */
  runAll(program) {
    try {
      this.run(program);
    } catch (error) {
      if (error !== MARK) throw error;
    }
  }

  // --- buffers ------------------------------------------------------------------------------------

  #guard(alignment) {
    return this.#options.debug ? Math.max(GUARD, alignment) : 0;
  }

  /** Bytes that a block takes. */
  #block(length, pooled, alignment = 8) {
    if (length === 0) return 0;
    const size = this.#options.debug ? this.#guard(alignment) + length + GUARD : length;
    if (!pooled || size > LARGEST_CELL || alignment > LARGEST_CELL) {
      return Math.ceil(size / PAGE) * PAGE;
    }
    return this.#cellSizes.find((cell) => cell >= size && cell % alignment === 0);
  }

  #pools(size) {
    return size > 0 && size < this.#poolSize >>> 1;
  }

  /** Makes a view of `length` bytes that takes `block`; `expected` is what it holds, if known. */
  #make(create, length, block, { alignment = 1, expected, kind = 'buffer' } = {}) {
    if (this.#live.length >= MOST_LIVE) return undefined;
    const before = this.#heap.stats();
    let view;
    try {
      view = create();
    } catch (error) {
      same(error.code, 'ERR_HEAP_EXHAUSTED', 'the code of a refusal');
      const after = this.#heap.stats();
      same(after.live.buffers <= before.live.buffers, true, 'a refusal leaves nothing');
      same(after.fallbacks, before.fallbacks, 'fallbacks after a refusal');
      return undefined;
    }
    const after = this.#heap.stats();
    const outside = after.fallbacks - before.fallbacks;
    ensure(outside === 0 || (outside === 1 && this.#options.onExhausted), 'outside as asked for');
    same(view.byteLength, length, 'the length');
    if (length > 0) same(view.byteOffset % alignment, 0, 'the address by its alignment');
    const took = after.live.bytes - before.live.bytes;
    // Room may have been made by giving the queue's spare segments back.
    const most = outside ? 0 : block;
    if (took > most || !this.#usedTicks) same(took, most, 'bytes taken');
    const bytes = new Uint8Array(view.buffer, view.byteOffset, length);
    if (expected) ensure(bytesOf(bytes).equals(expected), 'it holds what it should');
    const start = view.byteOffset - (outside || length === 0 ? 0 : this.#guard(alignment));
    const end = start + (outside ? length : block);
    for (const other of this.#live) {
      ensure(view !== other.view, 'no two live views are one');
      if (other.bytes.buffer !== bytes.buffer) continue;
      ensure(
        end <= other.start || other.end <= start || start === end || other.start === other.end,
        'apart',
      );
    }
    const entry = { view, bytes, start, end, kind, mark: 0, scope: this.#scope, outside };
    this.#write(entry);
    this.#live.push(entry);
    // What was freed there may be this very object, or the one under it.
    this.#freed = this.#freed.filter((one) => one.byteOffset !== view.byteOffset);
    return entry;
  }

  #write(entry) {
    entry.mark = this.#mark = (this.#mark % 255) + 1;
    entry.bytes.fill(entry.mark);
  }

  #pick(pick, filter = () => true) {
    const among = this.#live.filter(filter);
    return among[pick % among.length];
  }

  alloc(size, fill) {
    const expected = fill === undefined ? Buffer.alloc(size) : Buffer.alloc(size, fill);
    this.#make(() => this.#heap.alloc(size, fill), size, this.#block(size, true), { expected });
  }

  unsafe(size, alignment) {
    const block = this.#block(size, this.#pools(size), alignment);
    this.#make(() => this.#heap.allocUnsafe(size, { alignment }), size, block, { alignment });
  }

  slow(size, alignment) {
    const block = this.#block(size, false, alignment);
    this.#make(() => this.#heap.allocUnsafeSlow(size, { alignment }), size, block, { alignment });
  }

  from(size, how) {
    const expected = Buffer.alloc(size, 'copy');
    const source = {
      array: () => [...expected],
      view: () => expected,
      buffer: () => Uint8Array.from(expected).buffer,
      string: () => expected.toString('latin1'),
    }[how]();
    const block = this.#block(size, this.#pools(size));
    this.#make(() => this.#heap.from(source), size, block, { expected });
  }

  typed(size, which) {
    const name = [...ARRAYS, 'DataView'][which % (ARRAYS.length + 1)];
    const unit = globalThis[name].BYTES_PER_ELEMENT ?? 1;
    const length = Math.floor(size / unit);
    const bytes = length * unit;
    const view = this.#make(
      () => this.#heap.typed(globalThis[name], length),
      bytes,
      this.#block(bytes, true),
      { alignment: 8, expected: Buffer.alloc(bytes), kind: name },
    )?.view;
    if (view) ensure(view instanceof globalThis[name], 'a view is of its type');
  }

  write(pick) {
    const entry = this.#pick(pick);
    if (entry) this.#write(entry);
  }

  free(pick, how) {
    const entry = this.#pick(pick);
    if (!entry) return;
    const before = this.#heap.stats().live.bytes;
    if (how % 3 === 0) entry.view.free();
    else if (how % 3 === 1) this.#heap.free(entry.view);
    else entry.view[Symbol.dispose]?.() ?? (Symbol.dispose || entry.view.free());
    const block = entry.outside ? 0 : entry.end - entry.start;
    same(before - this.#heap.stats().live.bytes, block, 'bytes given back');
    this.#forget(entry);
  }

  freeMany(pick, count) {
    for (let i = 0; i < count && this.#live.length > 0; i++) this.free(pick + i, i);
  }

  #forget(entry) {
    this.#live.splice(this.#live.indexOf(entry), 1);
    this.#freed = [...this.#freed.slice(-7), entry.view];
  }

  freeAgain(pick) {
    const view = this.#freed[pick % this.#freed.length];
    if (view === undefined) return;
    refused(() => this.#heap.free(view), 'ERR_BUFFER_FREED');
    refused(() => view.free(), 'ERR_BUFFER_FREED');
    view[Symbol.dispose]?.();
  }

  part(pick, start, length) {
    const entry = this.#pick(pick, ({ view }) => view.subarray !== undefined);
    if (!entry) return;
    const part = entry.view.subarray(start, start + length);
    ensure(part.byteOffset >= entry.bytes.byteOffset, 'a part does not begin before');
    const most = entry.bytes.byteOffset + entry.bytes.length;
    ensure(part.byteOffset + part.byteLength <= most, 'a part does not end after');
    ensure(
      bytesOf(part).every((byte) => byte === entry.mark),
      'a part shows the same',
    );
    refused(() => this.#heap.free(part), 'ERR_NOT_IN_HEAP');
    refused(() => this.#heap.free(entry.bytes), 'ERR_NOT_IN_HEAP');
    part[Symbol.dispose]?.();
  }

  look(pick) {
    const entry = this.#pick(pick);
    if (!entry) return;
    const { view, bytes, outside } = entry;
    ensure(this.#heap.retained(view) >= bytes.length, 'it retains its own bytes at least');
    if (outside && bytes.length > 0) refused(() => this.#heap.exportsOf(view), 'ERR_NOT_IN_HEAP');
    else ensure(this.#heap.exportsOf(view).sr_free, 'it has exports');
    if (entry.kind !== 'buffer') return;
    same(view.inHeap, !outside || bytes.length === 0, 'inHeap');
    ensure(bytesOf(bytes).equals(Buffer.from(view.toArrayBuffer())), 'toArrayBuffer is a copy');
  }

  wrong(size) {
    const before = this.#heap.stats().live.bytes;
    refused(() => this.#heap.alloc(-1 - size), 'ERR_OUT_OF_RANGE');
    // Room is found before the fill is decoded, as in Node, and there may be none.
    const { code } = caught(() => this.#heap.alloc(size + 1, 'z', 'hex'));
    if (code === 'ERR_HEAP_EXHAUSTED') refused(() => this.#heap.alloc(size + 1), code);
    else same(code, 'ERR_INVALID_ARG_VALUE', 'the code of a fill that decodes to nothing');
    refused(() => this.#heap.allocUnsafe(size + 1, { alignment: 3 }), 'ERR_INVALID_ARG_VALUE');
    refused(() => this.#heap.typed(Float64Array, 2 ** 30), 'ERR_OUT_OF_RANGE');
    ensure(this.#heap.stats().live.bytes <= before, 'what was refused left nothing');
  }

  trim() {
    this.#heap.trim();
  }

  poolSize(poolSize) {
    this.#heap.poolSize = this.#poolSize = poolSize;
  }

  // --- scopes -------------------------------------------------------------------------------------

  /** `returned`: which of the live buffers are returned, and so outlive it. */
  scope(body, returned, throws) {
    const scope = { outer: this.#scope };
    this.#scope = scope;
    let survivors = [];
    let normally = false;
    try {
      this.#heap.scope(() => {
        this.run(body);
        if (throws) throw MARK;
        survivors = returned.map((pick) => this.#pick(pick)).filter(Boolean);
        normally = true;
        return survivors.map(({ view }) => view);
      });
    } catch (error) {
      if (error !== MARK || normally) throw error;
      survivors = [];
      if (!throws) throw error;
    } finally {
      this.#scope = scope.outer;
      for (const entry of this.#live.filter((one) => one.scope === scope)) {
        entry.scope = scope.outer;
        if (!survivors.includes(entry)) this.#forget(entry);
      }
      for (const arena of this.#arenas)
        arena.kept = arena.kept.filter((one) => this.#live.includes(one));
    }
  }

  keep(pick) {
    const entry = this.#pick(pick);
    if (!entry) return;
    same(this.#heap.keep(entry.view), entry.view, 'what keep returns');
    entry.scope = undefined;
  }

  // --- arenas -------------------------------------------------------------------------------------

  arena(size) {
    if (this.#arenas.length >= 3) return;
    const before = this.#heap.stats().live.bytes;
    try {
      const arena = this.#heap.arena({ size });
      const first = arena.mark() - arena.mark() + arena.alloc(0, 1);
      this.#arenas.push({ arena, size, first, used: 0, most: 0, blocks: [], marks: [], kept: [] });
      if (!this.#usedTicks) {
        const took = this.#heap.stats().live.bytes - before;
        ensure(took >= size && took % PAGE === 0, 'an arena takes pages');
      }
    } catch (error) {
      same(error.code, 'ERR_HEAP_EXHAUSTED', 'the code of a refusal');
    }
  }

  arenaAlloc(pick, bytes, alignment, zeroed) {
    const one = this.#arenas[pick % this.#arenas.length];
    if (!one) return;
    const { arena, first, size } = one;
    const from = Math.ceil((first + one.used) / alignment) * alignment;
    const call = () =>
      zeroed ? arena.allocZeroed(bytes, alignment) : arena.alloc(bytes, alignment);
    if (from + bytes > first + size) {
      refused(call, 'ERR_HEAP_EXHAUSTED');
      return;
    }
    const pointer = call();
    same(pointer, from, 'the next pointer');
    same(arena.address(pointer) % alignment, 0, 'its address by the alignment');
    const view = arena.view(Uint8Array, pointer, bytes);
    if (zeroed)
      ensure(
        view.every((byte) => byte === 0),
        'zero',
      );
    this.#mark = (this.#mark % 255) + 1;
    view.fill(this.#mark);
    one.blocks.push({ pointer, view, mark: this.#mark });
    one.used = from + bytes - first;
    one.most = Math.max(one.most, one.used);
  }

  arenaMark(pick) {
    const one = this.#arenas[pick % this.#arenas.length];
    one?.marks.push({ mark: one.arena.mark(), blocks: one.blocks.length, used: one.used });
  }

  arenaReset(pick, which) {
    const one = this.#arenas[pick % this.#arenas.length];
    if (!one) return;
    refused(() => one.arena.reset(one.arena.mark() + 1), 'ERR_OUT_OF_RANGE');
    const other = this.#arenas.find((another) => another !== one);
    if (other) refused(() => one.arena.reset(other.arena.mark()), 'ERR_OUT_OF_RANGE');
    const at = which % (one.marks.length + 1);
    const { mark, blocks, used } = one.marks[at] ?? { blocks: 0, used: 0 };
    one.arena.reset(mark);
    one.marks.length = mark === undefined ? 0 : at + 1;
    one.blocks.length = blocks;
    one.used = used;
  }

  arenaOut(pick, which, at) {
    const one = this.#arenas[pick % this.#arenas.length];
    const block = one?.blocks[which % one.blocks.length];
    if (!block) return;
    const { pointer, mark } = block;
    const { length } = block.view;
    refused(() => one.arena.view(Uint8Array, one.first + one.used + 1, 0), 'ERR_OUT_OF_RANGE');
    const past = one.first + one.used - pointer + 1;
    refused(() => one.arena.materialize(pointer, past), 'ERR_OUT_OF_RANGE');
    const target = new Uint8Array(at + length + 2);
    one.arena.copyContents(pointer, length, target, at);
    const expected = Buffer.alloc(at + length + 2).fill(mark, at, at + length);
    ensure(bytesOf(target).equals(expected), 'the copy is exact');
    this.#make(() => one.arena.materialize(pointer, length), length, this.#block(length, true), {
      expected: Buffer.alloc(length, mark),
    });
  }

  arenaEnd(pick) {
    const one = this.#arenas.splice(pick % this.#arenas.length, 1)[0];
    one?.arena.dispose();
    if (one) refused(() => one.arena.alloc(1), 'ERR_HEAP_DISPOSED');
  }

  // --- ticks --------------------------------------------------------------------------------------

  tick(body, args) {
    this.#usedTicks = true;
    const id = this.#lastId + 1;
    const list = Array.from({ length: args }, (_, i) => `${id} ${i}`);
    try {
      this.#heap.nextTick((...given) => this.#ran(id, body, list, given), ...list);
    } catch (error) {
      same(error.code, 'ERR_HEAP_EXHAUSTED', 'the code of a refused tick');
      this.#lastId = this.#heap.asyncIds.newAsyncId();
      return;
    }
    this.#push(id);
  }

  #push(id) {
    this.#lastId = id;
    this.#queue.push({ id, trigger: this.#current.id, value: this.#value });
    if (this.#hooked) this.#expected.push(`init ${id} ${this.#current.id}`);
  }

  burst(count) {
    this.#usedTicks = true;
    for (let i = 0; i < count; i++) {
      const id = this.#lastId + 1;
      try {
        this.#heap.nextTick(() => this.#ran(id, [], [], []));
      } catch (error) {
        same(error.code, 'ERR_HEAP_EXHAUSTED', 'the code of a refused tick');
        this.#lastId = this.#heap.asyncIds.newAsyncId();
        return;
      }
      this.#push(id);
    }
  }

  #ran(id, body, expected, given) {
    if (this.isOver) return;
    const tick = this.#queue.shift();
    same(id, tick?.id, 'the tick that runs');
    same(given.join(), expected.join(), 'its arguments');
    this.#current = { id, trigger: tick.trigger };
    this.#value = tick.value;
    if (this.#hooked) this.#expected.push(`before ${id}`);
    this.#checkIds();
    const depth = this.#stack.length;
    try {
      if (this.#depth < 6) this.run(body);
    } finally {
      // What it left pushed goes with it.
      this.#stack.length = depth;
      if (this.#hooked) this.#expected.push(`after ${id}`, `destroy ${id}`);
    }
  }

  drain() {
    this.#usedTicks = true;
    const outer = { current: this.#current, value: this.#value, floor: this.#floor };
    this.#stack.push(this.#current);
    this.#floor = this.#stack.length;
    this.#depth++;
    try {
      this.#heap.ticks.drain();
      same(this.#queue.length, 0, 'ticks left by a drain');
    } catch (error) {
      if (error !== MARK && error.code !== 'ERR_HEAP_EXHAUSTED') throw error;
    } finally {
      this.#depth--;
      this.#stack.length = this.#floor - 1;
      this.#floor = outer.floor;
      this.#current = outer.current;
      this.#value = outer.value;
    }
  }
  #floor = 0;

  throw() {
    if (this.#depth > 0) throw MARK;
  }

  idPush(asyncId, triggerId) {
    this.#usedTicks = true;
    try {
      this.#heap.asyncIds.push(asyncId, triggerId, { asyncId });
    } catch (error) {
      same(error.code, 'ERR_HEAP_EXHAUSTED', 'the code of a refusal');
      return;
    }
    this.#stack.push(this.#current);
    this.#current = { id: asyncId, trigger: triggerId };
    same(this.#heap.asyncIds.executionAsyncResource().asyncId, asyncId, 'the resource');
  }

  idPop() {
    const { asyncIds } = this.#heap;
    this.#usedTicks = true;
    const more = asyncIds.pop(this.#current.id);
    // A tick's own id is not to be popped by it.
    if (this.#stack.length <= this.#floor) return same(more, false, 'a pop of nothing');
    this.#current = this.#stack.pop();
    same(more, this.#stack.length > 0, 'whether more is pushed');
  }

  idPopWrong(by) {
    this.#usedTicks = true;
    const { asyncIds } = this.#heap;
    if (this.#stack.length <= this.#floor)
      same(asyncIds.pop(this.#current.id + by + 1), false, 'a pop of nothing');
    else refused(() => asyncIds.pop(this.#current.id + by + 1), 'ERR_ASYNC_STACK_CORRUPTED');
  }

  newId() {
    this.#usedTicks = true;
    same(this.#heap.asyncIds.newAsyncId(), ++this.#lastId, 'a new id');
  }

  clearIds() {
    this.#usedTicks = true;
    this.#heap.asyncIds.clear();
    this.#stack.length = this.#floor;
    this.#current = { id: 1, trigger: 0 };
  }

  variable(body) {
    this.#usedTicks = true;
    this.#variable ??= new this.#heap.AsyncVariable({ name: 'v', defaultValue: 'none' });
    const before = this.#value;
    const value = `value ${this.steps}`;
    this.#value = value;
    try {
      this.#variable.run(value, () => this.run(body));
    } finally {
      this.#value = before;
    }
  }

  hook(on) {
    // What a tick that runs has begun without, it would end with.
    if (this.#depth > 0) return;
    this.#usedTicks = true;
    const note = (name) => (id) => this.#heard.push(`${name} ${id}`);
    this.#hook ??= this.#heap.createHook({
      init: (id, type, trigger) =>
        this.#heard.push(`init ${id} ${trigger}${type === 'TickObject' ? '' : type}`),
      before: note('before'),
      after: note('after'),
      destroy: note('destroy'),
    });
    if (on) this.#hook.enable();
    else this.#hook.disable();
    this.#hooked = on;
  }

  // --- what must hold -----------------------------------------------------------------------------

  #checkIds() {
    const { asyncIds } = this.#heap;
    same(asyncIds.executionAsyncId(), this.#current.id, 'the id of what runs');
    same(asyncIds.triggerAsyncId(), this.#current.trigger, 'its trigger');
    if (this.#variable) same(this.#variable.get(), this.#value, 'the value of a variable');
  }

  #check() {
    if (this.#usedTicks) {
      this.#checkIds();
      same(this.#heap.asyncIds.depth, this.#stack.length, 'the depth of the ids');
      same(this.#heap.ticks.size, this.#queue.length, 'the ticks queued');
    }
    if (this.steps % LOOK === 0) this.#checkAll();
  }

  #checkAll() {
    for (const { view, bytes, mark } of this.#live) {
      same(view.byteOffset, bytes.byteOffset, 'where a view is');
      ensure(bytesOf(bytes).equals(Buffer.alloc(bytes.length, mark)), 'a buffer keeps its bytes');
    }
    for (const { arena, size, used, most, blocks } of this.#arenas) {
      same(arena.used, used, 'what of an arena is used');
      same(arena.highWater, most, 'the most that was used');
      same(arena.size, size, 'the size of an arena');
      for (const { view, mark } of blocks) {
        ensure(bytesOf(view).equals(Buffer.alloc(view.length, mark)), 'a block keeps its bytes');
      }
    }
    const { regions, reserved } = this.#heap.stats();
    same(regions.length, this.#regions, 'how many regions there are');
    same(
      regions.reduce((sum, region) => sum + region.reserved, 0),
      reserved,
      'what is reserved',
    );
    same(this.#heap.check().join('\n'), '', 'what check says');
    same(this.#heard.splice(0).join('\n'), this.#expected.splice(0).join('\n'), 'what hooks heard');
  }

  /** All is given back; then nothing is left, and nothing works any more. */
  end() {
    for (let drains = 0; this.#queue.length > 0; drains++) {
      ensure(drains < 1000, 'the queue is empty by and by');
      if (drains > 0) this.freeMany(0, MOST_LIVE);
      this.drain();
    }
    this.#checkAll();
    this.freeMany(0, MOST_LIVE);
    while (this.#arenas.length > 0) this.arenaEnd(0);
    this.#heap.trim();
    const { live, cached, regions } = this.#heap.stats();
    same(cached.bytes, 0, 'bytes kept after trim');
    // Of the queue a segment and its ids, and the pairs of the id stack.
    ensure(live.buffers <= (this.#usedTicks ? 4 : 0), 'blocks left at the end');
    same(regions.length, 1, 'regions left at the end');
    same(this.#heap.check().join('\n'), '', 'what check says');
    same(this.#heap.dispose().join('\n'), '', 'what was never freed');
    refused(() => this.#heap.alloc(1), 'ERR_HEAP_DISPOSED');
    refused(() => this.#heap.stats(), 'ERR_HEAP_DISPOSED');
    for (const view of this.#freed) refused(() => this.#heap.free(view), 'ERR_HEAP_DISPOSED');
  }
}

/**
 * Runs a program on a new heap and its model.
 * @returns {Model} which has counted the steps
 */
export function runProgram(createHeapSync, module, options, program) {
  const heap = createHeapSync(module, { regionSize: MIB, maxBytes: MAX_BYTES, ...options });
  const model = new Model(heap, options);
  try {
    model.runAll(program);
    model.end();
  } finally {
    model.isOver = true;
  }
  return model;
}

const size = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1, 8, 10, 16, 64, 65, 100, 1000) },
  { weight: 3, arbitrary: fc.nat(300) },
  { weight: 2, arbitrary: fc.nat(20_000) },
  { weight: 1, arbitrary: fc.nat(400_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, 32_767, 32_768, 32_769, PAGE, PAGE + 1, MIB) },
);
const small = fc.oneof(
  { weight: 5, arbitrary: fc.nat(200) },
  { weight: 1, arbitrary: fc.nat(9000) },
);
const alignment = fc.oneof(
  { weight: 3, arbitrary: fc.constant(8) },
  { weight: 1, arbitrary: fc.nat(18).map((shift) => 2 ** shift) },
);
const pick = fc.nat(999);

const { program } = fc.letrec((tie) => {
  const of = (weight, name, ...args) => ({
    weight,
    arbitrary: fc.tuple(fc.constant(name), ...args),
  });
  const body = tie('body');
  return {
    step: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'programs' },
      of(8, 'alloc', size, fc.constantFrom(undefined, undefined, 0, 7, 'ab')),
      of(5, 'unsafe', size, alignment),
      of(2, 'slow', size, alignment),
      of(3, 'from', small, fc.constantFrom('array', 'view', 'buffer', 'string')),
      of(4, 'typed', size, fc.nat(12)),
      of(3, 'write', pick),
      of(10, 'free', pick, fc.nat(2)),
      of(2, 'freeMany', pick, fc.nat(20)),
      of(2, 'freeAgain', pick),
      of(2, 'part', pick, fc.integer({ min: -300, max: 300 }), fc.nat(300)),
      of(2, 'look', pick),
      of(1, 'wrong', fc.nat(300)),
      of(1, 'trim'),
      of(1, 'poolSize', fc.constantFrom(65536, 0, 8192, 200, 201.5, NaN, 2 ** 20)),
      of(1, 'keep', pick),
      of(1, 'arena', fc.integer({ min: 1, max: 100_000 })),
      of(
        5,
        'arenaAlloc',
        pick,
        small,
        alignment.map((one) => Math.min(one, PAGE)),
        fc.boolean(),
      ),
      of(1, 'arenaMark', pick),
      of(1, 'arenaReset', pick, pick),
      of(2, 'arenaOut', pick, pick, fc.nat(20)),
      of(1, 'arenaEnd', pick),
      of(
        1,
        'burst',
        fc.oneof(fc.nat(5), fc.nat(5), fc.nat(5), fc.integer({ min: 2040, max: 2056 })),
      ),
      of(3, 'drain'),
      of(1, 'throw'),
      of(2, 'idPush', fc.nat(50), fc.nat(50)),
      of(2, 'idPop'),
      of(1, 'idPopWrong', fc.nat(9)),
      of(1, 'newId'),
      of(1, 'clearIds'),
      of(1, 'hook', fc.boolean()),
      of(3, 'scope', body, fc.array(pick, { maxLength: 3 }), fc.boolean()),
      of(4, 'tick', body, fc.nat(6)),
      of(2, 'variable', body),
    ),
    body: fc.array(tie('step'), { maxLength: 6, depthIdentifier: 'programs' }),
    program: fc.array(tie('step'), { maxLength: 120, size: 'max' }),
  };
});

/** Programs, shortened where they fail. */
export { program };
