/** What `npm start` shows. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

test('the example runs to its end, and counts and sums as JavaScript and zlib do', () => {
  const output = execFileSync(
    process.execPath,
    [at('../../examples/text/text.js'), at('../../README.md')],
    { encoding: 'utf8', timeout: 60_000 },
  );
  expect(output).toContain('both as counted by JavaScript and by zlib');
  expect(output).toMatch(/allocUnsafe\(8192\) +[\d.]+ +[\d.]+ +[\d.]+x/);
});
