/** The types of the other entries. */

import type * as slabring from 'slabring';
import type { Heap } from 'slabring';
import * as inline from 'slabring/inline';
import process, * as names from 'slabring/process';
import { expectAssignable, expectError, expectType } from 'tsd';

// slabring/inline: all of slabring; the module may be left out.
expectAssignable<keyof typeof inline>('' as keyof typeof slabring);
expectType<Promise<Heap>>(inline.createHeap({ regionSize: 2 ** 20 }));
expectType<Heap>(inline.createHeapSync());
expectType<Heap>(inline.createHeapSync(undefined, { debug: true }));
expectError(inline.createHeapSync('slabring.wasm'));
expectAssignable<typeof slabring.Heap>(inline.Heap);

// slabring/process.
expectType<void>(names.useHeap(inline.createHeapSync()));
expectError(names.useHeap({}));
expectType<void>(process.nextTick((a: number) => a, 1));
expectType<void>(names.nextTick(() => {}));
expectError(names.nextTick(1));
expectType<string | undefined>(process.env.HOME);
expectType<true>(process.browser);
expectType<'browser'>(process.title);
expectType<'browser'>(process.platform);
expectType<''>(process.version);
expectType<string[]>(process.argv);
expectType<undefined>(process.stdout);
expectType<undefined>(process.stderr);
expectType<string>(process.cwd());
expectType<number>(process.umask());
expectType<number>(process.uptime());
expectType<[number, number]>(process.hrtime([1, 2]));
expectType<bigint>(process.hrtime.bigint());
expectError(process.hrtime(1));
expectType<void>(process.emitWarning('text', { code: 'X' }));
expectError(process.emitWarning(1));
expectType<typeof process>(process.on('exit', () => {}).off('exit'));
expectType<boolean>(process.emit('exit', 0));
expectType<number>(process.listenerCount('exit'));
expectType<never>(process.chdir('/'));
