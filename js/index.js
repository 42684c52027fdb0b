/**
 * Buffers, arenas, ticks and ids in WebAssembly linear memory.
 *
 * @module
 */

/** @typedef {import('./heap.js').HeapOptions} HeapOptions */
/** @typedef {import('./heap.js').Alignment} Alignment */
/** @typedef {import('./load.js').WasmBytes} WasmBytes */
/** @typedef {import('./load.js').WasmModule} WasmModule */
/** @typedef {import('./load.js').WasmSource} WasmSource */
/** @typedef {import('./tick-queue.js').TickQueue} TickQueue */

export { Arena } from './arena.js';
export { createHeap, createHeapSync, Heap } from './heap.js';
export { HeapBuffer } from './heap-buffer.js';
