export { Arena } from './arena.js';
export { createHeap, createHeapSync, Heap } from './heap.js';
export { HeapBuffer } from './heap-buffer.js';
