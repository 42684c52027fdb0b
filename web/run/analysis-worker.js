/** The statistics, away from the page: a bootstrap is a long task. */

import { findingsOf } from '../../bench/harness/analysis.js';
import { compare } from '../../bench/harness/compare.js';

/** Each takes what the page sends, and gives what goes back. @type {Record<string, Function>} */
const actions = {
  findingsOf,
  compare,
};

addEventListener('message', ({ data: { id, action, args } }) => {
  try {
    postMessage({ id, value: actions[action](...args) });
  } catch (error) {
    postMessage({ id, error: /** @type {Error} */ (error).message });
  }
});
