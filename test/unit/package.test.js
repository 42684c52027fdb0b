import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root));
const budget = JSON.parse(read('size-budget.json'));
const sizeOf = {
  raw: (file) => read(file).length,
  gzip: (file) => gzipSync(read(file), { level: 9 }).length,
};

/** Entries with JavaScript. */
const ENTRIES = ['slabring', 'slabring/inline', 'slabring/process'];

/** What a program prints; run from the checkout, where the package resolves by its own name. */
const output = (source, ...flags) =>
  execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    cwd: root,
    encoding: 'utf8',
  });

describe.each(['raw', 'gzip'])('size budget, %s bytes', (kind) => {
  test.each(Object.entries(budget[kind]))('%s stays within it', (file, most) => {
    expect(sizeOf[kind](file)).toBeLessThanOrEqual(most);
  });
});

test('what a page loads stays within its budget', () => {
  expect(sizeOf.gzip('dist/slabring.js') + sizeOf.gzip('dist/slabring.wasm')).toBeLessThanOrEqual(
    budget['slabring.js and slabring.wasm, gzip'],
  );
});

describe('the tarball', () => {
  let folder;
  let tarball;
  let files;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slabring-package-'));
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    tarball = join(folder, packed.filename);
    files = packed.files.map(({ path }) => path);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, root));
  /** What a program prints that ends well; an error with what it printed when it does not. */
  const checked = (name, ...args) =>
    execFileSync(bin(name), args, { cwd: folder, encoding: 'utf8', timeout: 60_000 });

  test('has what is needed and nothing else', () => {
    expect(files.sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'package.json',
        'dist/slabring.wasm',
        ...['slabring', 'inline', 'process'].flatMap((name) =>
          ['.js', '.js.map', '.d.ts'].map((end) => `dist/${name}${end}`),
        ),
      ].sort(),
    );
  });

  test('stays within its budget', () => {
    expect(readFileSync(tarball).length).toBeLessThanOrEqual(budget.tarball);
  });

  test('is as publint wants it', () => {
    expect(checked('publint', 'run', tarball, '--strict')).toContain('All good');
  });

  // ESM alone: `require` gets it too, in the versions of Node that can (22.12 and newer).
  test('has types that all resolve as the code does', () => {
    const entries = ['--exclude-entrypoints', './slabring.wasm', './package.json'];
    const report = checked(
      'attw',
      tarball,
      ...['--profile', 'esm-only', '--no-definitely-typed', '--format', 'json'],
      ...entries,
    );
    const { analysis } = JSON.parse(report);
    expect(Object.keys(analysis.entrypoints).sort()).toEqual(['.', './inline', './process']);
  });

  test('names no place and no file of this machine', () => {
    for (const file of files) {
      expect([
        file,
        read(file).includes(fileURLToPath(root)),
        read(file).includes('/tmp/'),
      ]).toEqual([file, false, false]);
    }
  });
});

describe('the package', () => {
  test('resolves by its own name', () => {
    expect(output("console.log(import.meta.resolve('slabring'))").trim()).toBe(
      new URL('dist/slabring.js', root).href,
    );
  });

  test.each(ENTRIES)(
    'does nothing at import: no file read, nothing compiled, no global: %s',
    (entry) => {
      const source = `
      import fs from 'node:fs/promises';
      let calls = 0;
      const { readFile } = fs;
      fs.readFile = (path, ...rest) => {
        if (/wasm$/.test(path)) calls++;
        return readFile(path, ...rest);
      };
      globalThis.fetch = WebAssembly.compile = () => calls++;
      WebAssembly.Module = WebAssembly.Memory = class { constructor() { calls++; } };
      const before = Object.getOwnPropertyNames(globalThis).length;
      await import('${entry}');
      await new Promise((resolve) => setTimeout(resolve, 10));
      console.log(calls, Object.getOwnPropertyNames(globalThis).length - before);
    `;
      expect(output(source).trim()).toBe('0 0');
    },
  );

  test('works where code from strings is forbidden', () => {
    const source = `
      const { createHeap } = await import('slabring');
      console.log((await createHeap()).from('hello').toString());
    `;
    expect(output(source, '--disallow-code-generation-from-strings').trim()).toBe('hello');
  });

  test.each([
    ['slabring', ['new URL("./slabring.wasm",import.meta.url)']],
    ['inline', null],
    ['process', null],
  ])(
    'has nothing else that a bundler would look for, and no code from strings: %s',
    (name, urls) => {
      const code = read(`dist/${name}.js`).toString();
      expect(code.match(/new URL\("[^)]*\)/g)).toEqual(urls);
      expect(code).not.toMatch(/\bFunction\(|\beval\(|\bimport\(/);
    },
  );

  test('is one copy: what is inside of slabring.js the other entries import', () => {
    expect(read('dist/inline.js').toString()).toMatch(/from"\.\/slabring\.js"/);
    expect(read('dist/process.js').toString()).toMatch(/from"\.\/inline\.js"/);
  });

  const stackOf = (program) =>
    output(
      `import { createHeap, createHeapSync } from 'slabring';
      const heap = await createHeap();
      try { ${program} } catch (error) { console.log(error.stack); }`,
      '--enable-source-maps',
    );

  // As the sources are now, so that the test needs no change with them.
  test.each([
    ['heap.alloc("x")', 'validateNumber', 'errors.js', 'throw invalidArgType'],
    ['heap.arena().view(Int8Array, 77, 1)', 'validateRange', 'arena.js', 'validateInteger(pointer'],
    ['createHeapSync(5)', 'toModule', 'load.js', 'throw invalidArgType'],
    ['await createHeap({ wasm: "/not/there.wasm" })', 'loadUrl', 'load.js', 'throw unloadable'],
  ])(
    'has maps of use: the stack of %s names function, file and line',
    (program, name, file, line) => {
      const [, place] = new RegExp(`at (?:async )?${name} \\(.*/js/${file}:(\\d+):`).exec(
        stackOf(program),
      );
      const source = read(`js/${file}`).toString().split('\n');
      expect(source[place - 1]).toContain(line);
    },
  );
});
