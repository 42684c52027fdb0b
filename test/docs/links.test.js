/** Links between the documents, and to files, lead somewhere. */

import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  anchorsOf,
  documents,
  linksOf,
  ROOT,
  readDocument,
  takeApart,
} from './support/documents.js';

const prose = new Map(documents.map((path) => [path, takeApart(readDocument(path)).prose]));

function problemOf(from, target) {
  if (/^https:/.test(target)) return undefined;
  const [file, anchor] = target.split('#');
  const path = file === '' ? from : posix.normalize(posix.join(posix.dirname(from), file));
  if (!existsSync(`${ROOT}${path}`)) return `${path} is not there`;
  if (anchor === undefined) return undefined;
  const anchors = anchorsOf(prose.get(path) ?? []);
  return anchors.includes(anchor) ? undefined : `${path} has no #${anchor}`;
}

test.each([...prose])('links of %s', (path, lines) => {
  const problems = linksOf(lines).flatMap(({ target, line }) => {
    const problem = problemOf(path, target);
    return problem === undefined ? [] : [`line ${line}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

test('every document is linked from README or from a document that is', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    for (const { target } of linksOf(prose.get(path) ?? [])) {
      const next = posix.normalize(posix.join(posix.dirname(path), target.split('#')[0]));
      if (prose.has(next)) reached.add(next);
      // A folder shows what is in it.
      for (const other of prose.keys())
        if (posix.dirname(other) === next.replace(/\/$/, '')) reached.add(other);
    }
  }
  expect([...prose.keys()].filter((path) => !reached.has(path))).toEqual([]);
});
