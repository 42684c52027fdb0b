/** The dashboard as a folder: what it weighs, that all of it is there, and that it can lie anywhere. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { weigh } from '../../tools/web-folder.js';
import { catalogueOf } from '../../web/run/variants.js';
import { WEB } from './dashboard.js';

const { web: budget } = JSON.parse(
  readFileSync(new URL('../../size-budget.json', import.meta.url), 'utf8'),
);
const files = readdirSync(WEB, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, path = parentPath, name }) => join(path, name).slice(WEB.length));
const modules = files.filter((file) => /\.js$/.test(file) && file !== 'service-worker.js');
const text = (file) => readFileSync(join(WEB, file), 'utf8');

describe('size budget, bytes after gzip', () => {
  test('the page, without reference results and rivals', async () => {
    const { page, rivals } = await weigh();
    expect(page).toBeLessThanOrEqual(budget.page);
    expect(rivals).toBeLessThanOrEqual(budget.rivals);
  });
});

test('whatever a module imports lies beside it, whatever the path', () => {
  let count = 0;
  for (const file of modules) {
    const code = text(file);
    const found = code.matchAll(/\b(?:from|import)\s*\(?\s*"([\w@./:-]+)"/g);
    for (const [, specifier] of found) {
      // Node's own are behind a look at what runs it.
      if (specifier.startsWith('node:')) continue;
      count++;
      const isRelative = /^\.\.?\//.test(specifier);
      expect([file, specifier, isRelative]).toEqual([file, specifier, true]);
      const path = join(dirname(file), specifier);
      expect([file, specifier, existsSync(join(WEB, path))]).toEqual([file, specifier, true]);
    }
  }
  expect(count).toBeGreaterThan(30);
});

test('every case of the catalogue has its module, and it has loops to copy', async () => {
  const folder = new URL('../../bench/cases/', import.meta.url);
  const cases = [];
  for (const file of readdirSync(folder)) {
    cases.push((await import(new URL(file, folder).href)).default);
  }
  for (const { caseName } of catalogueOf(cases).variants) {
    const code = text(`bench/cases/${caseName}.js`);
    for (const [, path] of code.matchAll(/new URL\("([^"]+)",import\.meta\.url\)/g)) {
      expect(files).toContain(join('bench/cases', path));
    }
  }
});

test('the service worker keeps every file but itself', () => {
  const code = text('service-worker.js');
  for (const file of files) {
    if (['service-worker.js', '_headers'].includes(file)) continue;
    expect(code).toContain(`"${file === 'index.html' ? './' : file}"`);
  }
});

test('hosts that take headers from a file isolate the page', () => {
  expect(text('_headers')).toMatch(/Cross-Origin-Opener-Policy: same-origin\n/);
});

test('what is seen first was analysed before: the same as the samples say', async () => {
  const { analyse } = await import('../../bench/harness/analysis.js');
  const { parseResults, rounded } = await import('../../bench/harness/results.js');
  const results = parseResults(text('reference/results.json'));
  const { findings, context } = JSON.parse(text('reference/findings.json'));
  expect(context).toEqual(results.context);
  expect(findings).toEqual(JSON.parse(JSON.stringify(analyse(results), rounded)));
});
