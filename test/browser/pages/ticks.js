/** Errors, ids, variables and bursts of ticks, in a page or a worker. */

import { createHeap } from '/dist/slabring.js';

const task = () => new Promise((resolve) => setTimeout(resolve));

/** What a value that was thrown looks like as JSON. */
const shown = (value) => (value instanceof Error ? value.message : (value ?? String(value)));

const rest = ({ ticks, asyncIds, check }) => ({
  size: ticks.size,
  depth: asyncIds.depth,
  ids: [asyncIds.executionAsyncId(), asyncIds.triggerAsyncId()],
  problems: check(),
});

/** Ticks that throw, and who hears of it: the handler and the listener, with the ids of the tick. */
export async function errors() {
  const heap = await createHeap();
  const { nextTick, asyncIds, createHook, AsyncVariable } = heap;
  const lines = [];
  const where = new AsyncVariable({ name: 'where', defaultValue: 'nowhere' });
  const hook = createHook({
    before: (id) => lines.push(`before ${id}`),
    after: (id) => lines.push(`after ${id}`),
  });
  hook.enable();
  const now = () =>
    `${asyncIds.executionAsyncId()} of ${asyncIds.triggerAsyncId()}, ${where.get()}`;
  const thrown = [];
  globalThis.onerror = (_message, _source, _line, _column, error) => {
    lines.push(`onerror ${shown(error)} in ${now()}`);
    // What the handler queues comes with the rest.
    if (error === thrown[0]) nextTick(() => lines.push(`tick of the handler in ${now()}`));
    return true;
  };
  const listener = ({ error }) => lines.push(`event, the same: ${error === thrown.at(-1)}`);
  globalThis.addEventListener('error', listener);
  const fail = (error) => {
    thrown.push(error);
    throw error;
  };
  where.run('first', nextTick, () => {
    asyncIds.push(1000, 1);
    fail(new RangeError('one'));
  });
  where.run('second', nextTick, () => lines.push(`tick in ${now()}`));
  nextTick(fail, 'a string');
  nextTick(fail, undefined);
  nextTick(fail, null);
  nextTick(() => lines.push(`last in ${now()}`));
  await task();
  hook.disable();
  globalThis.removeEventListener('error', listener);
  globalThis.onerror = null;
  return { lines, rest: rest(heap) };
}

/** An error of drain() is its caller’s, and nobody else hears of it. */
export async function drainByHand() {
  const heap = await createHeap();
  const lines = [];
  globalThis.onerror = (message) => lines.push(`onerror ${message}`);
  heap.nextTick(() => {
    throw new Error('to the caller');
  });
  heap.nextTick(() => lines.push('the rest'));
  try {
    heap.ticks.drain();
  } catch ({ message }) {
    lines.push(`caught: ${message}`);
  }
  await task();
  globalThis.onerror = null;
  return { lines, rest: rest(heap) };
}

/** Where there is no reportError the error is thrown from the microtask. */
export async function withoutReportError() {
  const { reportError } = globalThis;
  globalThis.reportError = undefined;
  const heap = await createHeap();
  globalThis.reportError = reportError;
  const lines = [];
  globalThis.onerror = (...args) => {
    lines.push(`onerror ${args[4].message}`);
    return true;
  };
  for (const i of [1, 3]) {
    heap.nextTick(() => {
      throw new Error(`tick ${i}`);
    });
    heap.nextTick(() => lines.push(`tick ${i + 1}`));
  }
  await task();
  globalThis.onerror = null;
  return { lines, rest: rest(heap) };
}

export async function ids() {
  const heap = await createHeap();
  const { nextTick, asyncIds } = heap;
  const lines = [];
  const note = (name) => {
    lines.push([name, asyncIds.executionAsyncId(), asyncIds.triggerAsyncId()]);
  };
  note('main');
  nextTick(() => {
    note('a');
    nextTick(() => {
      note('a a');
      queueMicrotask(() => note('microtask'));
    });
  });
  nextTick(note, 'b');
  nextTick(() => asyncIds.push(asyncIds.newAsyncId(), 1));
  nextTick(note, 'c');
  await task();
  return { lines, rest: rest(heap) };
}

export async function variables() {
  const heap = await createHeap();
  const { nextTick, AsyncVariable } = heap;
  const [user, request] = [
    new AsyncVariable({ name: 'user', defaultValue: 'nobody' }),
    new AsyncVariable({ name: 'request' }),
  ];
  const lines = [];
  const note = (name) => lines.push([name, user.get(), request.get() ?? null]);
  user.run('ann', () => {
    nextTick(note, 'a');
    request.run(1, nextTick, () => {
      note('b');
      nextTick(note, 'b b');
      user.run('bob', nextTick, note, 'b c');
    });
    note('main, in ann');
  });
  nextTick(note, 'c');
  note('main');
  await task();
  note('later');
  return { lines, rest: rest(heap) };
}

export async function burst(n) {
  const heap = await createHeap();
  const { nextTick } = heap;
  let next = 0;
  let wrong = 0;
  const tick = (i, text) => {
    if (i !== next++ || text !== 'argument') wrong++;
  };
  for (let i = 0; i < n; i++) nextTick(tick, i, 'argument');
  const queued = heap.ticks.size;
  const full = heap.stats().live.bytes;
  await task();
  heap.trim();
  return { ran: next, wrong, queued, full, left: heap.stats().live.bytes, rest: rest(heap) };
}

export async function nativeBurst(preset, n) {
  const wasm = `/build/${preset}/native_ticks.wasm`;
  const heap = await createHeap({ wasm, regionSize: 128 * 2 ** 20 });
  const kernels = heap.exportsOf(heap.alloc(1));
  const pushed = kernels.push_counting(n);
  const before = kernels.count();
  let seen = -1;
  heap.nextTick(() => {
    seen = kernels.count();
  });
  kernels.push_counting(1);
  await task();
  return { pushed, before, seen, ran: kernels.count(), rest: rest(heap) };
}

/** Ticks of either side, some of which note themselves in C++, with the ids there. */
export async function nativeOrder(preset) {
  const heap = await createHeap({ wasm: `/build/${preset}/native_ticks.wasm` });
  const buffer = heap.alloc(1);
  const kernels = heap.exportsOf(buffer);
  kernels.push_nested(10);
  heap.nextTick(kernels.note, 20);
  heap.nextTick(() => kernels.push_nested(40));
  kernels.push_note(30);
  await task();
  const notes = Array.from({ length: kernels.note_count() }, (_, i) => [
    ...new Float64Array(buffer.buffer, kernels.notes() + i * 24, 3),
  ]);
  return { notes, rest: rest(heap) };
}
