/**
 * Makes a clone ready: Node, node modules, the Emscripten toolchain, and with `--tests` what the
 * native tests need, the browsers, and other versions of Node. A second run finds everything in place and changes nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installPackages, isDebian } from './debian-packages.js';
import { checkout, readPins, thisMachine, Unavailable } from './machine.js';
import { installNodes, supportedVersions } from './node-versions.js';
import { CommandError, findCommand } from './run.js';
import { findToolchain } from './toolchain.js';

/** @import { Log, Machine, Toolchain } from './machine.js' */

const oldestNode = 20;

/** What the native tests need, and the browsers, with a command of each where it has one. */
const testPackages = {
  cmake: 'cmake',
  'ninja-build': 'ninja',
  clang: 'clang++',
  'clang-format': 'clang-format',
  'clang-tidy': 'clang-tidy',
  'libclang-rt-dev': undefined,
  'libgtest-dev': undefined,
  llvm: 'llvm-symbolizer',
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  'webkit2gtk-driver': 'WebKitWebDriver',
  xvfb: 'Xvfb',
};

const kinds = {
  path: 'on PATH',
  EMSDK: 'from $EMSDK',
  emsdk: 'emsdk',
  debian: `Debian ${readPins().debian.release} folder`,
};

/**
 * @param {object} [options]
 * @param {boolean} [options.tests] What all of the tests need, too.
 * @param {Log} [options.log]
 * @param {Machine} [options.machine]
 * @returns {Promise<{ toolchain: Toolchain }>} Rejects with one line that
 *   says what is missing and what to do.
 */
export async function setup({ tests = false, log = console.log, machine = thisMachine() } = {}) {
  checkNode(process.versions.node);
  log(`Node: ${process.versions.node}`);
  const installed = await installNodeModules(checkout, machine);
  log(`node modules: ${installed ? 'installed' : 'up to date'}`);
  if (tests) {
    log(`packages for the tests: ${await installTestPackages({ log, machine })}`);
    await installNodes({ log, machine });
    log(`Node for the tests: ${supportedVersions.join(', ')}`);
  }
  const toolchain = await findToolchain({ log, machine });
  log(`Emscripten: ${toolchain.version}, ${kinds[toolchain.kind]} (${toolchain.where})`);
  return { toolchain };
}

/** @param {string} version */
export function checkNode(version) {
  if (Number.parseInt(version, 10) < oldestNode) {
    throw new Unavailable(`Node ${version} is too old: ${oldestNode} or newer is needed`);
  }
}

/**
 * Runs `npm ci` unless the modules are those of this lock file and this Node: a stamp among them
 * says so, and goes with them.
 *
 * @param {string} directory
 * @param {Machine} machine
 * @returns {Promise<boolean>} Whether it ran.
 */
export async function installNodeModules(directory, machine) {
  const stampPath = join(directory, 'node_modules', '.slabring-setup');
  const hash = createHash('sha256').update(readFileSync(join(directory, 'package-lock.json')));
  const stamp = `${hash.digest('hex')} node ${process.versions.node.split('.')[0]}\n`;
  if (readStamp(stampPath) === stamp) {
    return false;
  }
  await machine.runQuietly('npm ci', 'npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: directory,
    env: machine.env,
  });
  writeFileSync(stampPath, stamp);
  return true;
}

/** @param {string} path */
function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {{ log: Log, machine: Machine }} options
 * @returns {Promise<string>} What was done, in words.
 */
export async function installTestPackages({ log, machine }) {
  if (isDebian(machine)) {
    const installed = await installPackages(Object.keys(testPackages), { machine, log });
    return installed.length > 0 ? `installed ${installed.join(' ')}` : 'all there';
  }
  const commands = Object.values(testPackages).filter((command) => command !== undefined);
  const missing = commands.filter((command) => !findCommand(command, machine.env));
  if (missing.length > 0) {
    throw new Unavailable(
      `this is no Debian; install what brings ${missing.join(', ')}; GoogleTest and clang's runtime libraries are needed, too`,
    );
  }
  return 'commands all there; GoogleTest and the runtime libraries of clang are taken to be there';
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const { values } = parseArgs({ options: { tests: { type: 'boolean' } } });
    await setup({ tests: values.tests });
  } catch (/** @type {any} */ error) {
    const expected =
      error instanceof Unavailable ||
      error instanceof CommandError ||
      error.code?.startsWith('ERR_PARSE_ARGS');
    console.error(expected ? `setup: ${error.message}` : error);
    process.exitCode = 1;
  }
}
