/** SECURITY.md promises nothing that no test holds. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

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
