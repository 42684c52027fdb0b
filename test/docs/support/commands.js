/** Whether the commands of the documents are commands: their programs, scripts, flags and paths. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from './documents.js';

const read = (path) => readFileSync(`${ROOT}${path}`, 'utf8');
const { name, scripts } = JSON.parse(read('package.json'));

const runNode = (args) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', timeout: 60_000 });

const SUBCOMMANDS = ['compare', 'report', 'readme'];

/** @returns {string | undefined} */
function problemOfBench(args) {
  // Either refuses what it does not know, and measures nothing.
  const look = SUBCOMMANDS.includes(args[0]) ? '--help' : '--list';
  const { status, stderr } = runNode(['bench/run.js', ...args, look]);
  return status === 0 ? undefined : stderr.trim();
}

/** @returns {string | undefined} */
function problemOfTest(steps) {
  // It names all steps before it does anything.
  const { stderr } = runNode(['tools/test.js', '?']);
  const [, list] = /there are: (.*)/.exec(stderr) ?? [];
  const unknown = steps.find((step) => !list?.split(', ').includes(step));
  return unknown && `npm test has no step "${unknown}"`;
}

/** @returns {string | undefined} */
function problemOfPaths(args) {
  const missing = args.find(
    (arg) =>
      /^[\w.-]+\/[\w./-]*$/.test(arg) &&
      !/^(build|dist)\//.test(arg) &&
      !existsSync(`${ROOT}${arg}`),
  );
  return missing && `there is no ${missing}`;
}

/** @returns {string | undefined} */
function problemOfNode(tokens) {
  const at = tokens.findIndex((token) => !token.startsWith('-'));
  const flag = tokens
    .slice(0, at)
    .find((token) => !process.allowedNodeEnvironmentFlags.has(token.split('=')[0]));
  if (flag !== undefined) return `node has no ${flag}`;
  const [file, ...args] = tokens.slice(at);
  if (!existsSync(`${ROOT}${file}`)) return `there is no ${file}`;
  if (file === 'bench/run.js') return problemOfBench(args);
  if (file === 'tools/test.js') return problemOfTest(args);
  const source = read(file);
  const unknown = args
    .filter((arg) => arg.startsWith('--'))
    .map((arg) => arg.slice(2).split('=')[0])
    .find((option) => !source.includes(`${option}: {`) && !source.includes(`'--${option}'`));
  return unknown === undefined ? problemOfPaths(args) : `${file} has no --${unknown}`;
}

/** @returns {string | undefined} */
function problemOfNpm([command, ...rest]) {
  if (command === 'install') return rest[0] === name ? undefined : 'another package';
  if (command === 'pack') return undefined;
  const script = command === 'run' ? rest.shift() : command;
  const program = scripts[script];
  if (program === undefined) return `package.json has no script "${script}"`;
  if (rest.length > 0 && rest[0] !== '--') return 'arguments of scripts come after --';
  return problemOf(`${program} ${rest.slice(1).join(' ')}`);
}

/** @returns {string | undefined} */
function problemOfPreset(tokens) {
  const at = tokens.indexOf('--preset');
  const { configurePresets } = JSON.parse(read('CMakePresets.json'));
  const preset = tokens[at + 1];
  const isThere = at >= 0 && configurePresets.some((one) => one.name === preset && !one.hidden);
  return isThere ? undefined : `there is no preset ${preset}`;
}

/** @returns {string | undefined} what is wrong with a command, if anything */
export function problemOf(command) {
  const tokens = command.match(/'[^']*'|\S+/g)?.map((token) => token.replace(/^'|'$/g, '')) ?? [];
  while (/^[A-Z_]+=/.test(tokens[0] ?? '')) tokens.shift();
  const [program, ...args] = tokens;
  if (program === 'npm') return problemOfNpm(args);
  if (program === 'node') return problemOfNode(args);
  if (program === 'cmake' || program === 'ctest') return problemOfPreset(args);
  const bin = program === 'npx' ? args[0] : /^node_modules\/\.bin\/(.*)$/.exec(program ?? '')?.[1];
  const isInstalled = (name) => existsSync(`${ROOT}node_modules/.bin/${name}`);
  if (bin !== undefined && !isInstalled(bin)) return `${bin} is not installed`;
  // Scripts find what is installed without its folder.
  if (bin !== undefined || isInstalled(program)) return problemOfPaths(args);
  const built = /^build\/[\w-]+\/(\w+)$/.exec(program ?? '');
  if (built !== null) {
    const isTarget = read('CMakeLists.txt').includes(`add_executable(${built[1]} `);
    return isTarget ? problemOfPaths(args) : `no target ${built[1]}`;
  }
  return `nothing is known of "${program}"`;
}

/** The commands of a block, with their line. */
export const commandsOf = ({ line, lines }) =>
  lines.flatMap((text, at) =>
    text
      .replace(/(^|\s)#.*$/, '')
      .split('&&')
      .map((command) => ({ command: command.trim(), line: line + at }))
      .filter(({ command }) => command !== ''),
  );

/** Those that take no time are run as well. */
const CHEAP = /--list|--help|jest .*test\/unit\/errors\.test\.js$/;

export const isCheap = (command) => CHEAP.test(command);

/** @returns {string} what it says when it fails; else nothing */
export function runCommand(command) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 120_000,
  });
  return status === 0 ? '' : `${stdout}${stderr}`;
}
