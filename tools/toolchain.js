/**
 * Finds the pinned Emscripten (see emsdk.lock), installs it when the machine has none, and runs
 * commands with it. Node's own modules only: the tools run before `npm ci` has.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CommandError, cacheDirectory, capture, findCommand, run, runQuietly } from './run.js';

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
 * @property {(command: string, args?: string[], options?: import('./run.js').RunOptions) =>
 *   Promise<void>} run Runs a command with this toolchain on this terminal, and rejects unless it
 *   ends with 0. `EMSCRIPTEN_CMAKE_DIR` names the directory of `Emscripten.cmake` for it. In the
 *   Debian folder a command sees the checkout and `cwd` at their own paths, nothing else of the
 *   machine, and of the environment only `options.env`.
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

/** Why one way to a toolchain, or to a package, is closed. The message is a single line. */
export class Unavailable extends Error {
  name = 'Unavailable';
}

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

/**
 * The words for a way that is closed; anything else is a fault of these tools and is thrown on.
 *
 * @param {unknown} error
 */
function reasonOf(error) {
  const { message, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  if (!(error instanceof Unavailable || error instanceof CommandError || syscall)) {
    throw error;
  }
  return message.replace(/\s*\n\s*/g, ' ');
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

/** @param {string} root */
function versionIn(root) {
  try {
    const text = readFileSync(join(root, 'emscripten-version.txt'), 'utf8');
    return text.trim().replaceAll('"', '');
  } catch {
    return undefined;
  }
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

// A Debian of its own in a folder, for its Emscripten: the machine's packages stay as they are.

const debianEmscripten = 'usr/share/emscripten';
const debianCmakeDirectory = `${debianEmscripten}/cmake/Modules/Platform`;
const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Makes a folder; enters one. */
const debianBuilders = ['mmdebstrap', 'debian-archive-keyring', 'mount'];

/** @param {Search} search */
function debianFolder({ cache, pins }) {
  return join(cache, `debian-${pins.debian.release}-emscripten-${pins.emscripten}`);
}

/**
 * @param {string} folder
 * @param {Pins} pins
 */
function debianProblem(folder, pins) {
  const version = versionIn(join(folder, debianEmscripten));
  if (version !== pins.emscripten) {
    return version ? `holds Emscripten ${version}` : 'is incomplete';
  }
  const parts = [
    ...['emcc', 'cmake', 'ninja', 'node', 'python3', 'wasm-opt'].map((name) => `usr/bin/${name}`),
    `${debianCmakeDirectory}/Emscripten.cmake`,
    'mnt',
  ];
  // Not followed: a link here means a place inside the folder.
  const missing = parts.find((part) => !lstatSync(join(folder, part), { throwIfNoEntry: false }));
  return missing ? `is incomplete (no ${missing})` : undefined;
}

/**
 * @param {Search} search
 * @returns {Promise<Toolchain>}
 */
async function inDebianFolder(search) {
  const { machine, pins } = search;
  const folder = debianFolder(search);
  const title = `Debian ${pins.debian.release} folder`;
  if (!existsSync(folder)) {
    throw new Unavailable(`no ${title} in the cache`);
  }
  requireWhole(debianProblem(folder, pins), `the ${title} in the cache`);
  await requireEnterable(search, enterArguments(machine, folder, [], ['true']));
  return {
    kind: 'debian',
    version: pins.emscripten,
    where: folder,
    run: (command, args = [], { cwd, env } = {}) =>
      machine.run(
        'unshare',
        enterArguments(machine, folder, environmentInside(machine, env), [command, ...args], cwd),
        { env: machine.env, shownAs: [command, ...args].join(' ') },
      ),
  };
}

/**
 * @param {Search} search
 * @param {string[]} args
 */
async function requireEnterable({ machine, pins }, args) {
  const options = { env: machine.env, shownAs: 'unshare' };
  await machine.capture('unshare', args, options).catch((error) => {
    const who = machine.isRoot ? 'this container may not mount' : 'no user namespaces';
    const why = `${who}? ${reasonOf(error)}`;
    throw new Unavailable(`a Debian ${pins.debian.release} folder cannot be entered (${why})`);
  });
}

/** @param {Machine} machine */
function namespaceArguments(machine) {
  return machine.isRoot ? ['--mount'] : ['--map-root-user', '--mount'];
}

/**
 * @param {Machine} machine
 * @param {Record<string, string | undefined>} [env]
 */
function environmentInside(machine, env) {
  const all = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    TERM: machine.env.TERM,
    EMSCRIPTEN_CMAKE_DIR: `/${debianCmakeDirectory}`,
    ...env,
  };
  return Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
}

/**
 * Puts a root directory together in a mount namespace of its own, which ends with the command, and
 * runs the command there. The folder is read-only in it and never gains a mount point, so that any
 * number of clones and users can share it: Debian has built all of Emscripten's system libraries,
 * and its Emscripten writes to no cache. /usr/local and /usr/src stay free, since checkouts are
 * kept there too.
 */
const enterScript = `
PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin
folder=$1 cwd=$2
shift 2
mount --bind "$folder" "$folder"
# A user may not always do this, and cannot write what root has made.
mount -o remount,bind,ro "$folder" 2>/dev/null || [ "$(id -u)" = 0 ]
view=$folder/mnt
mount -t tmpfs -o mode=755 tmpfs "$view"
for link in "$folder"/*; do
  if [ -L "$link" ]; then cp -P "$link" "$view"; fi
done
mkdir -m 1777 "$view/tmp"
show() {
  mkdir -p "$view$2"
  mount --rbind "$1" "$view$2"
}
show "$folder/etc" /etc
for part in "$folder"/usr/*; do
  case \${part##*/} in
    local | src) ;;
    *) show "$part" "/usr/\${part##*/}" ;;
  esac
done
show /proc /proc
show /dev /dev
while [ "$1" != -- ]; do
  show "$1" "$1"
  shift
done
shift
exec chroot "$view" /usr/bin/env -i --chdir="$cwd" "$@"
`;

/**
 * @param {Machine} machine
 * @param {string} folder
 * @param {string[]} environment
 * @param {string[]} command
 * @param {string} [cwd]
 */
function enterArguments(machine, folder, environment, command, cwd = process.cwd()) {
  const directory = resolve(cwd);
  if (directory === '/') {
    throw new Error('a command cannot run in the root directory with the Debian folder');
  }
  const visible = [...new Set([checkout, directory])].filter(
    (path, _, paths) => !paths.some((other) => contains(other, path)),
  );
  return [
    ...namespaceArguments(machine),
    ...['sh', '-euc', enterScript, 'sh', folder, directory, ...visible, '--'],
    ...environment,
    ...command,
  ];
}

/**
 * @param {string} outer
 * @param {string} inner
 */
function contains(outer, inner) {
  const path = relative(outer, inner);
  return path !== '' && path !== '..' && !path.startsWith('../');
}

/** @param {Search} search */
async function installedDebianFolder(search) {
  const { machine, pins, log } = search;
  const { release } = pins.debian;
  const title = `Debian ${release} folder`;
  if (machine.platform !== 'linux') {
    throw new Unavailable(`a ${title} needs Linux`);
  }
  // A user's mmdebstrap needs the program that maps user ids as well.
  const builders = machine.isRoot ? debianBuilders : [...debianBuilders, 'uidmap'];
  if (isDebian(machine)) {
    await installPackages(builders, { machine, log });
  } else if (!findCommand('mmdebstrap', machine.env)) {
    throw new Unavailable(`a ${title} cannot be made without mmdebstrap`);
  }
  await requireEnterable(search, [...namespaceArguments(machine), 'true']);
  const folder = debianFolder(search);
  await installOnce(folder, {
    log,
    problem: (directory) => debianProblem(directory, pins),
    build: (directory) => makeDebianFolder(search, directory),
  });
  return inDebianFolder(search);
}

/**
 * @param {Search} search
 * @param {string} folder
 */
async function makeDebianFolder({ machine, pins }, folder) {
  const { env } = machine;
  const { release, suite, packages } = pins.debian;
  const title = `Debian ${release} with Emscripten ${pins.emscripten}`;
  const options = [
    '--variant=apt',
    `--include=${packages.join(',')}`,
    // Named, so that the machine's own apt need not trust that release, nor gpg be installed.
    ...(existsSync(debianKeyring) ? [`--keyring=${debianKeyring}`, '--skip=check/signed-by'] : []),
    ...(await aptConnectionOptions(machine)).map((option) => `--aptopt=${option}`),
  ];
  const mirror = aptMirror(machine.etc);
  const source = mirror ? [mirror] : [];
  if (machine.isRoot) {
    const args = [...options, suite, folder, ...source];
    await machine.runQuietly(title, 'mmdebstrap', args, { env });
    return;
  }
  // A folder made in a user namespace would belong to ids that the user cannot even delete: take
  // it as an archive and unpack that. The home directory is closed to those ids, /var/tmp is not.
  const archive = `${folder}.tar`;
  const args = ['--mode=unshare', '--format=tar', ...options, suite, archive, ...source];
  await machine.runQuietly(title, 'mmdebstrap', args, { env: { ...env, TMPDIR: '/var/tmp' } });
  await mkdir(folder);
  const unpack = ['-xf', archive, '-C', folder, '--no-same-owner', '--exclude=./dev/*'];
  await machine.runQuietly(`${title}: unpack`, 'tar', unpack, { env });
  await rm(archive);
}

// Debian packages and apt's configuration.

/** @param {Machine} machine */
export function isDebian({ env }) {
  return Boolean(findCommand('dpkg-query', env) && findCommand('apt-get', env));
}

/**
 * @param {string[]} names
 * @param {Machine} machine
 * @returns {Promise<string[]>} Those that are not installed.
 */
export async function missingPackages(names, machine) {
  const args = ['-W', '-f', `\${Package} \${db:Status-Status}\\n`, ...names];
  const listed = await machine.capture('dpkg-query', args, { env: machine.env }).catch((error) => {
    // It fails when it knows nothing of one of them, and lists the others all the same.
    if (error instanceof CommandError && error.code === 1) {
      return error.stdout;
    }
    throw error;
  });
  const lines = listed.split('\n');
  return names.filter((name) => !lines.includes(`${name} installed`));
}

/** Machines whose package lists this process has renewed: once is enough. */
const renewed = new WeakSet();

/**
 * Installs the missing ones of these Debian packages.
 *
 * @param {string[]} names
 * @param {{ machine: Machine, log: Log }} options
 * @returns {Promise<string[]>} Those that it installed.
 */
export async function installPackages(names, { machine, log }) {
  const missing = await missingPackages(names, machine);
  if (missing.length === 0) {
    return [];
  }
  const install = ['install', '--yes', '--no-install-recommends', ...missing];
  if (!machine.isRoot) {
    throw new Unavailable(
      `Debian packages are missing; run as root: apt-get ${install.filter((word) => word !== '--yes').join(' ')}`,
    );
  }
  const env = { ...machine.env, DEBIAN_FRONTEND: 'noninteractive' };
  const cache = cacheDirectory(machine.env);
  await mkdir(cache, { recursive: true });
  // apt-get waits for nobody while it reads its lists: clones take turns.
  await withLock(join(cache, 'apt.lock'), { log }, async () => {
    if (!renewed.has(machine)) {
      await machine.runQuietly('apt-get update', 'apt-get', ['update'], { env });
      renewed.add(machine);
    }
    const args = ['-o', 'DPkg::Lock::Timeout=300', ...install];
    await machine.runQuietly(`apt-get install ${missing.join(' ')}`, 'apt-get', args, { env });
  });
  return missing;
}

/**
 * The mirror that this machine takes its own Debian release from.
 *
 * @param {string} etc
 * @returns {string | undefined} Nothing on a machine that is no Debian, or has no such line.
 */
export function aptMirror(etc) {
  const release = readIfThere(join(etc, 'os-release'));
  const codename = release.match(/^VERSION_CODENAME="?([\w-]+)"?$/m)?.[1];
  if (!codename || !/^ID="?debian"?$/m.test(release)) {
    return undefined;
  }
  const directory = join(etc, 'apt', 'sources.list.d');
  const files = existsSync(directory) ? readdirSync(directory).sort() : [];
  const sources = [
    ...oneLineSources(readIfThere(join(etc, 'apt', 'sources.list'))),
    ...files.flatMap((file) => {
      const text = readIfThere(join(directory, file));
      if (file.endsWith('.sources')) {
        return deb822Sources(text);
      }
      return file.endsWith('.list') ? oneLineSources(text) : [];
    }),
  ];
  return sources.find(
    ({ uri, suites, components }) =>
      suites.includes(codename) && components.includes('main') && !uri.startsWith('cdrom:'),
  )?.uri;
}

/** @typedef {{ uri: string, suites: string[], components: string[] }} AptSource */

/**
 * `deb [options] uri suite component...`
 *
 * @param {string} text
 * @returns {AptSource[]}
 */
export function oneLineSources(text) {
  return text.split('\n').flatMap((line) => {
    const match = line.match(/^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)\s+(\S+)\s+([^#]*)/);
    return match ? [{ uri: match[1], suites: [match[2]], components: words(match[3]) }] : [];
  });
}

/**
 * Stanzas of `Field: values`, where a line that begins with a blank continues the field.
 *
 * @param {string} text
 * @returns {AptSource[]}
 */
export function deb822Sources(text) {
  const stanzas = text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/);
  return stanzas.flatMap((stanza) => {
    const lines = stanza.replace(/\n[ \t]+/g, ' ').split('\n');
    const fields = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1))];
      }),
    );
    const values = (/** @type {string} */ field) => fields.get(field) ?? [];
    const disabled = ['no', 'false', '0'].includes(values('enabled')[0]?.toLowerCase());
    if (disabled || !values('types').includes('deb')) {
      return [];
    }
    const [suites, components] = [values('suites'), values('components')];
    return values('uris').map((uri) => ({ uri, suites, components }));
  });
}

/**
 * How this machine's apt connects (proxies, certificates): mmdebstrap's apt knows nothing of it.
 *
 * @param {Machine} machine
 */
async function aptConnectionOptions({ env, capture: read }) {
  if (!findCommand('apt-config', env)) {
    return [];
  }
  const dump = await read('apt-config', ['dump', '--format', '%F "%v";%n', 'Acquire'], { env });
  return dump.split('\n').filter((line) => /^Acquire::https?::.*"[^"]+";$/i.test(line));
}

/** @param {string} text */
function words(text) {
  return text.trim().split(/\s+/).filter(Boolean);
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

// The cache directory, shared by clones that may set up at the same time.

/**
 * @param {string | undefined} problem
 * @param {string} subject
 */
function requireWhole(problem, subject) {
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
async function installOnce(directory, { log, problem, build }) {
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
