/**
 * A project of somebody else's: an empty folder into which npm installs the tarball. The rest comes
 * from the checkout, as its lock file has it: tools are linked, what is bundled is copied.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { checkout } from '../../../tools/machine.js';
import { capture } from '../../../tools/run.js';

/**
 * What a test's consumers have in common: made before the tests of the block, gone after them.
 * @param {{ files?: Record<string, string>, tools?: string[], packages?: string[] }} contents
 */
export function useConsumer(contents) {
  const consumer = new Consumer();
  beforeAll(() => consumer.install(contents));
  afterAll(() => consumer.remove());
  return consumer;
}

const manifestIn = async (folder) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

export class Consumer {
  folder = '';

  async install({ files = {}, tools = [], packages = [] }) {
    this.folder = await mkdtemp(join(process.env.SLABRING_CONSUMERS, 'project-'));
    await this.write({ 'package.json': '{ "name": "consumer", "type": "module" }', ...files });
    const { SLABRING_TARBALL } = process.env;
    await capture('npm', ['install', '--offline', '--no-audit', '--no-fund', SLABRING_TARBALL], {
      cwd: this.folder,
    });
    for (const name of tools) await this.#link(name);
    for (const name of packages) await this.#copy(name);
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true });
  }

  path(name) {
    return join(this.folder, name);
  }

  read(name) {
    return readFile(this.path(name), 'utf8');
  }

  /** @param {Record<string, string>} files their texts by their names */
  async write(files) {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(this.path(name)), { recursive: true });
      await writeFile(this.path(name), text);
    }
  }

  /** A package with all that it depends on: where it lies decides what its imports find. */
  async #copy(name, by = checkout) {
    const own = join(by, 'node_modules', name);
    // What a package has in a folder of its own came along with it.
    const source = existsSync(own) ? own : join(checkout, 'node_modules', name);
    if (source !== own || by === checkout) {
      await cp(source, this.path(`node_modules/${name}`), { recursive: true });
    }
    const { dependencies = {} } = await manifestIn(source);
    for (const other of Object.keys(dependencies)) await this.#copy(other, source);
  }

  /** A package with its commands. */
  async #link(name) {
    const source = join(checkout, 'node_modules', name);
    const { bin } = await manifestIn(source);
    await mkdir(dirname(this.path(`node_modules/${name}`)), { recursive: true });
    await symlink(source, this.path(`node_modules/${name}`));
    await mkdir(this.path('node_modules/.bin'), { recursive: true });
    for (const [command, file] of Object.entries(
      typeof bin === 'string' ? { [name]: bin } : (bin ?? {}),
    )) {
      await symlink(join(source, file), this.path(`node_modules/.bin/${command}`));
    }
  }

  /**
   * A program that goes on until it is ended, such as a server.
   * @param {string} program
   * @param {string[]} args
   */
  start(program, args) {
    // The colours that a test runner asks for would be in what is compared.
    const { PATH, HOME } = process.env;
    return spawn(program, args, {
      cwd: this.folder,
      env: { PATH, HOME, NO_COLOR: '1' },
      // esbuild's server ends when its input does.
      stdio: 'pipe',
    });
  }

  /** Runs a program to its end. */
  async run(program, args) {
    const child = this.start(program, args);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), 240_000);
    const status = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    clearTimeout(timer);
    return { status, ...output };
  }

  /** What a program prints that ends well and has nothing to complain of. */
  async output(program, args) {
    const { status, stdout, stderr: said } = await this.run(program, args);
    // Vite tells where its time went when it took long: that is the machine's doing.
    const stderr = said.replace(/^.*PLUGIN_TIMINGS.*\n(.+\n)*\n*/m, '');
    expect({ status, stderr, stdout: status === 0 ? '' : stdout }).toEqual({
      status: 0,
      stderr: '',
      stdout: '',
    });
    return stdout.trim();
  }
}
