/**
 * The cache directory, shared by clones that may set up at the same time.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfThere, Unavailable } from './machine.js';
import { capture } from './run.js';

/** @import { Log } from './machine.js' */

/**
 * @param {string | undefined} problem
 * @param {string} subject
 */
export function requireWhole(problem, subject) {
  if (problem) {
    throw new Unavailable(`${subject} ${problem}`);
  }
}

/**
 * Makes a directory of the cache unless another clone has made it meanwhile. It is built beside its
 * place and renamed, so that whoever looks finds all of it or nothing.
 *
 * @param {string} directory
 * @param {object} how
 * @param {Log} how.log
 * @param {(directory: string) => string | undefined} how.problem
 * @param {(directory: string) => Promise<void>} how.build
 */
export async function installOnce(directory, { log, problem, build }) {
  await mkdir(dirname(directory), { recursive: true });
  await withLock(`${directory}.lock`, { log }, async () => {
    const fault = problem(directory);
    if (!fault) {
      return;
    }
    await removeLeftovers(directory);
    const partial = `${directory}.partial-${process.pid}`;
    const old = `${partial}-old`;
    try {
      await build(partial);
      requireWhole(problem(partial), `what was installed for ${basename(directory)}`);
      if (existsSync(directory)) {
        log(`${directory} ${fault}: replaced`);
        await rename(directory, old);
      }
      await rename(partial, directory);
    } finally {
      await removeTrees([partial, `${partial}.tar`, old]);
      await removeLeftovers(directory);
    }
  });
}

/**
 * What installations that died have left.
 *
 * @param {string} directory
 */
async function removeLeftovers(directory) {
  const prefix = `${basename(directory)}.partial-`;
  const left = readdirSync(dirname(directory)).filter(
    (name) => name.startsWith(prefix) && !startTime(Number.parseInt(name.slice(prefix.length), 10)),
  );
  await removeTrees(left.map((name) => join(dirname(directory), name)));
}

/** @param {string[]} paths */
async function removeTrees(paths) {
  const there = paths.filter((path) => existsSync(path));
  if (there.length > 0) {
    // Should a mount have been left in one, what is mounted there is spared. What cannot be removed
    // (a program whose parent was killed may still write there) is left to the next installation.
    await capture('rm', ['-rf', '--one-file-system', ...there]).catch(() => {});
  }
}

/**
 * Runs an action while no other process runs one under the same path. A lock whose process is dead
 * is taken over. (Two that take over at the very same moment could both go on: what the lock saves
 * is work, and the renaming in `installOnce` keeps the result right.)
 *
 * @template T
 * @param {string} path
 * @param {{ log: Log, interval?: number }} options
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(path, { log, interval = 500 }, action) {
  const mine = { host: hostname(), pid: process.pid, started: startTime(process.pid) };
  for (let waited = false; ; ) {
    try {
      await writeFile(path, JSON.stringify(mine), { flag: 'wx' });
      break;
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) {
        throw error;
      }
    }
    const owner = await lockOwner(path);
    if (owner === undefined) {
      // It has just been given back.
    } else if (isAbandoned(owner)) {
      log(`${path}: left by process ${owner.pid}, which is gone; taken over`);
      await rm(path, { force: true });
    } else {
      if (!waited) {
        log(`waiting for process ${owner.pid} on ${owner.host}, which holds ${path}`);
        waited = true;
      }
      await sleep(interval);
    }
  }
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * @param {string} path
 * @returns {Promise<{ host: string, pid: number, started?: string, age: number } | undefined>}
 */
async function lockOwner(path) {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    const text = await readFile(path, 'utf8');
    // Empty for the moment between its creation and its writing, or for good after a crash there.
    return { host: '?', pid: 0, ...(text ? JSON.parse(text) : {}), age };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

/** @param {{ host: string, pid: number, started?: string, age: number }} owner */
function isAbandoned({ host, pid, started, age }) {
  if (host === hostname()) {
    // Its process id may have gone to another process since.
    const now = startTime(pid);
    return now === undefined || (now !== 'unknown' && now !== started);
  }
  // Another machine's process cannot be looked at: no installation takes this long.
  return age > (pid === 0 ? 10_000 : 3_600_000);
}

/**
 * When a process began, in the system's own unit.
 *
 * @param {number} pid
 * @returns {string | undefined} Nothing when it does not exist.
 */
function startTime(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isSystemError(error, 'EPERM')) {
      return undefined;
    }
  }
  // The name in the second field may hold blanks and brackets; the time is the 22nd.
  const fields = readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields[19] ?? 'unknown';
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isSystemError(error, code) {
  return /** @type {NodeJS.ErrnoException} */ (error).code === code;
}
