/**
 * The whole of test/unit and test/property in real pages, from the same files as in Node, under the
 * strict policy. What is Node's alone is named in suite/of-node.js.
 *
 *   SUITE_FILES=heap-free,arena SUITE_ENGINES=firefox SUITE_SEED=42    a part; the same examples
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines as all, launch } from '../../tools/browsers/index.js';
import { servePages } from './browser.js';
import { Suite, testFiles } from './suite/suite.js';

const { SUITE_FILES = '', SUITE_ENGINES = '', SUITE_SEED } = process.env;
const among = (names, words) =>
  names.filter((name) => words.split(',').some((word) => name.includes(word)));
const files = among(await testFiles(), SUITE_FILES);
const engines = among(all, SUITE_ENGINES);
const suite = new Suite(Number(SUITE_SEED ?? Date.now() % 2 ** 31));

const TIMEOUT = 15 * 60_000;

let server;
/** @type {Record<string, Promise<any>>} */
const browsers = {};
/** By engine and file. @type {Record<string, Record<string, Promise<any>>>} */
const outcomes = {};

/** One file after the other, beside the other engines: most of the time each waits for one thing. */
function start(engine) {
  outcomes[engine] = {};
  let before = Promise.resolve();
  for (const file of files) {
    const outcome = before.then(async () => suite.run(file, await browsers[engine], server.url));
    outcomes[engine][file] = outcome;
    before = outcome.catch(() => {});
  }
}

beforeAll(async () => {
  server = await servePages();
  await suite.prepare(files);
  for (const engine of engines) {
    browsers[engine] = launch(engine);
    // One that fails is the failure of its tests; and Jest loads one module at a time.
    await browsers[engine].catch(() => {});
    start(engine);
  }
}, TIMEOUT);

afterAll(async () => {
  for (const browser of Object.values(browsers)) await (await browser.catch(() => {}))?.close();
  await server?.close();
});

describe.each(engines)('%s', (engine) => {
  const totals = { ran: 0, elsewhere: 0, more: 0 };

  test.each(files)(
    '%s',
    async (file) => {
      const { problems, ...counts } = await outcomes[engine][file];
      for (const key of Object.keys(totals)) totals[key] += counts[key];
      expect(problems.join('\n\n')).toBe('');
    },
    TIMEOUT,
  );

  test('all tests have run but those of Node', async () => {
    const { ran, elsewhere, more } = totals;
    const { version } = await browsers[engine];
    const listed = suite.count(files);
    console.log(
      `${engine} ${version}: ${ran} of ${listed} tests ran, ${elsewhere} are of Node or lack something, ` +
        `and ${more} of what Node ${process.versions.node} has not; seed ${suite.seed}`,
    );
    expect(ran + elsewhere).toBe(listed);
  });
});
