/** Who does the statistics, for whom is deep in the page. */

import { createContext } from 'preact';

/** @import { makeAnalyst } from '../run/analyst.js' */

export const Analysing = createContext(
  /** @type {ReturnType<typeof makeAnalyst>} */ (/** @type {unknown} */ (undefined)),
);
