/** SECURITY.md promises nothing that no test holds. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { boundarySizes, bytesOf, MIB, makeHeap } from '../support/heap.js';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const text = readFileSync(at('SECURITY.md'), 'utf8').replace(/\s+/g, ' ');

describe('SECURITY.md', () => {
  const named = [...text.matchAll(/`(test\/[^`]+)`(?:, "([^"]+)")?/g)];

  test('names tests', () => {
    expect(named.length).toBeGreaterThan(20);
  });

  test.each(named.map(([, file, title]) => [file, title]))(
    'names %s, %p, which is there',
    (file, title) => {
      expect(readFileSync(at(file), 'utf8')).toContain(title ?? '');
    },
  );
});

test('the package has no dependencies', () => {
  const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  expect(Object.keys(manifest)).toEqual(expect.not.arrayContaining(['bundledDependencies']));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect([kind, manifest[kind] ?? {}]).toEqual([kind, {}]);
  }
});

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
