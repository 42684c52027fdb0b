/** The versions of Node to measure on: npm's packages carry the programs. */

import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../../tools/run.js';

const capture = promisify(execFile);

/** @typedef {{ name: string, program: string, v8: string }} Engine */

/** @param {string} path */
const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * @param {string} version such as '22'
 * @returns {Promise<string>} the program, installed into the cache directory if it is not there
 */
async function programOf(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cacheDirectory(), `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (!(await exists(program))) {
    await mkdir(folder, { recursive: true });
    const install = ['install', '--no-audit', '--no-fund', '--prefix', folder];
    await capture('npm', [...install, `${name}@${version}`]);
  }
  return program;
}

/**
 * @param {string} program
 * @returns {Promise<Engine>}
 */
async function inspect(program) {
  const { stdout } = await capture(program, ['-p', 'JSON.stringify(process.versions)']);
  const { node, v8 } = JSON.parse(stdout);
  return { name: `node ${node}`, program, v8 };
}

/**
 * @param {string | undefined} versions such as '20,22': majors or whole versions; undefined is the
 *   Node that runs this
 * @returns {Promise<Engine[]>}
 */
export async function enginesOf(versions) {
  if (versions === undefined) return [await inspect(process.execPath)];
  /** @type {Engine[]} */
  const engines = [];
  for (const version of versions.split(',')) {
    if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Error(`--node ${version}: not a version`);
    const isOwn = process.versions.node.split('.')[0] === version;
    engines.push(await inspect(isOwn ? process.execPath : await programOf(version)));
  }
  return engines;
}
