/** A project whose tests are Jest's: each of its files has a realm of its own. */

import { describe, expect, test } from '@jest/globals';
import { nodes } from '../support/nodes.js';
import { useConsumer } from './support/consumer.js';
import { documented } from './support/documented.js';

const { files: config, commands } = documented('Jest');

const files = {
  ...config,

  'heap.test.js': `
    import { createHeap } from 'slabring';
    import * as inline from 'slabring/inline';

    let heap;
    beforeAll(async () => {
      heap = await createHeap({ maxBytes: 2 ** 24, regionSize: 2 ** 24 });
    });
    afterAll(() => heap.dispose());

    test('buffers are Buffers of this realm', () => {
      const buffer = heap.from('abc');
      expect(Buffer.isBuffer(buffer)).toBe(true);
      expect(buffer).toBeInstanceOf(Buffer);
      // Buffer is of the outer realm, as Jest's own environment has it, and so is its Uint8Array.
      expect(buffer instanceof Uint8Array).toBe(Buffer.from('abc') instanceof Uint8Array);
      expect(heap.typed(Float64Array, 2)).toBeInstanceOf(Float64Array);
      expect(heap.typed(Float64Array, 2)).toEqual(new Float64Array(2));
    });

    test('arrays of this realm go in', () => {
      expect(heap.from(Uint8Array.of(1, 2)).equals(Buffer.from([1, 2]))).toBe(true);
      expect([...heap.from(Uint8Array.of(1, 2).buffer)]).toEqual([1, 2]);
      expect([...heap.from([3, 4])]).toEqual([3, 4]);
      expect(heap.alloc(4, Uint8Array.of(5)).toString('hex')).toBe('05050505');
    });

    test('buffers equal, and copies are ArrayBuffers', () => {
      expect(heap.from('abc').equals(Buffer.from('abc'))).toBe(true);
      expect(heap.from('abc').toString()).toBe('abc');
      expect(Buffer.from(heap.from('abc').toArrayBuffer()).toString()).toBe('abc');
    });

    test('errors are Errors of this realm, with codes', () => {
      expect(() => heap.alloc(-1)).toThrow(RangeError);
      expect(() => heap.alloc('1')).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }));
      const buffer = heap.alloc(1);
      buffer.free();
      expect(() => buffer.free()).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_FREED' }));
    });

    test('ticks', async () => {
      const order = [];
      await new Promise((resolve) => {
        setTimeout(() => {
          heap.nextTick(() => order.push('tick'));
          queueMicrotask(() => order.push('microtask'));
          setTimeout(resolve);
        });
      });
      expect(order).toEqual(['tick', 'microtask']);
    });

    test('the module inside of the JavaScript', () => {
      const other = inline.createHeapSync(undefined, { regionSize: 2 ** 24 });
      expect(other.from('abc')).toBeInstanceOf(inline.HeapBuffer);
      expect(() => heap.free(other.alloc(1))).toThrow(
        expect.objectContaining({ code: 'ERR_NOT_IN_HEAP' }),
      );
      other.dispose();
    });
  `,

  'another.test.js': `
    import { createHeapSync } from 'slabring/inline';
    import { expect, jest, test } from '@jest/globals';

    test('a mocked clock does not hold ticks', () => {
      jest.useFakeTimers({ doNotFake: ['nextTick'] });
      const heap = createHeapSync(undefined, { regionSize: 2 ** 24 });
      const tick = jest.fn();
      heap.nextTick(tick, 1);
      heap.ticks.drain();
      expect(tick.mock.calls).toEqual([[1]]);
    });
  `,
};

describe.each(nodes)('a Jest project, Node %s', (_version, program) => {
  const consumer = useConsumer({ files, tools: ['jest', '@jest/globals'] });

  test('passes', async () => {
    const [node, ...args] = commands[0];
    expect(node).toBe('node');
    const { status, stderr } = await consumer.run(program, [...args, '--ci', '-i']);
    expect(stderr).toContain('Tests:       7 passed, 7 total');
    expect(status).toBe(0);
  });
});
