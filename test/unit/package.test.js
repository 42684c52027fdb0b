import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root));
const budget = JSON.parse(read('size-budget.json'));
const sizes = Object.keys(budget.gzip).map((file) => [
  file,
  gzipSync(read(file), { level: 9 }).length,
]);

/** What a program prints; run from the checkout, where the package resolves by its own name. */
const output = (source, ...flags) =>
  execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    cwd: root,
    encoding: 'utf8',
  });

describe('size budget, bytes after gzip', () => {
  test.each(sizes)('%s stays within it', (file, size) => {
    expect(size).toBeLessThanOrEqual(budget.gzip[file]);
  });

  test('all that is shipped together stays within it', () => {
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    expect(total).toBeLessThanOrEqual(budget.total);
  });
});

describe('the package', () => {
  test('resolves by its own name', () => {
    expect(output("console.log(import.meta.resolve('slabring'))").trim()).toBe(
      new URL('dist/slabring.js', root).href,
    );
  });

  test('does nothing at import: no file is read, nothing fetched or compiled', () => {
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
      await import('slabring');
      console.log(calls, Object.getOwnPropertyNames(globalThis).length - before);
    `;
    expect(output(source).trim()).toBe('0 0');
  });

  test('works where code from strings is forbidden', () => {
    const source = `
      const { createHeap } = await import('slabring');
      console.log((await createHeap()).from('hello').toString());
    `;
    expect(output(source, '--disallow-code-generation-from-strings').trim()).toBe('hello');
  });

  test('has nothing in its glue that a bundler would look for, and no code from strings', () => {
    const code = read('dist/slabring.js').toString();
    expect(code.match(/new URL\("[^)]*\)/g)).toEqual([
      'new URL("./slabring.wasm",import.meta.url)',
    ]);
    expect(code).not.toMatch(/\bFunction\(|\beval\(/);
  });
});
