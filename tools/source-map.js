/**
 * A source map reduced to what a stack trace is told by: the file, the line, and the name of the
 * function. A full one is larger than the code that it is for; this is a seventh of that.
 */

import { decode, encode } from '@jridgewell/sourcemap-codec';
import ts from 'typescript';

/** @import { SourceMapSegment } from '@jridgewell/sourcemap-codec' */

/** In code without any of these, nothing is called and nothing throws. */
const CAN_FAIL = /[(.[`]|\b(?:throw|new|await)\b/;

/** @typedef {{ version: number, file: string, sources: string[], names: string[], mappings: string }} SourceMap */

/**
 * Functions that have a name of their own or are the value of something that has, and where that
 * stands.
 * @param {string} code
 */
function* namedFunctions(code) {
  const file = ts.createSourceFile('code.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  /** @type {ts.Node[]} */
  const rest = [file];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    node.forEachChild((child) => void rest.push(child));
    if (!ts.isFunctionLike(node)) continue;
    const { parent } = node;
    const assigned =
      ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)
        ? parent.name
        : ts.isBinaryExpression(parent)
          ? parent.left
          : undefined;
    const name = node.name ?? assigned;
    if (name !== undefined) yield { start: node.getStart(), nameAt: name.getStart() };
  }
}

/** @param {string[]} list */
function indexer(list) {
  /** @param {string} value */
  return (value) => {
    const at = list.indexOf(value);
    return at === -1 ? list.push(value) - 1 : at;
  };
}

/**
 * Engines look for the name where the function begins, and there it is put; bundlers write it where
 * the name stands, and wherever else it is used.
 * @param {SourceMap} map
 * @param {string} code what it is for
 * @param {RegExp} left sources of which nothing is told
 * @returns {SourceMap}
 */
export function reduceMap(map, code, left) {
  /** @type {string[]} */
  const sources = [];
  /** @type {string[]} */
  const names = [];
  const sourceIndex = indexer(sources);
  const nameIndex = indexer(names);

  const full = decode(map.mappings);
  const lines = ts.createSourceFile('code.js', code, ts.ScriptTarget.Latest);
  /** @param {number} at */
  const placeOf = (at) => ts.getLineAndCharacterOfPosition(lines, at);

  /** @type {Map<number, string>[]} by line and column */
  const named = full.map(() => new Map());
  for (const { start, nameAt } of namedFunctions(code)) {
    const { line, character } = placeOf(nameAt);
    const segment = full[line]?.find((candidate) => candidate[0] === character);
    if (segment?.length !== 5) continue;
    const place = placeOf(start);
    named[place.line].set(place.character, map.names[segment[4]]);
  }

  const codeLines = code.split('\n');
  const mappings = full.map((segments, i) => {
    const columns = new Set([...segments.map(([column]) => column), ...named[i].keys()]);
    const places = [...columns]
      .sort((a, b) => a - b)
      .flatMap((column) => {
        const segment = segments.findLast((candidate) => candidate[0] <= column);
        if (segment === undefined || segment.length === 1) return [];
        const [, source, line] = segment;
        if (left.test(map.sources[source])) return [];
        return [{ column, source, line, name: named[i].get(column) }];
      })
      // A name holds up to the next place, so after it there must be one.
      .filter(
        ({ source, line, name }, at, all) =>
          name !== undefined ||
          all[at - 1]?.name !== undefined ||
          source !== all[at - 1]?.source ||
          line !== all[at - 1]?.line,
      )
      .filter(
        ({ column, name }, at, all) =>
          name !== undefined ||
          all[at - 1]?.name !== undefined ||
          CAN_FAIL.test(codeLines[i].slice(column, all[at + 1]?.column)),
      );
    return places.map(({ column, source, line, name }) => {
      /** @type {[number, number, number, number]} */
      const place = [column, sourceIndex(map.sources[source]), line, 0];
      return name === undefined
        ? place
        : /** @type {SourceMapSegment} */ ([...place, nameIndex(name)]);
    });
  });
  const { version, file } = map;
  return { version, file, sources, names, mappings: encode(mappings) };
}
