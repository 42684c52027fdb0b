/**
 * What every part of the search for a toolchain works with: the machine, the pinned versions, its
 * types and the small helpers. Node's own modules only: the tools run before `npm ci` has.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError, capture, run, runQuietly } from './run.js';

/** @import { RunOptions } from './run.js' */

/** The checkout that these tools belong to. */
export const checkout = realpathSync(fileURLToPath(new URL('..', import.meta.url)));

/**
 * @typedef {'path' | 'EMSDK' | 'emsdk' | 'debian'} ToolchainKind
 *   On PATH; named by $EMSDK; an emsdk in the cache directory; the Debian folder there.
 *
 * @typedef {object} Toolchain
 * @property {ToolchainKind} kind
 * @property {string} version
 * @property {string} where The directory that holds it.
 * @property {(command: string, args?: string[], options?: RunOptions) => Promise<void>} run
 *   Runs a command with this toolchain on this terminal, and rejects unless it ends with 0.
 *   `EMSCRIPTEN_CMAKE_DIR` names the directory of `Emscripten.cmake` for it. In the Debian folder a
 *   command sees the checkout and `cwd` at their own paths, nothing else of the machine, and of the
 *   environment only `options.env`.
 *
 * @typedef {object} Pins
 * @property {string} emscripten
 * @property {{ repository: string, tag: string }} emsdk
 * @property {{ release: string, suite: string, packages: string[] }} debian
 *
 * @typedef {object} Machine What the search depends on, in one place so that tests can stand in.
 * @property {Record<string, string | undefined>} env
 * @property {string} platform
 * @property {boolean} isRoot
 * @property {string} etc
 * @property {typeof capture} capture
 * @property {typeof run} run
 * @property {typeof runQuietly} runQuietly
 *
 * @typedef {(line: string) => void} Log
 *
 * @typedef {object} Search
 * @property {boolean} install
 * @property {Log} log
 * @property {Machine} machine
 * @property {Pins} pins
 * @property {string} cache
 */

/** @returns {Machine} */
export function thisMachine() {
  return {
    env: process.env,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    etc: '/etc',
    capture,
    run,
    runQuietly,
  };
}

/** @returns {Pins} */
export function readPins() {
  return JSON.parse(readFileSync(join(checkout, 'emsdk.lock'), 'utf8'));
}

/** Why one way to a toolchain, or to a package, is closed. The message is a single line. */
export class Unavailable extends Error {
  /** @override */
  name = 'Unavailable';
}

/**
 * The words for a way that is closed; anything else is a fault of these tools and is thrown on.
 *
 * @param {unknown} error
 */
export function reasonOf(error) {
  const { message, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  if (!(error instanceof Unavailable || error instanceof CommandError || syscall)) {
    throw error;
  }
  return message.replace(/\s*\n\s*/g, ' ');
}

/**
 * @param {string} root The directory of an Emscripten.
 * @returns {string | undefined} Its version, if the file that says so is there.
 */
export function versionIn(root) {
  try {
    const text = readFileSync(join(root, 'emscripten-version.txt'), 'utf8');
    return text.trim().replaceAll('"', '');
  } catch {
    return undefined;
  }
}

/** @param {string} path */
export function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
