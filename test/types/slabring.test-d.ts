/** The types of the package, checked by tsd: what is right, and what must be refused. */

import { readFileSync } from 'node:fs';
import {
  type Alignment,
  Arena,
  type ArenaOptions,
  type AsyncHook,
  type AsyncHookCallbacks,
  type AsyncIds,
  type AsyncVariable,
  type AsyncVariableConstructor,
  type AsyncVariableOptions,
  type BlockStats,
  type BufferStats,
  createHeap,
  createHeapSync,
  type EncodingName,
  type Exports,
  Heap,
  HeapBuffer,
  type HeapOptions,
  type HeapStats,
  type LoadOptions,
  type Owned,
  type RegionEvent,
  type RegionStats,
  type Scope,
  type SizeClassStats,
  type TickQueue,
  type TypedArray,
  type TypedArrayConstructor,
  type ViewConstructor,
  type WasmBytes,
  type WasmModule,
  type WasmSource,
} from 'slabring';
import { expectAssignable, expectError, expectNotAssignable, expectType } from 'tsd';

// Making a heap.
const heap = await createHeap();
expectType<Heap>(heap);
expectType<Promise<Heap>>(createHeap({ regionSize: 2 ** 20, maxBytes: 2 ** 30, wasm: 'x.wasm' }));
expectType<Heap>(createHeapSync(readFileSync('slabring.wasm'), { onExhausted: 'fallback' }));
expectAssignable<HeapOptions>({ debug: true, zeroOnFree: true, hostContext: true, poolSize: 0 });
expectNotAssignable<HeapOptions>({ onExhausted: 'ignore' });
expectNotAssignable<HeapOptions>({ debug: 1 });
expectAssignable<LoadOptions>({ wasm: Promise.resolve(new URL('x:y')) });
expectNotAssignable<LoadOptions>({ wasm: 5 });
expectAssignable<WasmSource>(new Response());
expectAssignable<WasmBytes>(new SharedArrayBuffer(1));
expectAssignable<WasmSource>({} as WasmModule);
expectError(createHeap({ regionsize: 1 }));
expectError(createHeapSync());
// Nobody constructs these.
expectNotAssignable<abstract new (...args: never) => unknown>(Heap);
expectNotAssignable<abstract new (...args: never) => unknown>(HeapBuffer);
expectNotAssignable<abstract new (...args: never) => unknown>(Arena);

// alloc.
expectType<HeapBuffer>(heap.alloc(1));
expectType<HeapBuffer>(heap.alloc(1, 0));
expectType<HeapBuffer>(heap.alloc(1, new Uint8Array(2)));
expectType<HeapBuffer>(heap.alloc(1, 'ab', 'hex'));
expectError(heap.alloc());
expectError(heap.alloc('1'));
expectError(heap.alloc(1, 1, 'hex'));
expectError(heap.alloc(1, 'ab', 'utf9'));
expectAssignable<EncodingName>('utf-16le');
expectNotAssignable<EncodingName>('buffer');
expectType<HeapBuffer>(heap.allocUnsafe(1, { alignment: 64 }));
expectType<HeapBuffer>(heap.allocUnsafeSlow(1));
expectAssignable<Alignment>({});
expectError(heap.allocUnsafe(1, { alignment: '64' }));

// from.
expectType<HeapBuffer>(heap.from('text'));
expectType<HeapBuffer>(heap.from('text', 'base64url'));
expectType<HeapBuffer>(heap.from(new ArrayBuffer(8), 1, 2));
expectType<HeapBuffer>(heap.from([1, 2]));
expectType<HeapBuffer>(heap.from(new Set([1, 2])));
expectType<HeapBuffer>(heap.from(new Float64Array(2)));
expectType<HeapBuffer>(heap.from({ type: 'Buffer', data: [1] }));
expectType<HeapBuffer>(heap.from({ [Symbol.toPrimitive]: () => 'text' }));
expectError(heap.from());
expectError(heap.from('text', 'utf9'));
expectError(heap.from(undefined));

// What is returned: a Buffer where there is one, of an ArrayBuffer.
const buffer = heap.alloc(8);
expectAssignable<Buffer>(buffer);
expectAssignable<Uint8Array<ArrayBuffer>>(buffer);
expectType<number>(buffer.writeUInt32LE(1));
expectType<HeapBuffer>(buffer.subarray(1));
expectType<ArrayBuffer>(buffer.toArrayBuffer());
expectType<boolean>(buffer.inHeap);
expectType<void>(buffer.free());
expectType<void>(buffer[Symbol.dispose]());
expectError(buffer.fre());
{
  using scratch = heap.alloc(1);
  expectType<HeapBuffer>(scratch);
}

// typed.
expectAssignable<Float64Array<ArrayBuffer> & Owned>(heap.typed(Float64Array, 3));
expectAssignable<BigInt64Array>(heap.typed(BigInt64Array, 3));
expectAssignable<DataView>(heap.typed(DataView, 3));
expectType<bigint>(heap.typed(BigUint64Array, 1)[0] as bigint);
expectType<void>(heap.typed(Int8Array, 1).free());
expectNotAssignable<Float32Array>(heap.typed(Float64Array, 3));
expectError(heap.typed(Array, 3));
expectError(heap.typed(Float64Array));
expectAssignable<TypedArray>(new Int16Array(1));
expectNotAssignable<TypedArray>(new DataView(new ArrayBuffer(1)));
expectAssignable<TypedArrayConstructor<Uint16Array>>(Uint16Array);
expectAssignable<ViewConstructor<DataView>>(DataView);

// Lifetimes.
expectType<void>(heap.free(buffer));
expectError(heap.free('buffer'));
expectType<HeapBuffer>(heap.keep(buffer));
expectType<number>(heap.scope((scope) => scope.alloc(1).length));
expectType<Promise<string>>(heap.scope(async ({ from }: Scope) => from('x').toString()));
expectError(heap.scope());
expectType<number>(heap.retained(buffer));
expectType<Exports>(heap.exportsOf(buffer));
expectType<() => void>(heap.onRegion((event) => expectType<RegionEvent>(event)));
expectType<string[]>(heap.check());
expectType<void>(heap.trim());
expectType<string[]>(heap.dispose());

// stats.
const stats = heap.stats();
expectType<HeapStats>(stats);
expectType<BufferStats>(stats.live);
expectType<RegionStats[]>(stats.regions);
expectType<SizeClassStats[]>(stats.sizeClasses);
expectAssignable<BlockStats | undefined>(stats.regions[0]?.live);
expectType<number>(stats.fallbacks);
expectError(stats.live.blocks);

// Arenas.
const arena = heap.arena({ size: 1024 });
expectType<Arena>(arena);
expectAssignable<ArenaOptions>({});
expectError(heap.arena({ length: 1 }));
expectType<number>(arena.alloc(8, 16));
expectType<number>(arena.allocZeroed(8));
expectType<Float64Array<ArrayBuffer>>(arena.view(Float64Array<ArrayBuffer>, 16, 1));
expectType<void>(arena.copyContents(16, 8, new Uint8Array(8), 0));
expectError(arena.copyContents(16, 8, [1, 2]));
expectType<HeapBuffer>(arena.materialize(16, 8));
expectType<void>(arena.reset(arena.mark()));
expectType<[number, number, number, number, number]>([
  arena.used,
  arena.highWater,
  arena.size,
  arena.handle,
  arena.address(16),
]);
expectType<Exports>(arena.exports);
expectType<void>(arena[Symbol.dispose]());

// Ticks, ids, hooks, variables.
expectType<void>(heap.nextTick((a: number, b: string) => a + b.length, 1, 'x'));
expectError(heap.nextTick());
expectError(heap.nextTick('x'));
expectType<TickQueue>(heap.ticks);
expectType<number>(heap.ticks.size);
expectType<void>(heap.ticks.drain());
expectType<AsyncIds>(heap.asyncIds);
expectType<boolean>(heap.asyncIds.pop(heap.asyncIds.newAsyncId()));
expectType<void>(heap.asyncIds.push(2, 1, {}));
expectError(heap.asyncIds.push(2));
const callbacks: AsyncHookCallbacks = { init: (id, type, trigger) => void [id, type, trigger] };
expectType<AsyncHook>(heap.createHook(callbacks).enable());
expectError(heap.createHook({ init: 1 }));
expectType<AsyncVariableConstructor>(heap.AsyncVariable);
const options: AsyncVariableOptions<number> = { name: 'request', defaultValue: 0 };
const variable = new heap.AsyncVariable(options);
expectType<AsyncVariable<number>>(variable);
expectType<number>(variable.get());
expectType<string>(variable.run(1, (text: string) => text, 'x'));
expectError(variable.run('1', () => {}));
