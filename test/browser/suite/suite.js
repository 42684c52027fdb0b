/** All test files of test/unit and test/property, in the pages of a browser. */

import { constants } from 'node:buffer';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleTests, nameOf } from './bundle.js';
import { lacking, ofNode } from './of-node.js';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const BUNDLES = 'build/suite';

/** Of random tests, a part: they run in full in Node, and each engine's pages take as long again. */
const PROPERTY_RUNS = '0.2';

const BUFFER_METHODS = Object.keys(Buffer.prototype).filter(
  (key) => key !== 'parent' && key !== 'offset',
);

/** Milliseconds in which a page must tell how far it is. Some tests take seconds. */
const SILENCE = 90_000;

/** @returns {string[]} below test/ */
export async function testFiles() {
  const folders = ['unit', 'property'].map(async (folder) => {
    const names = await readdir(`${checkout}test/${folder}`);
    return names.filter((name) => name.endsWith('.test.js')).map((name) => `${folder}/${name}`);
  });
  return (await Promise.all(folders)).flat().sort();
}

/** The full names of all tests by file, as Jest knows them: it loads the files and runs nothing. */
async function listedByJest() {
  const output = `${checkout}${BUNDLES}/list.json`;
  await run(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/.bin/jest'],
      ...['--config=jest.config.js', '--testNamePattern=$^', '--json', `--outputFile=${output}`],
    ],
    { cwd: checkout, env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const { testResults } = JSON.parse(await readFile(output, 'utf8'));
  return Object.fromEntries(
    testResults.map(({ name, assertionResults }) => [
      name.slice(`${checkout}test/`.length),
      assertionResults.map(({ fullName }) => fullName),
    ]),
  );
}

/** What is left of `names` when each of `others` has taken one. */
function without(names, others) {
  const left = [...names];
  for (const other of others) {
    const at = left.indexOf(other);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

export class Suite {
  /** @type {Record<string, string[]>} */
  #names = {};
  #answered = new Map();

  /** @param {number} seed of all random tests */
  constructor(seed) {
    this.seed = seed;
  }

  async prepare(files) {
    await rm(`${checkout}${BUNDLES}`, { recursive: true, force: true });
    await mkdir(`${checkout}${BUNDLES}`, { recursive: true });
    [this.#names] = await Promise.all([listedByJest(), bundleTests(files, BUNDLES)]);
  }

  /**
   * Those tests of a file that are Node's, or none of this engine's.
   * @param {string} file @param {string} engine
   */
  #elsewhere(file, engine) {
    const names = this.#names[file];
    const lists = [ofNode[file], lacking[engine]?.[file]];
    if (lists.some((list) => typeof list === 'string')) return { whole: true, names, unknown: [] };
    const entries = lists.flatMap((list) => Object.values(list ?? {}).flat());
    const fits = (entry, name) =>
      typeof entry === 'string' ? name.startsWith(entry) : entry.test(name);
    return {
      whole: false,
      names: names.filter((name) => entries.some((entry) => fits(entry, name))),
      unknown: entries.filter((entry) => !names.some((name) => fits(entry, name))),
    };
  }

  #options(file, engine) {
    return { seed: this.seed, elsewhere: this.#elsewhere(file, engine).names };
  }

  /** How many tests Node has. @param {string[]} files */
  count(files) {
    return files.reduce((sum, file) => sum + this.#names[file].length, 0);
  }

  /** Has Node's answers recorded, once for all engines. */
  #answers(file) {
    if (!this.#answered.has(file)) {
      const args = [
        `${checkout}${BUNDLES}`,
        nameOf(file),
        JSON.stringify(this.#options(file, 'chromium')),
      ];
      const done = run(
        process.execPath,
        [
          '--max-old-space-size=2000',
          fileURLToPath(new URL('record.js', import.meta.url)),
          ...args,
        ],
        { cwd: checkout, env: { ...process.env, NODE_OPTIONS: '', PROPERTY_RUNS } },
      );
      this.#answered.set(file, done);
    }
    return this.#answered.get(file);
  }

  /** Runs a file in a page; one string for each thing that is not as it must be. */
  async run(file, browser, url) {
    const elsewhere = this.#elsewhere(file, browser.name);
    // A file that cannot even be loaded has no answers, and its page will say so.
    await this.#answers(file).catch((error) => {
      if (!elsewhere.whole) throw error;
    });
    const page = await browser.open(url);
    let results;
    try {
      results = await this.#resultsIn(page, file, browser.name);
    } catch (error) {
      if (!elsewhere.whole) throw error;
      results = [];
    } finally {
      await page.close();
    }
    return this.#judge(file, elsewhere, results);
  }

  async #resultsIn(page, file, engine) {
    await page.evaluate(
      async (bundles, name, options, given) => {
        globalThis.suite = await import(`${bundles}/page.js`);
        const { load, inPage } = globalThis.suite;
        await load(`./${name}.js`, options, await inPage(`${bundles}/${name}.answers.json`, given));
      },
      `/${BUNDLES}`,
      nameOf(file),
      this.#options(file, engine),
      {
        env: { PROPERTY_RUNS },
        nodeVersion: process.versions.node,
        maxLength: constants.MAX_LENGTH,
        bufferMethods: BUFFER_METHODS,
      },
    );
    const results = [];
    let running = 'the first test';
    for (;;) {
      let timer;
      const silent = new Promise((_, reject) => {
        timer = setTimeout(
          () => reject(new Error(`nothing heard for ${SILENCE} ms, after: ${running}`)),
          SILENCE,
        );
      });
      const next = page.evaluate(() => globalThis.suite.advance(1000));
      const {
        finished,
        running: now,
        done,
      } = await Promise.race([next, silent]).finally(() => clearTimeout(timer));
      results.push(...finished);
      if (done) return results;
      running = now;
    }
  }

  #judge(file, elsewhere, results) {
    const listed = this.#names[file];
    const passed = results.filter(({ status }) => status === 'passed');
    const failed = results.filter(({ status }) => status === 'failed');
    const names = new Set(elsewhere.names);
    const problems = [
      ...elsewhere.unknown.map((entry) => `of-node.js names no test of this file: ${entry}`),
      ...passed
        .filter(({ name }) => names.has(name))
        .map(({ name }) => `passes in a page, though of-node.js names it: ${name}`),
      ...failed
        .filter(({ name }) => !names.has(name))
        .map(({ name, errors }) => `${name}\n${errors.map(shown).join('\n')}`),
      ...without(
        listed.filter((name) => !names.has(name)),
        results.filter(({ status }) => status !== 'skipped').map(({ name }) => name),
      ).map((name) => `did not run: ${name}`),
    ];
    const ran = results.filter(({ name, status }) => status !== 'skipped' && !names.has(name));
    const more = without(
      ran.map(({ name }) => name),
      listed,
    ).length;
    return { problems, ran: ran.length - more, elsewhere: elsewhere.names.length, more };
  }
}

/** The runner's own frames say nothing. */
const shown = ({ name, message, stack }) => {
  const frames = stack.replace(message, '').split('\n');
  const last = frames.findIndex((line) => /\b(inTime|attempt|runTest)\b/.test(line));
  return `  ${name}: ${message}\n${frames.slice(0, last < 0 ? 12 : last).join('\n')}`.replaceAll(
    '\n',
    '\n  ',
  );
};
