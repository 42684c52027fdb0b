/** `npm run format`: puts all sources into the form that the tests ask for. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

const cpp = ['cpp', 'test/native', 'examples'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[ch]pp$/.test(file))
    .map((file) => join(folder, file)),
);
await run('clang-format', ['-i', ...cpp]);
await run('node_modules/.bin/biome', ['check', '--write', '.']);
