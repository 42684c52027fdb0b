/** The C++ files that have a form to keep, and some of them, by folder. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} folder @param {RegExp} name */
export const filesIn = (folder, name) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .sort()
    .map((file) => join(folder, file));

export const cppFiles = () =>
  ['bench', 'cpp', 'test', 'examples', 'web'].flatMap((folder) => filesIn(folder, /\.[ch]pp$/));
