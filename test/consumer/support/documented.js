/**
 * The files and commands that docs/bundlers.md tells a user to write: the tests run these, so that
 * no test can pass with others. A block's first line says which file it is.
 */

import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../../docs/bundlers.md', import.meta.url), 'utf8');

const FILE_NAME = /^(?:\/\/|#|<!--) (\S+\.\w+)(?: -->)?\n/;

/**
 * @param {string} title of a section
 * @returns {{ files: Record<string, string>, commands: string[][] }}
 */
export function documented(title) {
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/bundlers.md has no section "${title}"`);
  const files = {};
  const commands = [];
  for (const [, label, block] of section.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    if (label === 'sh') {
      const lines = block.trim().split('\n');
      commands.push(...lines.map((line) => line.replace(/ +#.*/, '').split(' ')));
      continue;
    }
    const name = FILE_NAME.exec(block)?.[1];
    if (name === undefined) throw new Error(`a block of "${title}" does not name its file`);
    files[name] = block.replace(FILE_NAME, '');
  }
  return { files, commands };
}
