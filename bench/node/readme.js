/** README's figures, from stored results: no number is written by hand. */

import { readFile, writeFile } from 'node:fs/promises';
import { analyse } from '../harness/analysis.js';
import { OURS } from '../harness/case.js';
import { RATIO_INTERVAL } from '../harness/judging.js';
import { short } from '../harness/report.js';
import { warningsOf } from '../harness/warnings.js';

/** @import { Finding } from '../harness/analysis.js' */
/** @import { Results } from '../harness/results.js' */

const README = new URL('../../README.md', import.meta.url);

const BEGIN = '<!-- figures: written by `npm run bench -- readme` -->';
const END = '<!-- end of figures -->';

/** @typedef {{ what: string, id: string, metric?: string, of?: string }} Line */

/** What speaks for a heap, and what does not. @type {Record<string, Line[]>} */
const TABLES = {
  'Made for:': [
    {
      what: '`allocUnsafe(10)`, freed',
      id: 'buffer-creation operation=allocUnsafe size=10 end=freed',
      of: 'Buffer',
    },
    {
      what: '`alloc(10)`, freed',
      id: 'buffer-creation operation=alloc size=10 end=freed',
      of: 'Buffer',
    },
    {
      what: '`alloc(1024)`, freed',
      id: 'buffer-creation operation=alloc size=1024 end=freed',
      of: 'Buffer',
    },
    { what: 'a vector of 3, in an arena', id: 'arena-vec3', of: 'new Float64Array' },
    {
      what: '8 bytes to 4 KiB from C++, 1e5 live',
      id: 'pointers size=8-4096 live=100000 order=random',
      of: 'dlmalloc',
    },
    { what: 'a tick that queues the next', id: 'ticks shape=depth', of: 'process.nextTick' },
    { what: '250,000 ticks queued, then run', id: 'ticks shape=breadth', of: 'process.nextTick' },
    { what: 'a value that ticks carry along', id: 'async-variable', of: 'AsyncLocalStorage' },
  ],
  'Nothing gained, or something lost:': [
    {
      what: '`alloc(10)`, dropped',
      id: 'buffer-creation operation=alloc size=10 end=dropped',
      of: 'Buffer',
    },
    {
      what: '`allocUnsafe(10)`, dropped',
      id: 'buffer-creation operation=allocUnsafe size=10 end=dropped',
      of: 'Buffer',
    },
    {
      what: '`alloc(1e9)`',
      id: 'zeroed-blocks size=1000000000 use=kept',
      metric: 'ms',
      of: 'Buffer',
    },
    {
      what: '`alloc(1e9)`, resident memory',
      id: 'zeroed-blocks size=1000000000 use=kept',
      metric: 'MiB',
      of: 'Buffer',
    },
    { what: 'a chunk through a pipe', id: 'streams work=pipe', of: 'process.nextTick' },
    { what: 'a queue and nothing else', id: 'ticks-queue', of: 'fast-fifo' },
    { what: 'import and first heap', id: 'start-up steps=together', metric: 'ms' },
  ],
};

/** All that README shows. */
export const LINES = Object.values(TABLES).flat();

/**
 * @param {Results} results
 * @returns {string} tables in Markdown, and a line on where their figures are from
 */
export function figuresOf(results) {
  const findings = analyse(results);
  const [engine] = Object.keys(results.engines);
  /** @param {Line} line */
  const row = ({ what, id, metric = 'ns', of }) => {
    const find = (/** @type {string | undefined} */ name) =>
      findings.find(
        (finding) =>
          finding.id === id &&
          finding.engine === engine &&
          finding.metric === metric &&
          finding.name === name,
      );
    const ours = find(OURS);
    if (!ours) throw new Error(`the results have no "${id}"`);
    const theirs = find(of);
    const shown = (/** @type {Finding | undefined} */ finding) =>
      finding ? `${finding.noisy ? '~' : ''}${short(finding.median)} ${metric}` : '';
    const rival = theirs ? `${shown(theirs)}, \`${of}\`` : '';
    const { ratio, verdict = '' } = theirs ?? {};
    const range = ratio?.interval ? ` (${ratio.interval.map(short).join(' to ')})` : '';
    return `| ${what} | ${shown(ours)} | ${rival} | ${verdict}${range} |`;
  };
  const tables = Object.entries(TABLES).flatMap(([title, lines]) => [
    title,
    '',
    '| | slabring | beside it | slabring is |',
    '|---|---|---|---|',
    ...lines.map(row),
    '',
  ]);
  const { context, options } = results;
  const commit = context.commit?.slice(0, 12) ?? 'unknown';
  return [
    ...tables,
    `${context.cpu}, ${context.cores} cores, ${engine}, commit ${commit}; ${results.complete ? '' : 'up to '}${options.processes} fresh`,
    `processes of ${options.samples} samples each; in brackets the ${RATIO_INTERVAL} of theirs to ours; ~ where processes differ by more than 5 %.`,
  ].join('\n');
}

/**
 * @param {string} text of a README
 * @param {string} figures
 */
export function replaceFigures(text, figures) {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('README.md has no place for figures');
  return `${text.slice(0, begin + BEGIN.length)}\n${figures}\n${text.slice(end)}`;
}

/** @param {Results} results */
export async function writeReadme(results) {
  const text = await readFile(README, 'utf8');
  await writeFile(README, replaceFigures(text, figuresOf(results)));
  for (const warning of warningsOf(results, analyse(results))) console.log(`! ${warning}`);
}
