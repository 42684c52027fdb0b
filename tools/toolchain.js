/**
 * Finds the pinned Emscripten (see emsdk.lock), installs it when the machine has none, and runs
 * commands with it.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inDebianFolder, installedDebianFolder } from './debian-folder.js';
import { installPackages, isDebian } from './debian-packages.js';
import { readPins, reasonOf, thisMachine, Unavailable, versionIn } from './machine.js';
import { cacheDirectory, findCommand } from './run.js';
import { installOnce, requireWhole } from './shared-cache.js';

/** @import { Log, Machine, Pins, Search, Toolchain, ToolchainKind } from './machine.js' */

/**
 * Finds Emscripten of exactly the pinned version: on PATH, in $EMSDK, then in the cache directory,
 * where it is installed if there is none.
 *
 * @param {{ install?: boolean, log?: Log, machine?: Machine, pins?: Pins }} [options] Without
 *   `install` nothing on the machine is changed.
 * @returns {Promise<Toolchain>} Rejects with one line that says what was looked for, why each way
 *   failed and what to do.
 */
export async function findToolchain({
  install = true,
  log = console.log,
  machine = thisMachine(),
  pins = readPins(),
} = {}) {
  const search = { install, log, machine, pins, cache: cacheDirectory(machine.env) };
  const ways = [onPath, inEmsdkVariable, inCachedEmsdk, inDebianFolder];
  if (install) {
    ways.push(installedEmsdk, installedDebianFolder);
  }
  /** @type {Set<string>} */
  const reasons = new Set();
  for (const way of ways) {
    try {
      return await way(search);
    } catch (error) {
      reasons.add(reasonOf(error));
    }
  }
  const version = pins.emscripten;
  const asRoot = machine.isRoot ? '' : ', or run "node tools/setup.js" once as root';
  throw new Unavailable(
    `no Emscripten ${version}: ${[...reasons].join('; ')}. Install emsdk ${version} and set EMSDK${asRoot}.`,
  );
}

// Emscripten on the machine itself.

/** @param {Search} search */
async function onPath(search) {
  const emcc = findCommand('emcc', search.machine.env);
  if (!emcc) {
    throw new Unavailable('no emcc on PATH');
  }
  return hostToolchain(search, { kind: 'path', emcc, place: 'on PATH' });
}

/** @param {Search} search */
async function inEmsdkVariable(search) {
  const emsdk = search.machine.env.EMSDK;
  if (!emsdk) {
    throw new Unavailable('EMSDK is not set');
  }
  const emcc = emccOf(emsdk);
  if (!existsSync(emcc) || !existsSync(join(emsdk, '.emscripten'))) {
    throw new Unavailable(`EMSDK is ${emsdk}, where no Emscripten is installed and activated`);
  }
  return hostToolchain(search, { kind: 'EMSDK', emcc, place: 'in $EMSDK', emsdk });
}

/** @param {Search} search */
async function inCachedEmsdk(search) {
  const emsdk = cachedEmsdk(search);
  if (!existsSync(emsdk)) {
    throw new Unavailable('no emsdk in the cache');
  }
  requireWhole(emsdkProblem(emsdk, search.pins), 'the emsdk in the cache');
  const emcc = emccOf(emsdk);
  return hostToolchain(search, { kind: 'emsdk', emcc, place: 'in the cache', emsdk });
}

/** @param {string} emsdk */
function emccOf(emsdk) {
  return join(emsdk, 'upstream', 'emscripten', 'emcc');
}

/**
 * @param {Search} search
 * @param {{ kind: ToolchainKind, emcc: string, place: string, emsdk?: string }} found
 * @returns {Promise<Toolchain>}
 */
async function hostToolchain(search, { kind, emcc, place, emsdk }) {
  const { machine, pins, log } = search;
  const { root, version } = await inspectEmscripten(emcc, machine);
  if (version !== pins.emscripten) {
    const words = `emcc ${version ?? 'of no known version'} ${place}: not ${pins.emscripten}`;
    log(`${words}, passing over`);
    throw new Unavailable(words);
  }
  const cmakeDirectory = join(root, 'cmake', 'Modules', 'Platform');
  if (!existsSync(join(cmakeDirectory, 'Emscripten.cmake'))) {
    throw new Unavailable(`emcc ${version} ${place} has no Emscripten.cmake`);
  }
  await requireHostTools(search, `emcc ${version} ${place}`);
  /** @type {Record<string, string | undefined>} */
  const added = { EMSCRIPTEN_CMAKE_DIR: cmakeDirectory };
  if (emsdk) {
    added.EMSDK = emsdk;
    added.EM_CONFIG = join(emsdk, '.emscripten');
    added.PATH = `${root}:${machine.env.PATH ?? ''}`;
  }
  return {
    kind,
    version,
    where: emsdk ?? root,
    run: (command, args, options = {}) =>
      machine.run(command, args, {
        cwd: options.cwd,
        env: { ...machine.env, ...added, ...options.env },
      }),
  };
}

/**
 * The version is read from the file beside the real `emcc`: starting `emcc` takes half a second.
 *
 * @param {string} emcc
 * @param {Machine} machine
 * @returns {Promise<{ root: string, version?: string }>}
 */
async function inspectEmscripten(emcc, machine) {
  let root = dirname(realpathSync(emcc));
  if (!existsSync(join(root, 'emscripten-version.txt'))) {
    // A wrapper script that some packagers put on PATH: ask it for the directory.
    const ask = join(dirname(emcc), 'em-config');
    root = await machine
      .capture(ask, ['EMSCRIPTEN_ROOT'], { env: machine.env })
      .catch(() => dirname(emcc));
  }
  const version =
    versionIn(root) ??
    (await machine.capture(emcc, ['--version'], { env: machine.env }).catch(() => ''))
      .split('\n', 1)[0]
      .match(/\d+\.\d+\.\d+/)?.[0];
  return { root, version };
}

/**
 * @param {Search} search
 * @param {string} subject
 */
async function requireHostTools({ install, machine, log }, subject) {
  const tools = Object.entries({ cmake: 'cmake', ninja: 'ninja-build' });
  const missing = tools.filter(([command]) => !findCommand(command, machine.env));
  if (missing.length === 0) {
    return;
  }
  const packages = missing.map(([, name]) => name);
  if (install && machine.isRoot && isDebian(machine)) {
    await installPackages(packages, { machine, log });
    return;
  }
  const commands = missing.map(([command]) => command).join(' and ');
  throw new Unavailable(`${subject} lacks ${commands} (Debian packages ${packages.join(' ')})`);
}

// emsdk in the cache directory.

/** @param {Search} search */
function cachedEmsdk({ cache, pins }) {
  return join(cache, `emsdk-${pins.emscripten}`);
}

/**
 * @param {string} emsdk
 * @param {Pins} pins
 */
function emsdkProblem(emsdk, pins) {
  const version = versionIn(dirname(emccOf(emsdk)));
  if (version !== pins.emscripten) {
    return version ? `holds Emscripten ${version}` : 'is incomplete';
  }
  const whole = existsSync(emccOf(emsdk)) && existsSync(join(emsdk, '.emscripten'));
  return whole ? undefined : 'is incomplete';
}

/** @param {Search} search */
async function installedEmsdk(search) {
  const { machine, pins, log } = search;
  const { env } = machine;
  const { repository, tag } = pins.emsdk;
  for (const command of ['git', 'python3']) {
    if (!findCommand(command, env)) {
      throw new Unavailable(`emsdk cannot be installed without ${command}`);
    }
  }
  // A short question first: where nothing answers, a clone would hang for minutes.
  const quiet = { ...env, GIT_TERMINAL_PROMPT: '0' };
  await machine
    .capture('git', ['ls-remote', '--exit-code', '--tags', repository, `refs/tags/${tag}`], {
      env: quiet,
      shownAs: 'git',
      timeout: 5000,
    })
    .catch((error) => {
      throw new Unavailable(`emsdk's repository is out of reach (${reasonOf(error)})`);
    });
  await requireHostTools(search, 'emsdk');
  const emsdk = cachedEmsdk(search);
  await installOnce(emsdk, {
    log,
    problem: (directory) => emsdkProblem(directory, pins),
    build: async (directory) => {
      const clone = ['clone', '--depth', '1', '--branch', tag, repository, directory];
      await machine.runQuietly(`emsdk ${tag}: clone`, 'git', clone, { env: quiet });
      const tool = join(directory, 'emsdk');
      await machine.runQuietly(`emsdk ${tag}: install`, tool, ['install', pins.emscripten], {
        env,
      });
      // The file that this writes names everything relative to itself: it survives the rename.
      await machine.runQuietly(`emsdk ${tag}: activate`, tool, ['activate', pins.emscripten], {
        env,
      });
    },
  });
  return inCachedEmsdk(search);
}
