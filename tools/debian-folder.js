/**
 * A Debian of its own in a folder, for its Emscripten: the machine's packages stay as they are.
 */
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { aptConnectionOptions, aptMirror, installPackages, isDebian } from './debian-packages.js';
import { checkout, reasonOf, Unavailable, versionIn } from './machine.js';
import { findCommand } from './run.js';
import { installOnce, requireWhole } from './shared-cache.js';

/** @import { Machine, Pins, Search, Toolchain } from './machine.js' */

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
export async function inDebianFolder(search) {
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
export async function installedDebianFolder(search) {
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
