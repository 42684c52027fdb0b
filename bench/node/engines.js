/** The versions of Node to measure on. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { nodeProgram } from '../../tools/node-versions.js';

const capture = promisify(execFile);

/** @typedef {{ name: string, program: string, v8: string }} Engine */

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
    engines.push(await inspect(await nodeProgram(version)));
  }
  return engines;
}
