/** Results as an issue can hold them: what was measured where, every verdict, what to be careful of. */

import { RATIO_INTERVAL } from '../../bench/harness/judging.js';
import { absolute, oursOf, rivalOf, rivalsOf, withInterval } from '../model/text.js';

/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Results } from '../../bench/harness/results.js' */

/**
 * A file may hold anything in its names: no more than text.
 * @param {string} text
 */
export const escaped = (text) =>
  text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+!|~@&-]/g, '\\$&');

/** As long as an issue can be, with room for what else is said. */
const LONGEST = 60_000;

/**
 * @param {object} report
 * @param {Omit<Results, 'rows'>} report.about
 * @param {Finding[]} report.findings
 * @param {string[]} report.warnings
 * @param {string} [address] that does the run again
 */
export function markdownOf({ about, findings, warnings }, address) {
  const { context, engines, options, started } = about;
  const several = Object.keys(engines).length > 1;
  /** @type {[string, string | undefined][]} */
  const facts = [
    ['engine', Object.keys(engines).join(', ')],
    [
      'system',
      `${context.system}, ${context.cpu === 'unknown' ? '' : `${context.cpu}, `}${context.cores} cores`,
    ],
    ['build', [context.build, context.commit?.slice(0, 12)].filter(Boolean).join(', commit ')],
    [
      'page',
      context.isolated === undefined
        ? undefined
        : `${context.isolated ? '' : 'not '}cross-origin isolated, the clock steps by ${(context.clockStep ?? 0) / 1000} us`,
    ],
    [
      'run',
      `${options.quick ? 'quick, ' : ''}${options.processes} fresh processes, ${options.samples} samples of ${options.milliseconds} ms, seed ${options.seed}, ${started}`,
    ],
  ];
  const lines = [
    '### slabring benchmarks',
    '',
    ...facts.flatMap(([key, value]) => (value ? [`- ${key}: ${escaped(value)}`] : [])),
  ];
  if (address !== undefined) lines.push(`- again: <${address}>`);
  lines.push(
    '',
    `| variant | against | takes (${RATIO_INTERVAL}) | slabring is | its median | slabring |`,
    '|---|---|---|---|---|---|',
  );
  const rows = rivalsOf(findings).map((finding) => {
    const cells = [
      several ? `${finding.id} [${finding.engine}]` : finding.id,
      rivalOf(finding),
      withInterval(finding.ratio),
      finding.verdict ?? 'not compared',
      absolute(finding),
      absolute(
        oursOf(
          findings.filter(({ engine }) => engine === finding.engine),
          finding,
        ),
      ),
    ];
    return `| ${cells.map(escaped).join(' | ')} |`;
  });
  const notes = ['', ...warnings.map((warning) => `- ${escaped(warning)}`)];
  let room = LONGEST - [...lines, ...notes].join('\n').length;
  const fitting = rows.filter((row) => {
    room -= row.length + 1;
    return room > 0;
  });
  lines.push(...fitting);
  if (fitting.length < rows.length) {
    notes.unshift('', `${rows.length - fitting.length} more rows are left out.`);
  }
  return `${[...lines, ...notes].join('\n').trimEnd()}\n`;
}
