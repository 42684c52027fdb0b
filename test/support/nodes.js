/** The Nodes that the tests of the garbage collector run on. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../build/node-versions', import.meta.url));

function installed() {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { recursive: true })
    .filter((path) => /[\\/]bin[\\/]node$/.test(path))
    .map((path) => join(FOLDER, path));
}

/**
 * [version, program] of this one, and of those in SLABRING_NODES (paths, with colons between) or
 * else under build/node-versions/; each version once.
 * @returns {[string, string][]}
 */
export function nodes() {
  const { SLABRING_NODES: listed } = process.env;
  const others = listed === undefined ? installed() : listed.split(delimiter).filter(Boolean);
  const found = new Map([[process.version, process.execPath]]);
  for (const program of others) {
    const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8', env: {} });
    if (error) throw error;
    const version = stdout.trim();
    if (!found.has(version)) found.set(version, program);
  }
  return [...found];
}
