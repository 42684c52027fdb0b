/** What the types say, by tsd: test/types/. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as slabring from 'slabring';

const root = new URL('../../', import.meta.url);

test('what is right is accepted, what is wrong refused, with the types meant', () => {
  // In a process of its own: inside of Jest it takes a minute.
  const { status, stdout, stderr } = spawnSync(
    'node_modules/.bin/tsd',
    ['--typings', 'dist/slabring.d.ts', '--files', 'test/types/*.test-d.ts'],
    { cwd: root, encoding: 'utf8' },
  );
  expect([stdout, stderr, status]).toEqual(['', '', 0]);
}, 120_000);

test('every name that is exported has a type and is in those tests, and no other is a value', () => {
  const types = readFileSync(new URL('dist/slabring.d.ts', root), 'utf8');
  const tests = readFileSync(new URL('test/types/slabring.test-d.ts', root), 'utf8');
  const lists = [...types.matchAll(/^export (type )?\{ (.*) \};$/gm)];
  const names = lists.flatMap(([, type, list]) =>
    list.split(', ').map((name) => (type === undefined ? name : `type ${name}`)),
  );
  const values = names.filter((name) => !name.startsWith('type '));
  expect(values.sort()).toEqual(Object.keys(slabring).sort());
  for (const name of names) {
    const uses = tests.match(new RegExp(`\\b${name.replace('type ', '')}\\b`, 'g')) ?? [];
    expect([name, uses.length > 1]).toEqual([name, true]);
  }
});
