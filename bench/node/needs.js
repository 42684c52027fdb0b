/** What cases need besides what `npm run build` makes. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** @import { Engine } from '../../tools/browsers/index.js' */
/** @import { Need } from '../harness/case.js' */

const run = promisify(execFile);

/** @param {string} path from the checkout */
const placeOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Emscripten's allocators, of whatever its version. */
async function buildRivals() {
  await run(process.execPath, [placeOf('tools/build.js'), '--bench'], { maxBuffer: 2 ** 24 });
}

/** The page that measures, with the rivals that are built. */
async function buildPage() {
  await buildRivals();
  const { buildWeb } = await import('../../tools/web-folder.js');
  await buildWeb({ out: placeOf('build/bench-web') });
}

/** @param {Engine} engine */
async function tryBrowser(engine) {
  const { launch } = await import('../../tools/browsers/index.js');
  const browser = await launch(engine).catch((error) => error);
  if (browser instanceof Error) return browser.message;
  await browser.close();
  return undefined;
}

/** @type {Record<Need, () => Promise<string | void>>} */
const needs = {
  rivals: buildRivals,
  page: buildPage,
  chromium: () => tryBrowser('chromium'),
  firefox: () => tryBrowser('firefox'),
  webkit: () => tryBrowser('webkit'),
};

/** @type {Map<Need, Promise<string | void>>} */
const met = new Map();

/**
 * Builds what is to be built, once a run.
 * @param {Need[]} wanted
 * @returns {Promise<string | undefined>} what this machine has not
 */
export async function problemOfNeeds(wanted) {
  for (const need of wanted) {
    const answer = met.get(need) ?? needs[need]();
    met.set(need, answer);
    const problem = await answer;
    if (problem) return problem;
  }
  return undefined;
}
