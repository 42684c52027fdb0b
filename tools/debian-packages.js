/**
 * Debian packages and apt's configuration.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, Unavailable } from './machine.js';
import { CommandError, cacheDirectory, findCommand } from './run.js';
import { withLock } from './shared-cache.js';

/** @import { Log, Machine } from './machine.js' */

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
export async function aptConnectionOptions({ env, capture: read }) {
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
