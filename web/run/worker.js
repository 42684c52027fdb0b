/**
 * One repetition of one variant: a worker is made for it and ended after it, so nothing of another
 * repetition is in it, neither memory nor compiled code.
 */

import { runCase } from '../../bench/harness/run-case.js';

/** @import { RunOptions, Repetition } from '../../bench/harness/run-case.js' */

/**
 * @typedef {object} Job
 * @property {string} name of the case, which is that of its file
 * @property {RunOptions} options
 *
 * @typedef {{ repetition: Repetition } | { error: string }} Answer
 */

/** @param {unknown} error */
const messageOf = (error) =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

addEventListener('message', async ({ data: { name, options } }) => {
  /** @type {Answer} */
  let answer;
  try {
    if (!/^[a-z\d-]+$/.test(name)) throw new Error(`no case "${name}"`);
    const { default: benchmark } = await import(
      new URL(`../bench/cases/${name}.js`, import.meta.url).href
    );
    answer = { repetition: await runCase(benchmark, options) };
  } catch (error) {
    answer = { error: messageOf(error) };
  }
  postMessage(answer);
});
