/** What a reader must know before believing a run. */

import { excludesOne } from './judging.js';

/** @import { Finding } from './analysis.js' */
/** @import { Results } from './results.js' */

/** The case that compares ours with ours: who finds a difference there has measured the machine. */
export const CONTROL = 'control';

/** Nanoseconds: what is coarser makes samples longer than was asked for. */
const COARSE_STEP = 50_000;

/** @param {number} count @param {string} thing */
const several = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;

/**
 * Where a run was a page's: what a browser did to it. Nothing is dropped for it.
 * @param {Pick<Results, 'context' | 'rows'>} results
 * @returns {string[]}
 */
export function conditionsOf({ context, rows }) {
  const conditions = [];
  const repetitions = rows.flatMap((row) => row.repetitions);
  const hidden = repetitions.filter((repetition) => repetition.hidden).length;
  const throttled = repetitions.filter((repetition) => repetition.throttled).length;
  if (context.build === 'debug') {
    conditions.push('A debug build: all its assertions were measured.');
  }
  if (context.isolated === false) {
    const { clockStep } = context;
    const step = clockStep === undefined ? '' : `: its clock steps by ${clockStep / 1000} us`;
    const longer = (clockStep ?? 0) >= COARSE_STEP ? ', and samples last as much longer' : '';
    conditions.push(`The page was not cross-origin isolated${step}${longer}.`);
  }
  if (hidden > 0) {
    conditions.push(
      `The page was hidden during ${several(hidden, 'repetition')}: browsers slow down what nobody sees.`,
    );
  }
  if (throttled > 0) {
    conditions.push(
      `Timers came late or the processor was slowed down around ${several(throttled, 'repetition')}: a battery, heat, or other work.`,
    );
  }
  return conditions;
}

/**
 * @param {Results} results
 * @param {Finding[]} findings
 * @returns {string[]}
 */
export function warningsOf(results, findings) {
  const { complete, rows, options } = results;
  const warnings = [];
  if (!complete) warnings.push('The run was ended early: fewer processes than planned.');
  warnings.push(...conditionsOf(results));
  const failed = rows.filter(({ error }) => error !== undefined);
  for (const { id, engine, error } of failed) warnings.push(`${id} on ${engine}: ${error}`);
  if (options.quick) {
    warnings.push('A quick run: a part of the cases, few samples, and shorter work.');
  }
  const differing = findings.filter(
    ({ id, ratio }) => id.startsWith(CONTROL) && excludesOne(ratio?.interval),
  );
  for (const { id, verdict } of differing) {
    warnings.push(`The same code measured twice differs (${id}: ${verdict}): not a quiet machine.`);
  }
  const noisy = findings.filter((finding) => finding.noisy).length;
  if (noisy > 0) {
    warnings.push(
      `${noisy} of ${findings.length} results are noisy (~): processes differ by more than 5 %.`,
    );
  }
  if (rows.some(({ repetitions }) => repetitions.some(({ gc }) => gc === false))) {
    warnings.push('Garbage was not collected between samples: this engine cannot be asked to.');
  }
  return warnings;
}
