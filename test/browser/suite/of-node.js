/**
 * The tests that are about Node, each with the reason: every other test of test/unit and
 * test/property runs in pages. Those named here are tried there, too, and one that passes has no
 * place in this list.
 *
 * By file: a reason for all of its tests, or for each reason what their full names begin with or match.
 */

const FILES = 'files, folders, links and what else a page has not';
const PROCESS = 'a process of its own, most with flags of V8: --expose-gc';
const MEMORY = 'what the process takes of the system';
const BUFFER = 'the methods of Buffer, which buffers have in Node only';
const BUILT =
  'of the dashboard, which is tested in pages as it is built: test/browser/dashboard-*.test.js';
const SLICE = 'slice shares memory as that of Buffer; that of a Uint8Array copies';

/** @typedef {Record<string, string | Record<string, (string | RegExp)[]>>} Listed */

/** @type {Listed} */
const WITH_PREPARED_STACKS = {
  'unit/heap-debug.test.js': {
    'Error.prepareStackTrace is V8’s': [
      'stacks are of use where a program is one file with the package',
    ],
  },
  'unit/heap-hostile.test.js': {
    'Error.prepareStackTrace is V8’s': ['a program that says what a stack looks like'],
  },
};

/** The same, of what an engine has not. @type {Record<string, Listed>} */
export const lacking = {
  chromium: {},
  firefox: WITH_PREPARED_STACKS,
  webkit: {
    ...WITH_PREPARED_STACKS,
    'unit/arena.test.js': { 'Symbol.dispose': ['dispose by using: nothing works any more'] },
    'unit/heap-free.test.js': { 'Symbol.dispose': ['Symbol.dispose '] },
    'unit/heap-parts.test.js': { 'Symbol.dispose': [/^a part that .* is left alone by `using`$/] },
    'unit/heap-typed.test.js': { 'Symbol.dispose': [/ is freed by `using`, once$/] },
    'unit/hostile-surface.test.js': { 'Symbol.dispose': [/Symbol\(Symbol\.dispose\)/] },
    'unit/heap-zero-on-free.test.js': { 'Symbol.dispose': ['freed by the end of `using` '] },
  },
};

/** @type {Listed} */
export const ofNode = {
  'unit/bench-run.test.js': 'measures processes of Node',
  'property/results.test.js': BUILT,
  'unit/dashboard-model.test.js': BUILT,
  'unit/dashboard-parts.test.js': BUILT,
  'unit/example.test.js': 'a program for Node',
  'unit/heap-gc.test.js': PROCESS,
  'unit/live-session.test.js': BUILT,
  'unit/package.test.js': FILES,
  'unit/readable-stream.test.js': PROCESS,
  'unit/serve.test.js': 'a server',
  'unit/setup.test.js': FILES,
  'unit/ticks-order.test.js': 'the order among ticks of Node; that in a page is in order.test.js',
  'unit/start.test.js': 'a program for Node',
  'unit/types.test.js': 'the compiler of TypeScript',
  'unit/without-buffer.test.js': 'Node that looks like a page',

  'unit/arena.test.js': {
    [MEMORY]: ['copyContents makes no buffer'],
    [PROCESS]: ['dispose an arena keeps nothing of the memory of a heap that is gone'],
  },
  'unit/async-ids.test.js': {
    'compared with async_hooks, in a process of its own': [
      'createHook as Node’s: init, before and after of ticks that queue ticks',
      'createHook as Node’s: two hooks, in the order of enabling',
      'createHook as Node’s: enabled twice is enabled once',
      'createHook as Node’s: disabled before',
      'createHook as Node’s: disabled by a tick in mid-drain',
      'createHook as Node’s: enabled again by a tick in mid-drain',
      'createHook as Node’s: ticks that throw',
    ],
    AsyncLocalStorage: [
      'AsyncVariable follows ticks as AsyncLocalStorage follows process.nextTick',
      'Node’s AsyncLocalStorage by default',
      'Node’s AsyncLocalStorage with hostContext',
    ],
    [PROCESS]: ['AsyncVariable keeps no value that a tick cannot see any more'],
  },
  'unit/encoding.test.js': {
    'a Buffer as what is refused': ['fill repeats the bytes of an empty Buffer'],
  },
  'unit/errors.test.js': {
    'an error of spawn': ['invalidArgType calls a name with a dot a property'],
    'a Buffer as what is refused': ['invalidArgValue shows a Buffer that is empty'],
    [PROCESS]: ['a process of its own'],
  },
  'unit/heap-alloc.test.js': {
    'a Buffer as what is refused': ['alloc fills as Buffer.alloc does with an empty Buffer'],
    'the contents of an object, as util.inspect shows them': [
      'alloc fills as Buffer.alloc does with an empty DataView',
    ],
    [MEMORY]: ['alloc makes nothing resident'],
  },
  'unit/heap-buffer.test.js': {
    [BUFFER]: [
      'a HeapBuffer is a Buffer',
      'a HeapBuffer is shown as a Buffer is',
      ...[
        'read',
        'write',
        'swap',
        'what takes Buffers',
        'toString, ',
        'fill, ',
        'equals',
        'indexOf',
        'copy',
        'toJSON',
      ].map((name) => `Buffer methods give what they give on a Buffer: ${name}`),
      ...['subarray shares', 'slice shares', 'map, ', 'filter, ', 'Uint8Array.prototype.slice'].map(
        (name) => `Buffer methods give what they give on a Buffer: ${name}`,
      ),
    ],
  },
  'unit/heap-debug.test.js': {
    [PROCESS]: [
      'stacks name the functions of the program and none of ours',
      'what was collected, but never freed, is told by check and dispose',
    ],
  },
  'unit/heap-fallback.test.js': {
    [BUFFER]: ['a buffer outside is a Buffer as any'],
    [PROCESS]: ['ERR_HEAP_EXHAUSTED is thrown where the engine has no room either'],
  },
  'unit/heap-free.test.js': {
    [SLICE]: ['free refuses what is part of a buffer, and says of which: slice'],
  },
  'unit/heap-parts.test.js': {
    [SLICE]: [
      /^slice is that of Buffer, from and to (?!3n|Symbol)/,
      'slice is that of Buffer without',
      'slice survives',
      'slice is a HeapBuffer',
      'slice is not fooled',
      'a part that is a slice ',
      'a part that is a part of a part of a part ',
    ],
    [PROCESS]: [
      'a part keeps its buffer from being collected',
      'without Buffer, slice copies and subarray does not',
    ],
  },
  'unit/heap-typed.test.js': {
    [PROCESS]: ['typed views that nobody refers to are collected'],
  },
  'unit/heap-zero-on-free.test.js': {
    [PROCESS]: ['what was collected is cleared'],
  },
  'unit/inline.test.js': {
    [PROCESS]: ['the package holds the module that is beside it'],
  },
  'unit/load.test.js': {
    [FILES]: [
      'createHeap loads a relative path',
      'createHeap loads a path with a space in it',
      /^createHeap says what it could not load: a (file|relative path|directory)/,
      'createHeap says what it could not load: an empty file',
      'createHeap says what it could not load: half a file',
    ],
    'a server': ['over HTTP '],
    [PROCESS]: [
      'createHeap says what it could not load: all WebAssembly is refused',
      'WebAssembly that is not ours is refused',
      'the package ',
    ],
  },
  'unit/process.test.js': {
    [PROCESS]: [
      'emitWarning in Node’s words',
      'nextTick calls with all arguments, once, in order, as Node',
      'nextTick an error reaches the host, and the rest run, as in Node',
      'nextTick may be taken out, and needs no this',
      'nextTick makes its heap at the first tick, not before',
      'useHeap queues on a heap that there is',
      'useHeap keeps the order',
      'useHeap takes the place of a heap that was disposed of',
    ],
  },
  'unit/regions.test.js': {
    [PROCESS]: [
      'onRegion a listener that throws is the host’s to hear of',
      'where the engine refuses memory ',
      'the memory of a dropped region goes back to the system',
    ],
  },
  'unit/ticks-queue.test.js': {
    'the uncaughtException of a process of its own; that of a page is in ticks.test.js': [
      'a tick that throws reaches the host with its id current',
      'a tick that throws may throw anything',
      'a tick that throws ends a program that does not listen',
      'a tick that throws a handler may drain the rest itself',
      'a tick that throws a stack overflow is a RangeError',
    ],
    [PROCESS]: [
      'many 1e7 ticks queued at once run',
      'many a tick that queues itself forever keeps memory flat',
      'many slots are cleared when their tick is taken',
      'hostile surroundings Array.prototype and Object.prototype change nothing',
    ],
  },
};
