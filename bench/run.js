/**
 * Runs the benchmarks: each case several times, each time in a fresh process, all implementations
 * interleaved in it. Prints the median of each and how many times quicker slabring is, next to the
 * bar that was set, if any. Informs; never fails because of a figure.
 *
 *   node bench/run.js [name ...] [--quick] [--json] [--node <program>]
 */

import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median } from './harness/measure.js';

/**
 * @typedef {object} Bar
 * @property {string} [of] which figure; for a comparison the ratio, of the rival named
 * @property {number} [least]
 * @property {number} [most]
 * @property {number} [aim]
 */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} [unit]
 * @property {Bar[]} [bars]
 * @property {number} [n] fixed count of operations a sample
 * @property {number} [longer] samples last so many times as long as usual
 * @property {number} [repetitions]
 * @property {string[]} [flags] that Node needs for it
 * @property {boolean} [rivals] compares with modules that are built for benchmarks only
 * @property {() => any} [setup] gives the implementations; `slabring` is compared with the others
 * @property {(options: import('./harness/measure.js').Options) => any} [figures] measures by itself
 * @property {() => void} [verify]
 */

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    node: { type: 'string', default: process.execPath },
  },
});
const [milliseconds, samples, repetitions] = options.quick ? [5, 9, 3] : [20, 15, 7];

const folder = new URL('./cases/', import.meta.url);
const child = fileURLToPath(new URL('./harness/child.js', import.meta.url));
const builder = fileURLToPath(new URL('../tools/build.js', import.meta.url));
const run = promisify(execFile);

/** @param {string} text */
const progress = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};

/**
 * @param {string} file
 * @param {number} index of the case in the file
 * @param {Case} benchmark
 * @returns {Promise<Record<string, number[]>>} by implementation or figure, one value a process
 */
async function repeat(file, index, benchmark) {
  /** @type {Record<string, number[]>} */
  const all = {};
  const count = benchmark.repetitions ?? repetitions;
  for (let i = 1; i <= count; i++) {
    progress(`${benchmark.name}: ${i} of ${count}`);
    const flags = ['--expose-gc', ...(benchmark.flags ?? [])];
    const args = [...flags, child, file, index, milliseconds, samples, i].map(String);
    const { stdout } = await run(options.node, args, { maxBuffer: 1 << 24 });
    for (const [name, value] of Object.entries(JSON.parse(stdout))) {
      all[name] ??= [];
      all[name].push(Array.isArray(value) ? median(value) : value);
    }
  }
  progress('');
  return all;
}

/** @param {number} value */
const short = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** @param {Bar} bar @param {number} value */
function verdict({ least, most, aim }, value) {
  const met = (least === undefined || value >= least) && (most === undefined || value <= most);
  const bar = least === undefined ? `at most ${most}` : `at least ${least}x`;
  return `${met ? 'met' : 'NOT MET'} (${bar}${aim === undefined ? '' : `, aim ${aim}x`})`;
}

/**
 * @param {Case} benchmark
 * @param {Record<string, number[]>} all
 */
function report({ name, unit = 'ns', bars = [] }, all) {
  console.log(`\n${name}`);
  const rows = [];
  for (const [key, values] of Object.entries(all)) {
    const ours = all.slabring;
    // Each process gives one ratio: what slowed it down slowed both sides.
    const ratio =
      ours && key !== 'slabring' ? median(values.map((value, i) => value / ours[i])) : undefined;
    const value = median(values);
    const bar = bars.find(({ of }) => of === key);
    rows.push({ key, value, ratio });
    const figure = `${short(value)}${ours ? ` ${unit}` : ''}`.padStart(12);
    const times = ratio === undefined ? '' : `${short(ratio)}x`.padStart(8);
    console.log(
      `  ${key.padEnd(34)}${figure}${times.padEnd(9)} ${bar ? verdict(bar, ratio ?? value) : ''}`,
    );
  }
  return rows;
}

const results = [];
let rivalsBuilt = false;
for (const entry of (await readdir(folder)).sort()) {
  const file = fileURLToPath(new URL(entry, folder));
  /** @type {Case[]} */
  const cases = [(await import(new URL(entry, folder).href)).default].flat();
  for (const [index, benchmark] of cases.entries()) {
    if (wanted.length > 0 && !wanted.some((word) => benchmark.name.includes(word))) continue;
    if (benchmark.rivals && !rivalsBuilt) {
      progress('building the rivals');
      await run(process.execPath, [builder, '--bench'], { maxBuffer: 1 << 24 });
      rivalsBuilt = true;
    }
    const all = await repeat(file, index, benchmark);
    if (options.json) results.push({ ...benchmark, results: all });
    else report(benchmark, all);
  }
}
if (options.json) console.log(JSON.stringify({ node: options.node, cases: results }, null, 2));
