/**
 * Compiles the C++ of the documents as the native tests are: same compiler, warnings, sanitizers and
 * assertions. A block whose first line is `// <path>` is a piece of that file, which the build
 * compiles. One with a `main` is run: each line that it prints is written behind the statement.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ROOT } from './documents.js';

const PRESET = 'native-asan';
const BUILD = `${ROOT}build/${PRESET}`;
const FOLDER = `${ROOT}build/docs`;

function run(program, args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

function mustRun(program, args) {
  const { status, stdout, stderr } = run(program, args);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
}

/** The library that the native tests link, and how its sources are compiled. */
export function prepareCpp() {
  mustRun('cmake', ['--preset', PRESET, '--log-level=WARNING']);
  mustRun('cmake', ['--build', '--preset', PRESET, '--target', 'slabring_core']);
  const commands = JSON.parse(readFileSync(`${BUILD}/compile_commands.json`, 'utf8'));
  const { command } = commands.find(({ file }) => file.endsWith('cpp/src/arena.cpp'));
  const [compiler, ...flags] = command.split(' -o ')[0].split(' ').filter(Boolean);
  return { compiler, flags };
}

const withoutBlanks = (lines) => lines.map((line) => line.trimEnd()).filter(Boolean);

/** @returns {string | undefined} the problem, where a block says that it is a piece of a file */
function problemOfPiece(path, lines) {
  if (!existsSync(`${ROOT}${path}`)) return `there is no ${path}`;
  const file = withoutBlanks(readFileSync(`${ROOT}${path}`, 'utf8').split('\n')).join('\n');
  const piece = withoutBlanks(lines).join('\n');
  return `${file}\n`.includes(`${piece}\n`) ? undefined : `${path} has other lines`;
}

/** What the program prints, by the comments behind its statements. */
const printedBy = (lines) =>
  lines.flatMap((line) => {
    const print = /std::printf\(.*\);\s*\/\/ (.*)$/.exec(line);
    return print === null ? [] : [print[1]];
  });

/** @returns {string} what does not hold; empty when all does */
export function runCpp({ compiler, flags }, name, { lines }) {
  const [, path] = /^\/\/ (\S+\.[ch]pp)$/.exec(lines[0]) ?? [];
  if (path !== undefined) return problemOfPiece(path, lines.slice(1)) ?? '';
  mkdirSync(FOLDER, { recursive: true });
  const file = `${FOLDER}/${name}`;
  writeFileSync(`${file}.cpp`, lines.join('\n'));
  // The names that kernels are exported by mean something to WebAssembly alone.
  const compile = [...flags, '-Wno-unknown-attributes', '-c', `${file}.cpp`, '-o', `${file}.o`];
  const compiled = run(compiler, compile);
  if (compiled.status !== 0) return compiled.stderr;
  if (!lines.some((line) => /^int main\(/.test(line))) return '';
  const linked = run(compiler, [...flags, `${file}.o`, `${BUILD}/libslabring_core.a`, '-o', file]);
  if (linked.status !== 0) return linked.stderr;
  const { status, stdout, stderr } = run(file, []);
  const expected = printedBy(lines);
  if (expected.length === 0) return 'it says nothing of what it prints';
  if (status !== 0) return `exit code ${status}\n${stderr}`;
  const printed = stdout.trimEnd().split('\n');
  return printed.join('\n') === expected.join('\n')
    ? ''
    : `it prints:\n${printed.join('\n')}\nand not:\n${expected.join('\n')}`;
}
