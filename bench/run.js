/**
 * The benchmarks: see docs/benchmarking.md. Informs; fails only when a result was wrong.
 *
 *   node bench/run.js [word ...] [options]        measures the cases whose id holds one of the words
 *   node bench/run.js compare <old> <new>         two stored runs beside each other
 *   node bench/run.js report <results>            the tables of a stored run
 *   node bench/run.js readme [results]            writes the figures of README.md
 */

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { analyse } from './harness/analysis.js';
import { judge } from './harness/bars.js';
import { isChosen, variantsOf } from './harness/case.js';
import { compare, reportComparison } from './harness/compare.js';
import { LEGEND, reportBars, reportOf } from './harness/report.js';
import { parseResults } from './harness/results.js';
import { warningsOf } from './harness/warnings.js';
import { contextOf } from './node/context.js';
import { enginesOf } from './node/engines.js';
import { problemOfNeeds } from './node/needs.js';
import { makeProgress } from './node/progress.js';
import { writeReadme } from './node/readme.js';
import { runAll } from './node/run-all.js';

/** @import { Bar } from './harness/bars.js' */
/** @import { Results } from './harness/results.js' */
/** @import { Chosen } from './node/run-all.js' */

const HELP = `npm run bench -- [word ...] [options]

  --quick            a part of the cases, short: less than 2 minutes in all
  --size 10,64       only variants of these sizes
  --node 20,22,24    on these versions of Node, fetched from npm when they are not there
  --json <file>      where to store the results (build/bench.json)
  --bars             only what bars are set for, and whether they are met
  --seed <n>         of the order
  --processes <n>    fresh processes each (5)
  --samples <n>      in each process (30)
  --milliseconds <n> a sample (5)
  --list             what would be measured

npm run bench -- compare <old.json> <new.json> [--all]
npm run bench -- report <results.json> [--bars]
npm run bench -- readme [results.json]`;

/** Five processes always: fewer could not show a difference. */
const FULL = { processes: 5, samples: 30, milliseconds: 5 };
const QUICK = { processes: 5, samples: 8, milliseconds: 2 };

const REFERENCE = 'bench/results/reference.json';

const folder = new URL('./cases/', import.meta.url);

/** @param {string} path */
const readJson = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));

/** @param {string} path @returns {Promise<Results>} */
async function readResults(path) {
  try {
    return parseResults(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {{ words: string[], sizes: string[], quick: boolean, only?: Set<string> }} choice */
async function choose({ words, sizes, quick, only }) {
  /** @type {Chosen[]} */
  const chosen = [];
  for (const entry of (await readdir(folder)).filter((name) => name.endsWith('.js')).sort()) {
    const url = new URL(entry, folder);
    const { default: benchmark } = await import(url.href);
    // What is measured in browsers starts them again and again: by name, or for their bars.
    const isNamed = words.some((word) => benchmark.name.includes(word.split(' ', 1)[0]));
    if (benchmark.elsewhere && !isNamed && !only) continue;
    for (const variant of variantsOf(benchmark, { quick: quick && !only, words })) {
      if (!isChosen(variant, { words, sizes }) || only?.has(variant.id) === false) continue;
      chosen.push({ file: fileURLToPath(url), benchmark, variant });
    }
  }
  return chosen;
}

/**
 * Those of which all is there that they need. Says which are not, before minutes are spent.
 * @param {Chosen[]} chosen
 */
async function chosenReady(chosen) {
  /** @type {Chosen[]} */
  const ready = [];
  for (const one of chosen) {
    const { benchmark, variant } = one;
    const problem = await problemOfNeeds(benchmark.needs?.(variant.parameters) ?? []);
    if (problem === undefined) ready.push(one);
    else console.error(`bench: ${variant.id} is left out: ${problem}`);
  }
  if (ready.length === 0) throw new Error('nothing is left to be measured');
  return ready;
}

/**
 * @param {Results} results
 * @param {{ bars: boolean }} options
 */
async function print(results, { bars }) {
  const findings = analyse(results);
  if (bars) {
    const all = await readJson('./bars.json');
    for (const engine of Object.keys(results.engines)) {
      const own = findings.filter((finding) => finding.engine === engine);
      console.log(`\n${engine}\n${reportBars(judge(all, own))}`);
    }
  } else {
    console.log(`${LEGEND}\n\n${reportOf(findings, await readJson('./published.json'))}`);
  }
  const warnings = warningsOf(results, findings);
  if (warnings.length > 0) console.log(`\n${warnings.map((line) => `! ${line}`).join('\n')}`);
}

/** @param {string | undefined} text @param {string} name */
function positive(text, name) {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) throw new Error(`--${name} ${text}: no such number`);
  return value;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      size: { type: 'string' },
      node: { type: 'string' },
      json: { type: 'string', default: 'build/bench.json' },
      bars: { type: 'boolean', default: false },
      seed: { type: 'string' },
      processes: { type: 'string' },
      samples: { type: 'string' },
      milliseconds: { type: 'string' },
      list: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, bars } = values;
  if (values.help) return console.log(HELP);
  const [command, ...paths] = positionals;
  if (command === 'compare') {
    if (paths.length !== 2) throw new Error(`compare wants two files\n\n${HELP}`);
    const [before, after] = await Promise.all(paths.map(readResults));
    return console.log(reportComparison(compare(before, after, { all: values.all })));
  }
  if (command === 'report') return print(await readResults(paths[0] ?? values.json), { bars });
  if (command === 'readme') return writeReadme(await readResults(paths[0] ?? REFERENCE));

  /** @type {Bar[] | undefined} */
  const wanted = bars ? await readJson('./bars.json') : undefined;
  const chosen = await choose({
    words: positionals,
    sizes: values.size?.split(',') ?? [],
    quick,
    only: wanted && new Set(wanted.map(({ id }) => id)),
  });
  if (chosen.length === 0) throw new Error('nothing is chosen by that; --list shows all there is');
  if (values.list) return console.log(chosen.map(({ variant }) => variant.id).join('\n'));

  const ready = await chosenReady(chosen);
  const usual = quick ? QUICK : FULL;
  const options = {
    quick,
    processes: positive(values.processes ?? `${usual.processes}`, 'processes'),
    samples: positive(values.samples ?? `${usual.samples}`, 'samples'),
    milliseconds: positive(values.milliseconds ?? `${usual.milliseconds}`, 'milliseconds'),
    seed: positive(values.seed ?? `${Date.now() % 1e6 || 1}`, 'seed'),
  };
  const progress = makeProgress(process.stderr);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
  const results = await runAll({
    chosen: ready,
    engines: await enginesOf(values.node),
    options,
    context: await contextOf(),
    path: values.json,
    signal: ending.signal,
    progress: progress.show,
  }).finally(progress.clear);
  if (results.rows.some(({ repetitions }) => repetitions.length > 0))
    await print(results, { bars });
  console.log(`\nStored in ${values.json}; seed ${options.seed}.`);
  if (!results.complete) process.exitCode = 130;
}

try {
  await main();
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  console.error(`bench: ${message}`);
  process.exitCode = 1;
}
