/** What SECURITY.md promises and no other test holds. */

import { expect, test } from '@jest/globals';
import { boundarySizes, bytesOf, MIB, makeHeap } from '../support/heap.js';

test('what is written through stale views reaches none of the allocator', () => {
  const heap = makeHeap({ regionSize: 4 * MIB });
  const sizes = boundarySizes(heap);
  const stale = sizes.map((size) => heap.alloc(size));
  for (const view of stale) heap.free(view);
  for (const [i, view] of stale.entries()) {
    if (i === 60) heap.trim();
    bytesOf(view).fill(0xff);
    expect(heap.check()).toEqual([]);
  }
  const next = sizes.map((size) => heap.alloc(size));
  expect(next.every((view) => bytesOf(view).every((byte) => byte === 0))).toBe(true);
  expect(new Set(next.map((view) => view.byteOffset)).size).toBe(next.length);
  for (const view of next) heap.free(view);
  heap.trim();
  expect(heap.stats().regions[0].inUse).toBe(0);
  expect(heap.check()).toEqual([]);
});
