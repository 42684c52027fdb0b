/** What each engine's file gives, and what they share. */

import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { findCommand } from '../run.js';

/**
 * @typedef {object} BrowserDriver
 * @property {string} version
 * @property {(url: string, view: View) => Promise<PageDriver>} open
 * @property {() => Promise<void>} close
 *
 * @typedef {object} View
 * @property {number} [width] of the page, CSS pixels
 * @property {number} [height]
 * @property {'light' | 'dark'} [colours] that the page is told the system has; Chromium only
 *
 * @typedef {object} PageDriver
 * @property {(expression: string) => Promise<string>} evaluate the value of a promise of a string
 * @property {(path: string, whole: boolean) => Promise<void>} screenshot
 * @property {(key: Key) => Promise<void>} press
 * @property {() => Promise<void>} close
 *
 * @typedef {'Tab' | 'Shift+Tab' | 'Enter' | 'Space' | 'Escape' | 'ArrowDown'} Key
 */

export const WIDTH = 1280;
export const HEIGHT = 800;

/**
 * @param {string[]} names of commands, any of which will do
 * @param {string} debianPackage
 */
export function requireCommand(names, debianPackage) {
  for (const name of names) {
    const path = findCommand(name);
    if (path !== undefined) return path;
  }
  throw new Error(
    `no ${names.join(' or ')} on PATH: run "node tools/setup.js --tests", or install what Debian calls ${debianPackage}`,
  );
}

/** A browser that has not come up by then never will. */
const START_TIMEOUT = 45_000;

/**
 * Starts a browser, and once more where it hangs: about one Firefox in a hundred does on a busy
 * machine. An error of its own is thrown on.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} start ends what it started, and rejects, when the
 *   signal comes
 * @param {{ timeout?: number, attempts?: number }} [options]
 * @returns {Promise<T>}
 */
export async function startInTime(start, { timeout = START_TIMEOUT, attempts = 2 } = {}) {
  for (let attempt = 1; ; attempt++) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeout);
    try {
      return await start(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted || attempt === attempts) throw error;
    } finally {
      // Past the start the signal must never come.
      clearTimeout(timer);
    }
  }
}

/**
 * A command line whose process ends when this one does, however that ends: a program that was killed
 * can clean up nothing. Where there is no setpriv it is the command line as it is.
 * @param {string} command
 * @param {string[]} args
 * @returns {[command: string, args: string[]]}
 */
function endingWithUs(command, args) {
  const setpriv = findCommand('setpriv');
  return setpriv ? [setpriv, ['--pdeathsig', 'KILL', command, ...args]] : [command, args];
}

/**
 * A program that runs as long as it is needed.
 */
export class Companion {
  #child;
  #title;
  #output = '';
  /** @type {Promise<void>} */
  #ended;

  /**
   * @param {string} command
   * @param {string[]} args
   * @param {object} [options]
   * @param {Record<string, string | undefined>} [options.env] added to this process's
   * @param {number} [options.pipes] how many descriptors after the standard ones it writes to
   */
  constructor(command, args, { env, pipes = 0 } = {}) {
    this.#title = basename(command);
    const [program, all] = endingWithUs(command, args);
    this.#child = spawn(program, all, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...Array(pipes).fill('pipe')],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.#output = (this.#output + text).slice(-2000);
      });
    }
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#output += error.message;
        resolve();
      });
      this.#child.once('exit', () => resolve());
    });
  }

  /**
   * What `ready` gives, unless the program ends before.
   * @template T
   * @param {Promise<T>} ready
   * @returns {Promise<T>}
   */
  async once(ready) {
    const early = this.#ended.then(() => {
      throw new Error(
        `${this.#title} ended before it was ready: ${this.#output.trim() || 'it said nothing'}`,
      );
    });
    return Promise.race([ready, early]);
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The first line that it writes to a descriptor. @param {number} descriptor */
  firstLine(descriptor) {
    const stream = /** @type {import('node:stream').Readable} */ (this.#child.stdio[descriptor]);
    let text = '';
    return this.once(
      new Promise((resolve) => {
        stream.setEncoding('utf8').on('data', (part) => {
          text += part;
          if (text.includes('\n')) resolve(text.split('\n', 1)[0]);
        });
      }),
    );
  }

  async end() {
    if (!this.running) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await this.#ended;
    clearTimeout(timer);
  }
}
