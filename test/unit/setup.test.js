import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  aptMirror,
  deb822Sources,
  installPackages,
  missingPackages,
  oneLineSources,
} from '../../tools/debian-packages.js';
import { checkout, readPins } from '../../tools/machine.js';
import { nodeProgram } from '../../tools/node-versions.js';
import {
  CommandError,
  cacheDirectory,
  capture,
  findCommand,
  run,
  runQuietly,
} from '../../tools/run.js';
import { checkNode, installNodeModules, installTestPackages } from '../../tools/setup.js';
import { withLock } from '../../tools/shared-cache.js';
import { findToolchain } from '../../tools/toolchain.js';

const pins = readPins();
const version = pins.emscripten;

let home;
let bin;
let cache;
let lines;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'slabring-setup-'));
  bin = join(home, 'bin');
  cache = join(home, 'cache');
  mkdirSync(bin);
  lines = [];
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const log = (line) => lines.push(line);

function write(path, text = '') {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** An Emscripten of its own directory on the fake PATH. */
const onPath = () => join(home, 'emscripten');

/** A command on the fake PATH, which holds nothing else. */
function command(name, script = 'exit 0', directory = bin) {
  const path = join(directory, name);
  write(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function emscriptenTree(root, emccVersion) {
  command('emcc', `echo "emcc (Emscripten) ${emccVersion} ()"`, root);
  write(join(root, 'cmake/Modules/Platform/Emscripten.cmake'));
}

function emsdkTree(emsdk, emccVersion) {
  const root = join(emsdk, 'upstream/emscripten');
  emscriptenTree(root, emccVersion);
  write(join(root, 'emscripten-version.txt'), `"${emccVersion}"\n`);
  write(join(emsdk, '.emscripten'));
}

const debianParts = ['emcc', 'cmake', 'ninja', 'node', 'python3', 'wasm-opt'];

function debianTree(folder, emccVersion) {
  for (const name of debianParts) {
    write(join(folder, 'usr/bin', name));
  }
  const root = join(folder, 'usr/share/emscripten');
  write(join(root, 'emscripten-version.txt'), `${emccVersion}\n`);
  write(join(root, 'cmake/Modules/Platform/Emscripten.cmake'));
  mkdirSync(join(folder, 'mnt'));
}

const cachedEmsdk = () => join(cache, `emsdk-${version}`);
const cachedDebian = () => join(cache, `debian-13-emscripten-${version}`);

/** A machine that cannot install: whatever it starts is a fake of these tests. */
function machine(changes = {}) {
  return {
    platform: 'linux',
    isRoot: false,
    etc: join(home, 'etc'),
    capture,
    run: () => Promise.reject(new Error('nothing is to be run')),
    runQuietly: (title) => Promise.reject(new Error(`nothing is to be installed: ${title}`)),
    ...changes,
    env: {
      PATH: `${onPath()}:${bin}`,
      HOME: home,
      SLABRING_CACHE: cache,
      EMSDK: undefined,
      ...changes.env,
    },
  };
}

function hostTools() {
  command('cmake');
  command('ninja');
}

const find = (changes, options) => findToolchain({ log, machine: machine(changes), ...options });

describe('findToolchain', () => {
  test('takes emcc on PATH before anything else', async () => {
    hostTools();
    emscriptenTree(onPath(), version);
    emsdkTree(join(home, 'emsdk'), version);
    debianTree(cachedDebian(), version);
    const found = await find({ env: { EMSDK: join(home, 'emsdk') } });
    expect(found).toMatchObject({ kind: 'path', version, where: onPath() });
    expect(lines).toEqual([]);
  });

  test('asks a wrapper on PATH where Emscripten is', async () => {
    hostTools();
    const root = join(home, 'libexec');
    emscriptenTree(root, version);
    write(join(root, 'emscripten-version.txt'), `"${version}"\n`);
    command('emcc', 'exit 1');
    command('em-config', `echo ${root}`);
    expect(await find()).toMatchObject({ kind: 'path', version, where: root });
  });

  test('passes over a wrong version on PATH, saying so, and takes $EMSDK', async () => {
    hostTools();
    emscriptenTree(onPath(), '3.1.6');
    emsdkTree(join(home, 'emsdk'), version);
    const found = await find({ env: { EMSDK: join(home, 'emsdk') } });
    expect(found).toMatchObject({ kind: 'EMSDK', where: join(home, 'emsdk') });
    expect(lines).toEqual([`emcc 3.1.6 on PATH: not ${version}, passing over`]);
  });

  test('passes over a wrong version in $EMSDK and takes the emsdk in the cache', async () => {
    hostTools();
    emsdkTree(join(home, 'emsdk'), '4.0.1');
    emsdkTree(cachedEmsdk(), version);
    debianTree(cachedDebian(), version);
    const found = await find({ env: { EMSDK: join(home, 'emsdk') } });
    expect(found).toMatchObject({ kind: 'emsdk', where: cachedEmsdk() });
    expect(lines).toEqual([`emcc 4.0.1 in $EMSDK: not ${version}, passing over`]);
  });

  test('takes the Debian folder when the emsdk in the cache is half there', async () => {
    hostTools();
    emsdkTree(cachedEmsdk(), version);
    rmSync(join(cachedEmsdk(), '.emscripten'));
    debianTree(cachedDebian(), version);
    command('unshare');
    expect(await find()).toMatchObject({ kind: 'debian', version, where: cachedDebian() });
  });

  test('takes the Debian folder when the machine has no CMake for its emcc', async () => {
    emscriptenTree(onPath(), version);
    debianTree(cachedDebian(), version);
    command('unshare');
    expect(await find()).toMatchObject({ kind: 'debian' });
  });

  test.each([
    ['another version', () => debianTree(cachedDebian(), '3.1.6'), 'holds Emscripten 3.1.6'],
    [
      'a part missing',
      () => {
        debianTree(cachedDebian(), version);
        rmSync(join(cachedDebian(), 'usr/bin/ninja'));
      },
      'is incomplete (no usr/bin/ninja)',
    ],
    ['an empty folder', () => mkdirSync(cachedDebian(), { recursive: true }), 'is incomplete'],
  ])('does not take a Debian folder with %s', async (_, make, words) => {
    make();
    command('unshare');
    await expect(find({}, { install: false })).rejects.toThrow(words);
  });

  test('does not take a Debian folder that cannot be entered', async () => {
    debianTree(cachedDebian(), version);
    command('unshare', 'echo "unshare failed: Operation not permitted" >&2; exit 1');
    await expect(find({}, { install: false })).rejects.toThrow(
      'cannot be entered (no user namespaces? unshare: ended with exit code 1: unshare failed: Operation not permitted)',
    );
  });

  test('says in one line why nothing can be had and what to do', async () => {
    emscriptenTree(onPath(), '3.1.6');
    command('git', 'echo "fatal: could not resolve host" >&2; exit 128');
    command('python3');
    command('dpkg-query', 'exit 1');
    command('apt-get', `echo called > ${home}/apt-was-called`);
    const error = await find().catch((reason) => reason);
    expect(error.message).toBe(
      `no Emscripten ${version}: emcc 3.1.6 on PATH: not ${version}; EMSDK is not set; ` +
        'no emsdk in the cache; no Debian 13 folder in the cache; ' +
        "emsdk's repository is out of reach (git: ended with exit code 128: " +
        'fatal: could not resolve host); Debian packages are missing; run as root: apt-get ' +
        'install --no-install-recommends mmdebstrap debian-archive-keyring mount uidmap. ' +
        `Install emsdk ${version} and set EMSDK, or run "node tools/setup.js" once as root.`,
    );
    expect(existsSync(join(home, 'apt-was-called'))).toBe(false);
    expect(existsSync(cache)).toBe(false);
  });

  test('says the same without git and without Debian', async () => {
    await expect(find()).rejects.toThrow(
      'emsdk cannot be installed without git; a Debian 13 folder cannot be made without mmdebstrap',
    );
  });

  test('installs nothing when told not to', async () => {
    command('git', `echo called > ${home}/git-was-called`);
    command('python3');
    await expect(find({}, { install: false })).rejects.toThrow(/^no Emscripten [^\n]*$/);
    expect(existsSync(join(home, 'git-was-called'))).toBe(false);
  });

  test('does not take a fault of its own for a missing toolchain', async () => {
    debianTree(cachedDebian(), version);
    const broken = () => Promise.reject(new RangeError('a fault'));
    await expect(find({ capture: broken })).rejects.toThrow(RangeError);
  });
});

describe('installing a toolchain', () => {
  const quietly = async (_title, name, args, options) => {
    await capture(name, args, options);
  };

  test('takes emsdk from its repository when that answers', async () => {
    hostTools();
    command('python3');
    emsdkTree(join(home, 'upstream-emsdk'), version);
    rmSync(join(home, 'upstream-emsdk/.emscripten'));
    command(
      'emsdk',
      `case "$1" in activate) echo > "\${0%/*}/.emscripten" ;; esac`,
      join(home, 'upstream-emsdk'),
    );
    command(
      'git',
      `case "$1" in clone) for to; do :; done; exec /bin/cp -R ${home}/upstream-emsdk "$to" ;; esac`,
    );
    expect(await find({ runQuietly: quietly })).toMatchObject({ kind: 'emsdk' });
    expect(readdirSync(cache)).toEqual([`emsdk-${version}`]);
    expect(await find()).toMatchObject({ kind: 'emsdk', where: cachedEmsdk() });
  });

  /** A root whose `mmdebstrap` writes the fake folder. */
  function root(made, fakeVersion = version) {
    return {
      isRoot: true,
      runQuietly: async (_title, name, args) => {
        expect(name).toBe('mmdebstrap');
        made.push(args);
        debianTree(
          args.find((arg) => arg.startsWith(cache)),
          fakeVersion,
        );
      },
    };
  }

  test('makes the Debian folder, once for clones that come at the same time', async () => {
    command('mmdebstrap');
    command('unshare');
    const made = [];
    const found = await Promise.all([find(root(made)), find(root(made))]);
    expect(found.map(({ kind }) => kind)).toEqual(['debian', 'debian']);
    expect(made).toHaveLength(1);
    expect(made[0]).toContain(`--include=${pins.debian.packages.join(',')}`);
    expect(made[0]).toContain(pins.debian.suite);
    expect(readdirSync(cache)).toEqual([`debian-13-emscripten-${version}`]);
  });

  test('replaces a broken Debian folder and clears what a dead process left', async () => {
    command('mmdebstrap');
    command('unshare');
    write(join(cachedDebian(), 'usr/bin/emcc'));
    write(join(`${cachedDebian()}.partial-${deadProcess()}`, 'usr/bin/emcc'));
    expect(await find(root([]))).toMatchObject({ kind: 'debian' });
    expect(readdirSync(cache)).toEqual([`debian-13-emscripten-${version}`]);
    expect(lines).toEqual([`${cachedDebian()} is incomplete: replaced`]);
  });

  test('leaves nothing behind when what it made is not the pinned version', async () => {
    command('mmdebstrap');
    command('unshare');
    await expect(find(root([], '3.1.70'))).rejects.toThrow('holds Emscripten 3.1.70');
    expect(readdirSync(cache)).toEqual([]);
  });
});

describe('toolchain.run', () => {
  let runs;
  const recording = () => ({ run: async (...args) => void runs.push(args) });

  beforeEach(() => {
    runs = [];
  });

  test('gives a host command the environment of its emsdk', async () => {
    hostTools();
    emsdkTree(join(home, 'emsdk'), version);
    const root = join(home, 'emsdk/upstream/emscripten');
    const toolchain = await find({ ...recording(), env: { EMSDK: join(home, 'emsdk') } });
    await toolchain.run('cmake', ['--version'], { cwd: home, env: { MORE: '1' } });
    expect(runs[0].slice(0, 2)).toEqual(['cmake', ['--version']]);
    expect(runs[0][2].cwd).toBe(home);
    expect(runs[0][2].env).toMatchObject({
      EMSCRIPTEN_CMAKE_DIR: join(root, 'cmake/Modules/Platform'),
      EM_CONFIG: join(home, 'emsdk/.emscripten'),
      PATH: `${root}:${onPath()}:${bin}`,
      MORE: '1',
    });
  });

  test.each([
    ['root', true, ['--mount']],
    ['a user', false, ['--map-root-user', '--mount']],
  ])('enters the Debian folder as %s with a clean environment', async (_, isRoot, namespaces) => {
    command('unshare');
    debianTree(cachedDebian(), version);
    const secret = { NODE_EXTRA_CA_CERTS: '/somewhere' };
    const toolchain = await find({ ...recording(), isRoot, env: secret });
    await toolchain.run('ninja', ['-v'], { cwd: home, env: { MORE: '1' } });
    const [program, args, options] = runs[0];
    expect([program, options.shownAs]).toEqual(['unshare', 'ninja -v']);
    expect(args.slice(0, namespaces.length)).toEqual(namespaces);
    const end = args.indexOf('--');
    expect(args.slice(args.indexOf('sh', namespaces.length + 1), end)).toEqual([
      ...['sh', cachedDebian(), home, checkout, home],
    ]);
    expect(args.slice(-3)).toEqual(['MORE=1', 'ninja', '-v']);
    expect(args).toContain('EMSCRIPTEN_CMAKE_DIR=/usr/share/emscripten/cmake/Modules/Platform');
    expect(args.join(' ')).not.toContain('NODE_EXTRA_CA_CERTS');
  });

  test('shows the checkout once when the command runs inside it', async () => {
    command('unshare');
    debianTree(cachedDebian(), version);
    const toolchain = await find(recording());
    for (const cwd of [checkout, join(checkout, 'tools')]) {
      await toolchain.run('true', [], { cwd });
      const args = runs.pop()[1];
      const at = args.indexOf(cachedDebian());
      expect(args.slice(at + 1, args.indexOf('--'))).toEqual([cwd, checkout]);
    }
  });
});

/** The id of a process that has ended. */
function deadProcess() {
  return spawnSync('/bin/true').pid;
}

describe('withLock', () => {
  const path = () => join(home, 'lock');
  const options = { log, interval: 5 };

  test('lets one in at a time and gives the lock back', async () => {
    let inside = 0;
    let most = 0;
    const work = () =>
      withLock(path(), options, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, 10));
        inside--;
      });
    await Promise.all([work(), work(), work()]);
    expect(most).toBe(1);
    expect(existsSync(path())).toBe(false);
    expect(lines[0]).toContain(`waiting for process ${process.pid}`);
  });

  test('gives the lock back when the work fails', async () => {
    const failing = withLock(path(), options, () => Promise.reject(new Error('no room')));
    await expect(failing).rejects.toThrow('no room');
    expect(existsSync(path())).toBe(false);
  });

  test.each([
    ['of a dead process', () => ({ host: hostname(), pid: deadProcess(), started: '1' })],
    [
      'whose process id has a new owner',
      () => ({ host: hostname(), pid: process.pid, started: '1' }),
    ],
  ])('takes over a lock %s', async (_, owner) => {
    writeFileSync(path(), JSON.stringify(owner()));
    expect(await withLock(path(), options, async () => 'done')).toBe('done');
    expect(lines[0]).toContain('taken over');
    expect(existsSync(path())).toBe(false);
  });

  test('waits for a process of another machine', async () => {
    writeFileSync(path(), JSON.stringify({ host: 'elsewhere', pid: deadProcess(), started: '1' }));
    setTimeout(() => rmSync(path(), { force: true }), 30);
    await withLock(path(), options, async () => {});
    expect(lines).toEqual([expect.stringContaining('on elsewhere')]);
  });
});

describe('apt configuration', () => {
  const uris = (sources) => sources.map(({ uri }) => uri);

  test('one-line format', () => {
    const text = [
      '# deb http://comment.example/debian bookworm main',
      'deb http://mirror.example/debian bookworm main contrib # the nearest',
      'deb-src http://source.example/debian bookworm main',
      'deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] https://signed.example/debian trixie main',
    ].join('\n');
    expect(oneLineSources(text)).toEqual([
      {
        uri: 'http://mirror.example/debian',
        suites: ['bookworm'],
        components: ['main', 'contrib'],
      },
      { uri: 'https://signed.example/debian', suites: ['trixie'], components: ['main'] },
    ]);
  });

  test('deb822 format', () => {
    const text = [
      'Types: deb deb-src',
      '# URIs: http://comment.example/debian',
      'URIs: http://mirror.example/debian',
      ' http://second.example/debian',
      'suites: bookworm',
      '  bookworm-updates',
      'Components: main',
      '',
      'Enabled: no',
      'Types: deb',
      'URIs: http://disabled.example/debian',
      'Suites: bookworm',
      'Components: main',
      ' ',
      'Types: deb-src',
      'URIs: http://source.example/debian',
      'Suites: bookworm',
      'Components: main',
      '',
    ].join('\n');
    const sources = deb822Sources(text);
    expect(uris(sources)).toEqual(['http://mirror.example/debian', 'http://second.example/debian']);
    expect(sources[0].suites).toEqual(['bookworm', 'bookworm-updates']);
  });

  /** Files of a fake /etc. */
  function etc(files) {
    for (const [name, text] of Object.entries(files)) {
      write(join(home, 'etc', name), text);
    }
    return join(home, 'etc');
  }

  const bookworm = 'ID=debian\nVERSION_CODENAME=bookworm\n';

  test('the mirror is that of the running release', () => {
    const directory = etc({
      'os-release': bookworm,
      'apt/sources.list':
        'deb cdrom:[Debian]/ bookworm main\ndeb http://other.example/debian trixie main\n',
      'apt/sources.list.d/a.list': 'deb http://tool.example/apt stable main\n',
      'apt/sources.list.d/debian.sources': [
        'Types: deb',
        'URIs: http://security.example/debian-security',
        'Suites: bookworm-security',
        'Components: main',
        '',
        'Types: deb',
        'URIs: http://mirror.example/debian',
        'Suites: bookworm bookworm-updates',
        'Components: main',
      ].join('\n'),
      'apt/sources.list.d/off.list.disabled': 'deb http://off.example/debian bookworm main\n',
    });
    expect(aptMirror(directory)).toBe('http://mirror.example/debian');
  });

  test('no mirror from another distribution, nor from a release without a line', () => {
    const ubuntu = 'ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n';
    const list = 'deb http://mirror.example/ubuntu noble main\n';
    expect(aptMirror(etc({ 'os-release': ubuntu, 'apt/sources.list': list }))).toBeUndefined();
    expect(aptMirror(etc({ 'os-release': bookworm }))).toBeUndefined();
  });
});

describe('Debian packages', () => {
  const installed = 'cmake installed\nllvm config-files';
  const dpkg = {
    capture: () => Promise.reject(new CommandError('', { code: 1, stdout: installed })),
  };

  test('those that are not installed', async () => {
    expect(await missingPackages(['cmake', 'llvm', 'clang'], machine(dpkg))).toEqual([
      'llvm',
      'clang',
    ]);
  });

  test('nothing is done when all are there', async () => {
    expect(await installPackages(['cmake'], { log, machine: machine(dpkg) })).toEqual([]);
  });

  test('a user is told the command', async () => {
    await expect(
      installPackages(['cmake', 'llvm', 'clang'], { log, machine: machine(dpkg) }),
    ).rejects.toThrow('run as root: apt-get install --no-install-recommends llvm clang');
  });

  test('root installs those missing, and renews the lists once', async () => {
    const calls = [];
    const runQuietly = async (_title, name, args) => void calls.push([name, ...args].join(' '));
    const fake = machine({ ...dpkg, isRoot: true, runQuietly });
    expect(await installPackages(['cmake', 'llvm'], { log, machine: fake })).toEqual(['llvm']);
    await installPackages(['clang'], { log, machine: fake });
    expect(calls.map((call) => call.replace(/-o \S+ /, ''))).toEqual([
      'apt-get update',
      'apt-get install --yes --no-install-recommends llvm',
      'apt-get install --yes --no-install-recommends clang',
    ]);
  });
});

describe('setup', () => {
  test('refuses an old Node', () => {
    expect(() => checkNode('18.20.4')).toThrow('Node 18.20.4 is too old: 20 or newer is needed');
    expect(() => checkNode('20.0.0')).not.toThrow();
  });

  test('installs node modules when the lock file has changed, not otherwise', async () => {
    let installs = 0;
    const npm = machine({
      runQuietly: async () => {
        installs++;
        mkdirSync(join(home, 'node_modules'), { recursive: true });
      },
    });
    const install = () => installNodeModules(home, npm);
    write(join(home, 'package-lock.json'), '{}');
    expect([await install(), await install()]).toEqual([true, false]);
    write(join(home, 'package-lock.json'), '{ }');
    expect([await install(), await install()]).toEqual([true, false]);
    rmSync(join(home, 'node_modules'), { recursive: true });
    expect([await install(), await install()]).toEqual([true, false]);
    expect(installs).toBe(3);
  });

  test('installs node modules again after a failure', async () => {
    write(join(home, 'package-lock.json'), '{}');
    await expect(installNodeModules(home, machine())).rejects.toThrow('npm ci');
    await expect(installNodeModules(home, machine())).rejects.toThrow('npm ci');
  });
});

describe('what the tests need', () => {
  test('is told by its commands where there is no Debian', async () => {
    command('cmake');
    command('Xvfb');
    const refused = installTestPackages({ log, machine: machine() });
    await expect(refused).rejects.toThrow(
      'this is no Debian; install what brings ninja, clang++, clang-format, clang-tidy, ' +
        'llvm-symbolizer, chromium, firefox-esr, WebKitWebDriver; GoogleTest',
    );
  });

  test('browsers are installed with the rest on a Debian', async () => {
    command('dpkg-query');
    command('apt-get');
    const installs = [];
    const fake = machine({
      isRoot: true,
      capture: async () => 'cmake installed\nchromium installed\n',
      runQuietly: async (_title, _name, args) => void installs.push(args),
    });
    const done = await installTestPackages({ log, machine: fake });
    expect(done).toMatch(/^installed ninja-build clang .* firefox-esr webkit2gtk-driver xvfb$/);
    expect(installs.at(-1)).toEqual(
      expect.arrayContaining(['install', 'firefox-esr', 'webkit2gtk-driver', 'xvfb']),
    );
    expect(installs.at(-1)).not.toContain('chromium');
  });
});

describe('other versions of Node', () => {
  const npm = (script) =>
    machine({
      runQuietly: (title, name, args) => {
        lines.push([title, name, ...args].join(' '));
        return script(args[args.indexOf('--prefix') + 1]);
      },
    });
  const unlike = Number.parseInt(process.versions.node, 10) + 2;
  const name = `node-linux-${process.arch}`;

  test('this one is at hand', async () => {
    const own = String(unlike - 2);
    expect(await nodeProgram(own, { log, machine: machine() })).toBe(process.execPath);
  });

  test("another is npm's, installed once into the cache", async () => {
    const fake = npm(async (prefix) =>
      command('node', '', join(prefix, 'node_modules', name, 'bin')),
    );
    const program = join(cache, `node-${unlike}`, 'node_modules', name, 'bin', 'node');
    expect(await nodeProgram(`${unlike}`, { log, machine: fake })).toBe(program);
    expect(existsSync(program)).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(`^Node ${unlike} npm install .* ${name}@${unlike}$`),
    ]);
    expect(await nodeProgram(`${unlike}`, { log, machine: machine() })).toBe(program);
  });

  test('one that cannot be had says so, and leaves nothing', async () => {
    const fake = npm(() => Promise.reject(new CommandError('npm: ended with exit code 1')));
    await expect(nodeProgram('96', { log, machine: fake })).rejects.toThrow(
      `Node 96 (npm's ${name}@96) could not be installed: npm: ended with exit code 1`,
    );
    expect(readdirSync(cache)).toEqual([]);
  });

  test('a package that brings no program is none', async () => {
    await expect(nodeProgram('96', { log, machine: npm(async () => {}) })).rejects.toThrow(
      'what was installed for node-96 has no program',
    );
  });
});

/** Whether a process runs; one that is dead may wait a while for its parent to notice. */
function isRunning(pid) {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, 'utf8'));
}

describe('running commands', () => {
  let shown;
  const output = { write: (text) => void shown.push(text) };

  beforeEach(() => {
    shown = [];
  });

  test('run rejects with the command and its code', async () => {
    const failing = run('sh', ['-c', 'exit 3']);
    await expect(failing).rejects.toMatchObject({
      message: 'sh -c exit 3: ended with exit code 3',
      code: 3,
    });
    await expect(run('no-such-command')).rejects.toThrow('could not be started');
    await run('true');
  });

  test('capture gives the output, and the last complaint on failure', async () => {
    expect(await capture('sh', ['-c', 'echo $WORD'], { env: { WORD: 'heard' } })).toBe('heard');
    await expect(capture('sh', ['-c', 'echo a >&2; echo b >&2; exit 1'])).rejects.toThrow(/: b$/);
  });

  test('capture ends a command that takes too long with all that it started', async () => {
    const script = 'sleep 20 & echo $!; wait';
    const started = performance.now();
    const error = await capture('sh', ['-c', script], { timeout: 100 }).catch((reason) => reason);
    expect(error.message).toBe('sh: no answer in 100 ms');
    expect(performance.now() - started).toBeLessThan(5000);
    expect(isRunning(Number(error.stdout))).toBe(false);
  });

  test('runQuietly shows a line at each end and keeps no log of a success', async () => {
    const env = { SLABRING_CACHE: cache };
    await runQuietly('The step', 'sh', ['-c', 'echo noise'], { env, output });
    expect(shown.join('')).toMatch(/^The step \.\.\.\nThe step: done in \d+ s\n$/);
    expect(readdirSync(join(cache, 'logs'))).toEqual([]);
  });

  test('runQuietly shows the path and the end of the log of a failure', async () => {
    const env = { SLABRING_CACHE: cache };
    const script = 'echo first; echo last >&2; exit 2';
    const error = await runQuietly('The step', 'sh', ['-c', script], { env, output }).catch(
      (reason) => reason,
    );
    const [name] = readdirSync(join(cache, 'logs'));
    const path = join(cache, 'logs', name);
    expect(readFileSync(path, 'utf8')).toBe('first\nlast\n');
    expect(shown.join('')).toContain(`the end of ${path}:\n  first\n  last\n`);
    expect(error.message).toContain(path);
    expect(error.code).toBe(2);
  });

  test('runQuietly rewrites its line on a terminal', async () => {
    const env = { SLABRING_CACHE: cache };
    await runQuietly('The step', 'sleep', ['1.2'], { env, output: { ...output, isTTY: true } });
    expect(shown.join('')).toMatch(
      /^\rThe step \.\.\.\rThe step \.\.\. 1 s\rThe step: done in 1 s\n$/,
    );
  });

  test('findCommand takes only files that can be run', () => {
    mkdirSync(join(bin, 'directory'));
    write(join(bin, 'text'));
    command('tool');
    const env = { PATH: `${home}/none:${bin}` };
    expect(findCommand('tool', env)).toBe(join(bin, 'tool'));
    expect([findCommand('directory', env), findCommand('text', env)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('the cache directory follows the environment', () => {
    expect(cacheDirectory({ SLABRING_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' })).toBe('/a');
    expect(cacheDirectory({ SLABRING_CACHE: 'here' })).toBe(join(process.cwd(), 'here'));
    expect(cacheDirectory({ XDG_CACHE_HOME: '/b', HOME: '/c' })).toBe('/b/slabring');
    expect(cacheDirectory({ HOME: '/c' })).toBe('/c/.cache/slabring');
  });
});
