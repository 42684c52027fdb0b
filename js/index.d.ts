/**
 * Buffers, arenas, ticks and ids in WebAssembly linear memory.
 *
 * @module
 */

export { Arena, type ArenaOptions, type ViewConstructor } from './arena.js';
export type { AsyncHook, AsyncHookCallbacks } from './async-hooks.js';
export type { AsyncIds } from './async-ids.js';
export type {
  AsyncVariable,
  AsyncVariableConstructor,
  AsyncVariableOptions,
} from './async-variable.js';
export type { EncodingName } from './encoding.js';
export {
  type Alignment,
  type BlockStats,
  type BufferStats,
  createHeap,
  createHeapSync,
  Heap,
  type HeapOptions,
  type HeapStats,
  type LoadOptions,
  type RegionStats,
  type SizeClassStats,
} from './heap.js';
export { HeapBuffer } from './heap-buffer.js';
export type { WasmBytes, WasmModule, WasmSource } from './load.js';
export type { Exports } from './region.js';
export type { RegionEvent } from './regions.js';
export type { Scope } from './scope.js';
export type { TickQueue } from './tick-queue.js';
export type { Owned, TypedArray, TypedArrayConstructor } from './views.js';
