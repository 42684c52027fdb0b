/** The documents of this repository, taken apart as far as the tests need them. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const mdFilesIn = (folder) =>
  readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}${name}`);

/** Every Markdown file that is ours, by its path from the root. */
export const documents = ['', 'docs/', 'docs/decisions/'].flatMap(mdFilesIn);

/** Every source file of the package. */
export const sources = readdirSync(`${ROOT}js`)
  .filter((name) => name.endsWith('.js'))
  .map((name) => `js/${name}`);

export const readDocument = (path) => readFileSync(`${ROOT}${path}`, 'utf8');

/**
 * Blocks between fences: their label, first line (counted from 1) and lines; and all lines again
 * with those of blocks, and the fences, empty.
 */
export function takeApart(text) {
  const blocks = [];
  const prose = [];
  let block;
  text.split('\n').forEach((line, at) => {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null && block === undefined) {
      prose.push(line);
      return;
    }
    prose.push('');
    if (fence === null) {
      block.lines.push(line);
    } else if (block === undefined) {
      block = { label: fence[1].trim(), line: at + 2, lines: [] };
    } else {
      if (fence[1] !== '') throw new Error(`line ${at + 1}: a fence within a block`);
      blocks.push(block);
      block = undefined;
    }
  });
  if (block !== undefined) throw new Error(`line ${block.line - 1}: a fence that nothing closes`);
  return { blocks, prose };
}

/** The examples in the comments of a source file: first line and lines, as blocks have them. */
export function examplesOf(text) {
  const blocks = [];
  let block;
  text.split('\n').forEach((line, at) => {
    if (/^ *\* @example$/.test(line)) {
      block = { label: 'js', line: at + 2, lines: [] };
      blocks.push(block);
    } else if (/^ *\*(\/| @)/.test(line)) {
      block = undefined;
    } else {
      block?.lines.push(line.replace(/^ *\* ?/, ''));
    }
  });
  return blocks;
}

/** What is between single backquotes, with its line. */
export const spansOf = (prose) =>
  prose.flatMap((line, at) =>
    [...line.matchAll(/`([^`]+)`/g)].map(([, span]) => ({ span, line: at + 1 })),
  );

/** Targets of links, with their line. */
export const linksOf = (prose) =>
  prose.flatMap((line, at) =>
    [...line.replace(/`[^`]*`/g, '``').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({
      target,
      line: at + 1,
    })),
  );

/** The anchors of headings, as where Markdown is shown they are made. */
export function anchorsOf(prose) {
  const seen = new Map();
  return prose.flatMap((line) => {
    const heading = /^#+ (.+)$/.exec(line);
    if (heading === null) return [];
    const anchor = heading[1]
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return [before === 0 ? anchor : `${anchor}-${before}`];
  });
}
