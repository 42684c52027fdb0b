/** What a run was measured with. Nothing here names the machine or a place on it. */

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { arch, cpus, release, type } from 'node:os';
import { promisify } from 'node:util';

/** @import { Context } from '../harness/results.js' */

const root = new URL('../../', import.meta.url);
const capture = promisify(execFile);

/** @param {string[]} args */
const git = async (...args) => (await capture('git', args, { cwd: root })).stdout.trim();

async function commit() {
  try {
    const [hash, changes] = await Promise.all([git('rev-parse', 'HEAD'), git('status', '-s')]);
    return changes === '' ? hash : `${hash}-dirty`;
  } catch {
    return undefined; // no checkout: an unpacked archive
  }
}

/** Only the module with every assertion exports what counts its queues again. */
async function build() {
  const module = await WebAssembly.compile(await readFile(new URL('dist/slabring.wasm', root)));
  const names = WebAssembly.Module.exports(module).map(({ name }) => name);
  return names.includes('sr_tick_find_problem') ? 'debug' : 'release';
}

/** What the rivals are made of. */
async function packages() {
  const folder = new URL('bench/rivals/', root);
  /** @type {Record<string, string>} */
  const versions = {};
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.js')).sort()) {
    const rivals = Object.values(await import(new URL(file, folder).href)).flat();
    for (const name of rivals.map((rival) => rival?.package).filter(Boolean)) {
      const manifest = new URL(`node_modules/${name}/package.json`, root);
      versions[name] = JSON.parse(await readFile(manifest, 'utf8')).version;
    }
  }
  const lock = JSON.parse(await readFile(new URL('emsdk.lock', root), 'utf8'));
  return { ...versions, emscripten: lock.emscripten };
}

/** @returns {Promise<Context>} */
export async function contextOf() {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    // Without what distributions and clouds put behind the number.
    system: `${type()} ${release().replace(/[^\d.].*/, '')} ${arch()}`,
    commit: await commit(),
    build: await build(),
    packages: await packages(),
  };
}
