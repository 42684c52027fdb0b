/** Results out of this page and into it, in the form of the command line's files. */

import { LARGEST_FILE, parseResults, rounded } from '../../bench/harness/results.js';

/** @import { Results } from '../../bench/harness/results.js' */

/** @param {Results} results */
export const textOf = (results) => `${JSON.stringify(results, rounded)}\n`;

/** Such as `slabring-chromium-156.0-2026-11-30T18-00-00.json`. @param {Results} results */
export function nameOf({ started, engines }) {
  const engine = Object.keys(engines)[0] ?? 'results';
  const time = new Date(started).toISOString().slice(0, 19);
  return `slabring-${engine}-${time}.json`.replace(/[^\w.-]+/g, '-');
}

/** @param {Results} results */
export function download(results) {
  const url = URL.createObjectURL(new Blob([textOf(results)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = nameOf(results);
  link.click();
  // Not before the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * @param {Blob & { name?: string }} file that a visitor chose
 * @returns {Promise<Results>}
 * @throws when it holds none, with a message for the visitor
 */
export async function load(file) {
  const name = file.name ?? 'the file';
  if (file.size > LARGEST_FILE) {
    throw new Error(`${name}: ${file.size} bytes are more than any results have`);
  }
  try {
    return parseResults(await file.text());
  } catch (error) {
    throw new Error(`${name}: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}
