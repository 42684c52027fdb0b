/**
 * Running other programs. Node's own modules only: the tools run before `npm ci` has.
 */
import { spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/** A program that could not be started, or that ended with anything but 0. */
export class CommandError extends Error {
  /**
   * @param {string} message
   * @param {{ code?: number | null, stdout?: string }} [details]
   */
  constructor(message, { code = null, stdout = '' } = {}) {
    super(message);
    this.name = 'CommandError';
    /** The exit code; null when it never started or a signal ended it. */
    this.code = code;
    /** What it had printed, when that was read. */
    this.stdout = stdout;
  }
}

/**
 * @typedef {object} RunOptions
 * @property {string | undefined} [cwd]
 * @property {Record<string, string | undefined> | undefined} [env] Added to this process's
 *   environment; a variable that is undefined here is taken out of it.
 * @property {string | undefined} [shownAs] What a failure calls the command, when the command line
 *   itself would not help.
 */

/**
 * The directory shared by every clone: toolchains and logs.
 *
 * @param {Record<string, string | undefined>} [env]
 */
export function cacheDirectory(env = process.env) {
  if (env.SLABRING_CACHE) {
    return resolve(env.SLABRING_CACHE);
  }
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'slabring');
}

/**
 * Runs a program on this terminal.
 *
 * @param {string} command
 * @param {string[]} [args]
 * @param {RunOptions} [options]
 * @returns {Promise<void>} Rejects with a {@link CommandError} unless it ends with 0.
 */
export async function run(command, args = [], options = {}) {
  const child = start(command, args, options, 'inherit');
  throwUnlessZero(options.shownAs ?? [command, ...args].join(' '), await ending(child));
}

/**
 * Runs a program that may take long and whose output nobody needs unless it fails: shows the
 * seconds that pass, keeps the output in a log, and shows the log's path and end on failure.
 *
 * @param {string} title
 * @param {string} command
 * @param {string[]} [args]
 * @param {RunOptions & { output?: { isTTY?: boolean, write(text: string): unknown } }} [options]
 * @returns {Promise<void>} Rejects with a {@link CommandError} unless it ends with 0.
 */
export async function runQuietly(title, command, args = [], options = {}) {
  const output = options.output ?? process.stdout;
  const path = logPath(title, { ...process.env, ...options.env });
  const log = openSync(path, 'w');
  const started = performance.now();
  const elapsed = () => `${Math.round((performance.now() - started) / 1000)} s`;
  // A terminal shows one line that is written over; a file or a pipe gets a line now and then.
  const terminal = output.isTTY === true;
  const show = (/** @type {string} */ text) => output.write(terminal ? `\r${text}` : `${text}\n`);
  const finish = (/** @type {string} */ text) => output.write(`${terminal ? '\r' : ''}${text}\n`);
  show(`${title} ...`);
  const ticker = setInterval(() => show(`${title} ... ${elapsed()}`), terminal ? 1000 : 10_000);
  try {
    const child = start(command, args, options, ['ignore', log, log]);
    throwUnlessZero(title, await ending(child));
    finish(`${title}: done in ${elapsed()}`);
    rmSync(path);
  } catch (error) {
    finish(`${title}: failed after ${elapsed()}; the end of ${path}:\n${lastLines(path)}`);
    if (error instanceof CommandError) {
      error.message += ` (its output: ${path})`;
    }
    throw error;
  } finally {
    clearInterval(ticker);
    closeSync(log);
  }
}

/**
 * Reads what a program prints.
 *
 * @param {string} command
 * @param {string[]} [args]
 * @param {RunOptions & { timeout?: number }} [options] `timeout`, in milliseconds, ends the program
 *   and everything that it started.
 * @returns {Promise<string>} Its standard output, trimmed. Rejects with a {@link CommandError}
 *   unless it ends with 0.
 */
export async function capture(command, args = [], options = {}) {
  // A group of its own can be ended whole: a grandchild left over would keep the pipe open.
  const detached = options.timeout !== undefined;
  const child = start(command, args, options, ['ignore', 'pipe', 'pipe'], detached);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  let timedOut = false;
  const timer =
    options.timeout &&
    setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) {
        process.kill(-child.pid, 'SIGKILL');
      }
    }, options.timeout);
  const end = await ending(child);
  clearTimeout(timer || undefined);
  if (timedOut) {
    throw new CommandError(
      `${options.shownAs ?? basename(command)}: no answer in ${options.timeout} ms`,
      { stdout },
    );
  }
  throwUnlessZero(options.shownAs ?? [command, ...args].join(' '), end, { stdout, stderr });
  return stdout.trim();
}

/**
 * Where a command is, as the shell would find it.
 *
 * @param {string} name
 * @param {Record<string, string | undefined>} [env]
 * @returns {string | undefined}
 */
export function findCommand(name, env = process.env) {
  for (const directory of (env.PATH ?? '').split(':').filter(Boolean)) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) {
        return path;
      }
    } catch {
      // Not in this directory.
    }
  }
  return undefined;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @param {import('node:child_process').StdioOptions} stdio
 */
function start(command, args, { cwd, env }, stdio, detached = false) {
  return spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio, detached });
}

/**
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null, error?: Error }} Ending
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<Ending>}
 */
function ending(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, error }));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}

/**
 * @param {string} shown
 * @param {Ending} end
 * @param {{ stdout?: string, stderr?: string }} [outputs]
 */
function throwUnlessZero(shown, { code, signal, error }, { stdout, stderr } = {}) {
  if (code === 0) {
    return;
  }
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
  const why = error ? `could not be started: ${error.message}` : how;
  const last = stderr?.trim().split('\n').at(-1);
  throw new CommandError(`${shown}: ${why}${last ? `: ${last}` : ''}`, { code, stdout });
}

/**
 * @param {string} title
 * @param {Record<string, string | undefined>} env
 */
function logPath(title, env) {
  const name = `${title.toLowerCase().replace(/[^a-z0-9.]+/g, '-')}-${process.pid}.log`;
  for (const directory of [join(cacheDirectory(env), 'logs'), tmpdir()]) {
    try {
      mkdirSync(directory, { recursive: true });
      accessSync(directory, constants.W_OK);
      return join(directory, name);
    } catch {
      // A cache that belongs to somebody else can be used all the same, without its logs.
    }
  }
  throw new Error(`no directory for logs can be written: ${cacheDirectory(env)}, ${tmpdir()}`);
}

/** @param {string} path */
function lastLines(path) {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-15)
    .map((line) => `  ${line}`)
    .join('\n');
}
