import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';
import {
  boundarySizes,
  bytesOf,
  caught,
  facts,
  MIB,
  makeHeap,
  PAGE,
  refusal,
} from '../support/heap.js';
import { HOSTILE } from '../support/hostile.js';

const { dispose } = Symbol;

/** Bytes before and after a buffer that nobody may write to. */
const GUARD = 16;

const debugHeap = (options) => makeHeap({ debug: true, ...options });
/** The byte at a place that may be outside of the buffer. */
const poke = (view, at, change) => {
  const memory = new Uint8Array(view.buffer);
  const index = view.byteOffset + at;
  memory[index] = change(memory[index]);
};
const flip = (byte) => byte ^ 1;
const HERE = /heap-debug\.test\.js:\d+:\d+/;
const OURS = /debug-allocator|scope\.js|slabring\.js|js\/heap/;

/** The parts of what is told of a buffer. */
function parsed(text) {
  const [, what, size, at, allocated, , freed] =
    /^(.*): (\d+) bytes at byteOffset (\d+)\n {2}allocated:\n(.*?)(\n {2}freed:\n(.*))?$/s.exec(
      text,
    );
  return { what, size: Number(size), at: Number(at), allocated, freed };
}

function expectStack(stack) {
  expect(stack).toMatch(HERE);
  expect(stack).not.toMatch(OURS);
}

const MAKERS = {
  alloc: (heap, size) => heap.alloc(size),
  'alloc with a fill': (heap, size) => heap.alloc(size, 'x'),
  allocUnsafe: (heap, size) => heap.allocUnsafe(size),
  'allocUnsafe, aligned': (heap, size) => heap.allocUnsafe(size, { alignment: 64 }),
  allocUnsafeSlow: (heap, size) => heap.allocUnsafeSlow(size),
  from: (heap, size) => heap.from('x'.repeat(size)),
  'from a view': (heap, size) => heap.from(new Uint8Array(size)),
  typed: (heap, size) => heap.typed(Uint8Array, size),
  'in a scope': (heap, size) => heap.scope(() => heap.alloc(size)),
};

describe.each(Object.keys(MAKERS))('%s', (maker) => {
  const make = MAKERS[maker];

  test('has guards that are checked, byte by byte, at every boundary of sizes', () => {
    const heap = debugHeap();
    for (const size of boundarySizes(heap)) {
      for (const one of [size, size - 2 * GUARD].filter((one) => one > 0)) {
        const view = make(heap, one);
        expect(heap.check()).toEqual([]);
        for (let i = 0; i < GUARD; i++) {
          if (one > 40 && i > 1 && i < GUARD - 1) continue;
          poke(view, -1 - i, flip);
          expect(heap.check().map((text) => parsed(text))).toMatchObject([
            { what: `Written ${i + 1} bytes before its start`, size: one, at: view.byteOffset },
          ]);
          poke(view, -1 - i, flip);
          poke(view, one + i, flip);
          expect(heap.check().map((text) => parsed(text))).toMatchObject([
            { what: `Written ${i + 1} bytes past its end`, size: one, at: view.byteOffset },
          ]);
          poke(view, one + i, flip);
        }
        heap.free(view);
        if (one > PAGE) heap.trim();
      }
    }
    expect(heap.check()).toEqual([]);
    expect(heap.dispose()).toEqual([]);
  });

  test.each([1, 7, 100, 5000, 32_737, 100_000])(
    'is filled when freed, and writes to it after that are found: %p bytes',
    (size) => {
      const heap = debugHeap();
      // Larger than the quarantine itself: it goes at once.
      const view = make(heap, size);
      const bytes = Buffer.from(view.buffer, view.byteOffset, size);
      heap.free(view);
      if (size === 100_000) return;
      expect(bytes.every((byte) => byte === 0xdd)).toBe(true);
      expect(heap.check()).toEqual([]);
      for (const at of new Set([0, size >> 1, size - 1])) {
        bytes[at] ^= 1;
        const problems = heap.check().map((text) => parsed(text));
        expect(problems).toMatchObject([
          { what: `Written after it was freed, byte ${at}`, size, at: bytes.byteOffset },
        ]);
        expectStack(problems[0].allocated);
        expectStack(problems[0].freed);
        bytes[at] ^= 1;
      }
      poke(view, -1, flip);
      expect(heap.check().map((text) => parsed(text).what)).toEqual([
        'Written 1 bytes before its start',
      ]);
      poke(view, -1, flip);
      expect(heap.check()).toEqual([]);
    },
  );

  test('says where it was allocated and freed when it is freed again', () => {
    const heap = debugHeap();
    const view = make(heap, 100);
    const line = (stack) => Number(/heap-debug\.test\.js:(\d+)/.exec(stack)[1]);
    heap.free(view);
    const after = line(new Error().stack);
    for (const free of [() => heap.free(view), () => view.free()]) {
      const error = refusal(heap, free);
      expect(facts(error)).toMatchObject({ class: 'Error', code: 'ERR_BUFFER_FREED' });
      const { what, size, at, allocated, freed } = parsed(error.message);
      expect({ what, size, at }).toEqual({
        what: 'The buffer has already been freed',
        size: 100,
        at: view.byteOffset,
      });
      expectStack(allocated);
      expectStack(freed);
      expect(line(freed)).toBe(after - 1);
    }
    if (dispose) view[dispose]();
    heap.trim();
    expect(parsed(refusal(heap, () => heap.free(view)).message).size).toBe(100);
  });

  test('is listed by dispose when it was never freed', () => {
    const heap = debugHeap();
    const view = make(heap, 100);
    heap.free(make(heap, 200));
    const leaks = heap.dispose().map((text) => parsed(text));
    expect(leaks).toMatchObject([{ what: 'Never freed', size: 100, at: view.byteOffset }]);
    expect(leaks[0].freed).toBeUndefined();
    expectStack(leaks[0].allocated);
    expect(heap.dispose()).toEqual([]);
  });

  test('is refused by free when it was written to past its ends, and nothing changes', () => {
    const heap = debugHeap();
    const view = make(heap, 100);
    for (const at of [-1, -GUARD, 100, 99 + GUARD]) {
      poke(view, at, flip);
      const before = heap.stats();
      for (const free of [() => heap.free(view), () => view.free()]) {
        const error = caught(free);
        expect(facts(error)).toMatchObject({ class: 'Error', code: 'ERR_HEAP_CORRUPTED' });
        expect(parsed(error.message)).toMatchObject({ size: 100, at: view.byteOffset });
        expectStack(parsed(error.message).allocated);
      }
      expect(heap.stats()).toEqual(before);
      expect(heap.retained(view)).toBeGreaterThan(0);
      poke(view, at, flip);
    }
    expect(heap.check()).toEqual([]);
    heap.free(view);
    expect(refusal(heap, () => heap.free(view)).code).toBe('ERR_BUFFER_FREED');
  });

  test('is not used again, neither its object nor its cell, while others are', () => {
    const heap = debugHeap();
    const views = new Set();
    const places = new Set();
    for (let i = 0; i < 100; i++) {
      const view = make(heap, 20);
      views.add(view);
      places.add(view.byteOffset);
      heap.free(view);
      if (maker === 'allocUnsafeSlow') heap.trim();
    }
    expect(views.size).toBe(100);
    if (maker !== 'allocUnsafeSlow') expect(places.size).toBe(100);
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
  });
});

test.each([16, 32, 512, 4096, 32_768, PAGE, 2 * PAGE])('is aligned to %p, guards and all', (to) => {
  const heap = debugHeap({ regionSize: 4 * MIB });
  for (const size of [1, 100, 5000]) {
    for (const call of ['allocUnsafe', 'allocUnsafeSlow']) {
      const view = heap[call](size, { alignment: to });
      expect(view.byteOffset % to).toBe(0);
      for (const at of [-1, -to, size, size + GUARD - 1]) {
        poke(view, at, flip);
        expect(heap.check().length).toBe(1);
        poke(view, at, flip);
      }
      heap.free(view);
      heap.trim();
    }
  }
  expect(heap.check()).toEqual([]);
});

describe('the quarantine', () => {
  test('is bounded, and what leaves it is checked', () => {
    const heap = debugHeap();
    const first = heap.alloc(100);
    heap.free(first);
    poke(first, 99, flip);
    let most = 0;
    for (let i = 0; i < 2000; i++) {
      heap.free(heap.alloc(100));
      most = Math.max(most, heap.stats().cached.bytes);
    }
    expect(most).toBeLessThan(MIB / 8);
    expect(most).toBeGreaterThan(MIB / 32);
    expect(heap.stats().live).toEqual({ bytes: 0, buffers: 0 });
    for (let i = 0; i < 2; i++) {
      expect(heap.check().map((text) => parsed(text))).toMatchObject([
        { what: 'Written after it was freed, byte 99', size: 100, at: first.byteOffset },
      ]);
    }
    heap.trim();
    expect(heap.check().length).toBe(1);
    expect(heap.dispose().map((text) => parsed(text).what)).toEqual([
      'Written after it was freed, byte 99',
    ]);
  });

  test('counts what blocks take, not what they hold', () => {
    const heap = debugHeap({ regionSize: 4 * MIB });
    for (let i = 0; i < 30; i++) heap.free(heap.allocUnsafeSlow(10));
    expect(heap.stats().cached).toEqual({ bytes: 4 * PAGE, buffers: 4 });
  });

  test('is left first by what came first', () => {
    const heap = debugHeap();
    const views = Array.from({ length: 5 }, () => heap.alloc(20_000));
    for (const view of views) heap.free(view);
    for (const view of views) poke(view, 0, flip);
    // Three of 20 KB fit. Of the others only the mark of an earlier end could be found.
    expect(heap.check().map((text) => parsed(text).at)).toEqual(
      views.slice(-3).map((view) => view.byteOffset),
    );
  });

  test('is emptied by trim, with nothing left of it', () => {
    const heap = debugHeap();
    for (let i = 0; i < 20; i++) heap.free(heap.alloc(i * 100));
    expect(heap.stats().cached.buffers).toBeGreaterThan(15);
    heap.trim();
    expect(heap.stats().cached).toEqual({ bytes: 0, buffers: 0 });
    expect(heap.stats().regions[0].inUse).toBe(0);
    expect(heap.check()).toEqual([]);
  });

  test('is emptied when there is no room left', () => {
    const heap = debugHeap();
    const { usable } = heap.stats().regions[0];
    const full = heap.allocUnsafeSlow(usable - PAGE - 2 * GUARD);
    for (const size of [100, 5000]) {
      heap.free(heap.alloc(size));
      // Of another size class: the page is the quarantine's.
      heap.free(heap.alloc(size * 4));
    }
    expect(heap.alloc(PAGE / 2 - 2 * GUARD).length).toBe(PAGE / 2 - 2 * GUARD);
    expect(caught(() => heap.alloc(PAGE)).code).toBe('ERR_HEAP_EXHAUSTED');
    heap.free(full);
    expect(heap.alloc(usable - 2 * PAGE).length).toBe(usable - 2 * PAGE);
    expect(heap.check()).toEqual([]);
  });

  test('keeps what is written through a stale view from harming anybody', () => {
    const heap = debugHeap();
    const stale = heap.alloc(100);
    heap.free(stale);
    const others = Array.from({ length: 100 }, (_, i) => heap.alloc(100, i + 1));
    stale.fill(0xee);
    for (const [i, view] of others.entries()) {
      expect(bytesOf(view).equals(Buffer.alloc(100, i + 1))).toBe(true);
    }
    expect(heap.check().map((text) => parsed(text).what)).toEqual([
      'Written after it was freed, byte 0',
    ]);
  });
});

test('what alloc and typed give is zero, also where others were before', () => {
  const heap = debugHeap();
  for (let i = 0; i < 300; i++) {
    for (const size of [16, 100, 5000, 40_000]) {
      if (i > 20 && size > 100) continue;
      const view = heap.alloc(size);
      expect(view.every((byte) => byte === 0)).toBe(true);
      const words = heap.typed(Int32Array, size / 4);
      expect(words.every((word) => word === 0)).toBe(true);
      heap.free(view.fill(0xff));
      heap.free(words.fill(-1));
    }
  }
  expect(heap.check()).toEqual([]);
});

test('empty buffers, and parts, are as ever', () => {
  const heap = debugHeap();
  const [empty, words] = [heap.alloc(0), heap.typed(Float64Array, 0)];
  expect([empty.length, words.length, empty.inHeap]).toEqual([0, 0, true]);
  const whole = heap.from('0123456789');
  expect(refusal(heap, () => heap.free(whole.subarray(2))).message).toMatch(
    `free that one, of 10 bytes at byteOffset ${whole.byteOffset}`,
  );
  heap.free(empty);
  words.free();
  const error = facts(refusal(heap, () => heap.free(empty)));
  expect(error.message).toBe('The buffer has already been freed');
  heap.free(whole);
  const { what, freed } = parsed(refusal(heap, () => heap.free(whole.subarray(2))).message);
  expect(what).toBe('The buffer has already been freed');
  expectStack(freed);
  expect(heap.dispose()).toEqual([]);
});

test('buffers from outside of the heap work, unguarded', () => {
  const heap = debugHeap({ onExhausted: 'fallback' });
  const full = heap.allocUnsafeSlow(heap.stats().regions[0].usable - 2 * GUARD);
  for (const size of [10, 100_000]) {
    const view = heap.alloc(size);
    expect(view.inHeap).toBe(false);
    expect(bytesOf(view).equals(Buffer.alloc(size))).toBe(true);
    expect(view.toArrayBuffer().byteLength).toBe(size);
    heap.free(view);
    expect(refusal(heap, () => heap.free(view)).code).toBe('ERR_BUFFER_FREED');
    heap.typed(Float64Array, size).free();
    heap.scope(() => {
      heap.from('x'.repeat(size));
    });
  }
  expect(heap.stats().live.buffers).toBe(1);
  heap.free(full);
  expect(heap.dispose()).toEqual([]);
});

test('buffers of other regions are guarded, and leave none behind', () => {
  const heap = debugHeap({ maxBytes: 2 * MIB });
  const full = heap.allocUnsafeSlow(heap.stats().regions[0].usable - 2 * GUARD);
  const views = [heap.alloc(100), heap.alloc(100_000)];
  expect(views[0].buffer).not.toBe(full.buffer);
  for (const view of views) {
    poke(view, view.length, flip);
    expect(heap.check().length).toBe(1);
    poke(view, view.length, flip);
    heap.free(view);
  }
  heap.trim();
  expect(heap.stats().regions.length).toBe(1);
  expect(heap.check()).toEqual([]);
});

test('what is asked for comes out as in a heap without it, errors too', () => {
  const [debug, plain] = [debugHeap(), makeHeap()];
  const CALLS = [
    (heap, value) => heap.alloc(value),
    (heap, value) => heap.alloc(20, value),
    (heap, value) => heap.alloc(20, 'ab', value),
    (heap, value) => heap.alloc(value, 'ab'),
    (heap, value) => heap.allocUnsafe(20, value).fill(0),
    (heap, value) => heap.allocUnsafe(20, { alignment: value }).fill(0),
    (heap, value) => heap.allocUnsafeSlow(value).fill(0),
    (heap, value) => heap.from(value),
    (heap, value) => heap.from('00ff', value),
    (heap, value) => heap.from(new ArrayBuffer(20), value),
    (heap, value) => heap.from([1, value, 3]),
    (heap, value) => heap.typed(Uint8Array, value),
    (heap, value) => heap.typed(value, 5),
    (heap, value) => heap.alloc(50, 'ab').subarray(value),
    (heap, value) => heap.free(value),
    (heap, value) => heap.retained(value),
    (heap, value) => heap.exportsOf(value),
    (heap, value) => heap.keep(value),
    (heap, value) => heap.scope(value),
  ];
  for (const [name, make] of Object.entries(HOSTILE)) {
    for (const [i, call] of CALLS.entries()) {
      const [ours, expected] = [debug, plain].map((heap) => {
        let told;
        heap.scope(() => {
          try {
            const result = call(heap, make());
            const isBytes = result instanceof Uint8Array;
            told = { type: typeof result, bytes: isBytes && bytesOf(result).toString('hex') };
          } catch (error) {
            told = facts(error);
          }
        });
        return told;
      });
      // Its size is told with the guards.
      const isFull = expected.code === 'ERR_HEAP_EXHAUSTED';
      if (isFull) expect([name, i, ours.code]).toEqual([name, i, expected.code]);
      else expect([name, i, ours]).toEqual([name, i, expected]);
    }
  }
  expect(debug.check()).toEqual([]);
  expect(debug.dispose()).toEqual([]);
});

describe('stacks', () => {
  const program = `
    const heap = await createHeap({ regionSize: 2 ** 20, maxBytes: 2 ** 20, debug: true });
    function allocates() { return heap.scope((scope) => heap.keep(scope.typed(Int8Array, 9))); }
    function frees(view) { view.free(); }
    const view = allocates();
    frees(view);
    const text = (() => { try { frees(view); } catch ({ message }) { return message; } })();
    allocates();
    print([text, ...heap.dispose()]);
  `;

  test.each([
    ['as they are', {}],
    ['with source maps', { flags: ['--enable-source-maps'] }],
    ['of one frame', { flags: ['--stack-trace-limit=1'] }],
    ['of none', { flags: ['--stack-trace-limit=0'] }],
  ])('name the functions of the program and none of ours: %s', (kind, options) => {
    const texts = resultOf(program, options);
    expect(texts.length).toBe(2);
    if (kind.startsWith('of')) return;
    const { allocated, freed } = parsed(texts[0]);
    expect(allocated).toMatch(/^\s*at allocates /m);
    expect(freed).toMatch(/^\s*at frees /);
    expect(parsed(texts[1]).allocated).toMatch(/^\s*at allocates /m);
    for (const text of texts) expect(text).not.toMatch(/slabring\.js|debug-allocator|js\/heap/);
  });

  test('are of use where a program is one file with the package', () => {
    const heap = debugHeap();
    const { prepareStackTrace } = Error;
    const view = heap.alloc(10);
    const make = () => {
      Error.prepareStackTrace = () =>
        ['Error', '    at a (/app/all.js:1:10)', '    at b (/app/all.js:2:20)'].join('\n');
      try {
        return heap.alloc(5);
      } finally {
        Error.prepareStackTrace = prepareStackTrace;
      }
    };
    make();
    heap.free(view);
    expect(parsed(heap.dispose()[0]).allocated).toBe(
      '    at a (/app/all.js:1:10)\n    at b (/app/all.js:2:20)',
    );
  });

  test('may be prepared as anything', () => {
    const heap = debugHeap();
    const { prepareStackTrace } = Error;
    for (const result of [undefined, null, [], {}, 5, '']) {
      Error.prepareStackTrace = () => result;
      try {
        heap.alloc(5).free();
        heap.alloc(6);
      } finally {
        Error.prepareStackTrace = prepareStackTrace;
      }
    }
    expect(heap.dispose().length).toBe(6);
  });
});

test('what was collected, but never freed, is told by check and dispose', () => {
  const [checked, disposed, live] = resultOf(
    `
      const heap = await createHeap({ regionSize: 2 ** 20, maxBytes: 2 ** 20, debug: true });
      const kept = heap.alloc(3000);
      function drops() {
        heap.alloc(200);
        heap.typed(Float64Array, 20_000);
        heap.alloc(200).free();
      }
      drops();
      heap.trim();
      for (let i = 0; i < 4; i++) { gc(); await new Promise((done) => setTimeout(done, 5)); }
      heap.trim();
      print([heap.check(), heap.dispose(), kept.length]);
    `,
    { flags: ['--expose-gc'] },
  );
  expect(live).toBe(3000);
  const what = 'Collected, but never freed';
  const told = checked.map((text) => parsed(text));
  expect(told.map(({ size }) => size).sort()).toEqual([160_000, 200]);
  for (const one of told) {
    expect(one.what).toBe(what);
    expect(one.allocated).toMatch(/at drops /);
  }
  expect(disposed.map((text) => parsed(text).what).sort()).toEqual([what, what, 'Never freed']);
});

test.each([1, 0, 'yes', null, {}])('the option must be a boolean: %p', (debug) => {
  const error = facts(caught(() => makeHeap({ debug })));
  expect(error.code).toBe('ERR_INVALID_ARG_TYPE');
  expect(error.message).toMatch(
    /^The "options.debug" property must be of type boolean\. Received /,
  );
});

describe.each([
  ['without the option', {}],
  ['with debug: false', { debug: false }],
  ['with debug: undefined', { debug: undefined }],
])('%s', (_, options) => {
  test('nothing is guarded, filled, told or held back', () => {
    const heap = makeHeap(options);
    const view = heap.alloc(16, 'x');
    expect(heap.stats().live.bytes).toBe(16);
    poke(view, -1, flip);
    poke(view, 16, flip);
    expect(heap.check()).toEqual([]);
    view.free();
    expect(bytesOf(view).toString()).toBe('x'.repeat(16));
    view.fill('y');
    expect(heap.check()).toEqual([]);
    expect(facts(refusal(heap, () => view.free())).message).toBe(
      'The buffer has already been freed',
    );
    expect(heap.alloc(16)).toBe(view);
    expect(heap.dispose()).toEqual([]);
  });
});
