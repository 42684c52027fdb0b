/** README's figures, from stored results: no number is written by hand. */

import { readFile, writeFile } from 'node:fs/promises';
import { analyse, warningsOf } from '../harness/analysis.js';
import { OURS } from '../harness/case.js';
import { short } from '../harness/report.js';

/** @import { Finding } from '../harness/analysis.js' */
/** @import { Results } from '../harness/results.js' */

const README = new URL('../../README.md', import.meta.url);

const BEGIN = '<!-- figures: written by `npm run bench -- readme` -->';
const END = '<!-- end of figures -->';

/** @type {{ what: string, id: string, metric?: string, of?: string }[]} */
const LINES = [
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
  { what: 'a tick that queues the next', id: 'ticks shape=depth', of: 'process.nextTick' },
  { what: '1e6 ticks queued, then run', id: 'ticks shape=breadth', of: 'process.nextTick' },
  { what: 'import and first heap', id: 'start-up steps=together', metric: 'ms' },
];

/**
 * @param {Results} results
 * @returns {string} a table in Markdown, and a line on where its figures are from
 */
export function figuresOf(results) {
  const findings = analyse(results);
  const [engine] = Object.keys(results.engines);
  const rows = LINES.map(({ what, id, metric = 'ns', of }) => {
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
    const { ratio, verdict = '' } = theirs ?? {};
    const range = ratio?.interval ? ` (${ratio.interval.map(short).join(' to ')})` : '';
    const rival = theirs ? `${shown(theirs)} (\`${of}\`)` : '';
    return `| ${what} | ${shown(ours)} | ${rival} | ${ratio ? `${short(ratio.value)}x${range}` : ''} | ${verdict} |`;
  });
  const { context, options } = results;
  const commit = context.commit?.slice(0, 12) ?? 'unknown';
  return [
    '| what | slabring | Node | ratio | slabring is |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `${context.cpu}, ${context.cores} cores, ${engine}, commit ${commit}; ${options.processes} fresh`,
    `processes of ${options.samples} samples each, ratios with their 99 % interval, ~ where processes differ by more than 5 %.`,
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
