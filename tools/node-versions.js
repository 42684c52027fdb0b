/**
 * Other versions of Node than this one: npm's packages carry the programs. They are kept in the
 * cache directory. Node's own modules only: the tools run before `npm ci` has.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { thisMachine, Unavailable } from './machine.js';
import { CommandError, cacheDirectory } from './run.js';
import { installOnce } from './shared-cache.js';

/** @import { Log, Machine } from './machine.js' */

/** What the package is tested on: each line that is maintained, and the newest. */
export const supportedVersions = ['20', '22', '24', '26'];

/** @param {string} version */
const isOwn = (version) => process.versions.node.split('.')[0] === version;

/**
 * @param {string} directory
 * @param {Machine} machine
 */
const programIn = (directory, { platform }) =>
  join(directory, 'node_modules', `node-${platform}-${process.arch}`, 'bin', 'node');

/**
 * @param {string} version a major one such as '22', or a whole one
 * @param {{ log?: Log, machine?: Machine }} [options]
 * @returns {Promise<string>} The program, installed if it is not there.
 */
export async function nodeProgram(version, { log = () => {}, machine = thisMachine() } = {}) {
  if (isOwn(version)) return process.execPath;
  const directory = join(cacheDirectory(machine.env), `node-${version}`);
  if (!existsSync(programIn(directory, machine))) {
    await installOnce(directory, {
      log,
      problem: (place) => (existsSync(programIn(place, machine)) ? undefined : 'has no program'),
      build: (place) => install(version, place, machine),
    });
  }
  return programIn(directory, machine);
}

/**
 * @param {string} version
 * @param {string} directory
 * @param {Machine} machine
 */
async function install(version, directory, { platform, runQuietly, env }) {
  const name = `node-${platform}-${process.arch}@${version}`;
  try {
    await runQuietly(
      `Node ${version}`,
      'npm',
      ['install', '--no-audit', '--no-fund', '--prefix', directory, name],
      { env },
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Unavailable(
      `Node ${version} (npm's ${name}) could not be installed: ${error.message}`,
    );
  }
}

/**
 * @param {{ log: Log, machine: Machine }} options
 * @returns {Promise<string[]>} The programs of all versions that the package is tested on.
 */
export async function installNodes(options) {
  const programs = [];
  for (const version of supportedVersions) programs.push(await nodeProgram(version, options));
  return programs;
}
