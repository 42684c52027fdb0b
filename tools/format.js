/** `npm run format`: puts all sources into the form that the tests ask for. */

import { run } from './run.js';
import { cppFiles } from './sources.js';

await run('clang-format', ['-i', ...cppFiles()]);
await run('node_modules/.bin/biome', ['check', '--write', '.']);
