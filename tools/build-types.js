/**
 * The types of what is published, a file for each entry: what is public, with what is written about
 * it, and nothing that is not.
 */

import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';
import { run } from './run.js';

/** Where tsc puts a declaration file for each source. */
const EMITTED = 'build/types/js';

/** Whoever does not have it in `lib` would be told that there is no `Symbol.dispose`. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n';

/** @typedef {{ start: number, end: number, text: string }} Edit */

/**
 * @param {string} text
 * @param {Edit[]} edits in order
 */
function apply(text, edits) {
  let result = '';
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** @param {ts.Node} node @param {string} name */
const tagOf = (node, name) => ts.getJSDocTags(node).find(({ tagName }) => tagName.text === name);

/**
 * A class marked with `@hostBuffer` is Node's Buffer where there are types of Node. (Their `Buffer` has no
 * `prototype` but a function's, which is any.)
 */
const HOST_BUFFER = `
type HostBuffer = Uint8Array<ArrayBuffer> &
  (typeof globalThis extends { Buffer: { alloc(size: number): infer B } } ? B : unknown);
declare const HostBuffer: {
  new (memory: ArrayBuffer, byteOffset: number, length: number): HostBuffer;
};
`;

/**
 * Without the members that are marked as internal, which tsc leaves in when sources are JavaScript; a
 * constructor becomes private, since nobody constructs these classes. With what tsc cannot see:
 * `@disposable` is a class that gets `Symbol.dispose` at run time, where the engine has it.
 * @param {string} text of a declaration file
 */
function withoutInternals(text) {
  const file = ts.createSourceFile('types.d.ts', text, ts.ScriptTarget.Latest, true);
  /** @type {Edit[]} */
  const edits = [];
  for (const statement of file.statements) {
    if (!ts.isClassDeclaration(statement)) continue;
    const { members, heritageClauses } = statement;
    if (tagOf(statement, 'hostBuffer') && heritageClauses) {
      edits.push({ start: statement.pos, end: statement.pos, text: HOST_BUFFER });
      const { pos, end } = heritageClauses[0];
      edits.push({ start: pos, end, text: ' extends HostBuffer' });
    }
    for (const member of members) {
      if (!tagOf(member, 'internal')) continue;
      const made = ts.isConstructorDeclaration(member) ? '\n    private constructor();' : '';
      edits.push({ start: member.pos, end: member.end, text: made });
    }
    const disposable = tagOf(statement, 'disposable');
    if (disposable) {
      const { end } = members;
      const text = `\n    /** ${disposable.comment} */\n    [Symbol.dispose](): void;`;
      edits.push({ start: end, end, text });
    }
  }
  return apply(text, edits);
}

/** Tags that the declarations make needless. */
const UNTOLD = new Set(['override', 'overload', 'type', 'hostBuffer', 'disposable', 'implements']);

/**
 * Comments without the types that the declarations say anyway, and without what is left of tags that
 * say nothing else. What `@module` begins stays: it is about the file.
 * @param {string} comment from slash to slash
 */
function withoutTypes(comment) {
  const [, body] = /** @type {RegExpMatchArray} */ (comment.match(/^\/\*\*([\s\S]*)\*\/$/));
  const lines = body.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const parts = lines
    .join('\n')
    .trim()
    .split(/^(?=@)/m);
  const about = parts[0].startsWith('@') ? '' : parts[0];
  const tags = about === '' ? parts : parts.slice(1);
  // A type of its own, which is written where it is declared.
  if (tags.some((tag) => /^@typedef/.test(tag))) return '';
  const kept = tags.flatMap((tag) => {
    const [, name, rest] = /** @type {RegExpMatchArray} */ (
      tag.trim().match(/^@(\w+)\s*([\s\S]*)$/)
    );
    if (UNTOLD.has(name)) return [];
    if (name !== 'param' && name !== 'returns' && name !== 'template' && name !== 'property') {
      return [`@${name} ${rest}`.trim()];
    }
    const said = withoutType(rest);
    if (name === 'returns') return said === '' ? [] : [`@returns ${said}`];
    const [, param, text] = /** @type {RegExpMatchArray} */ (
      said.match(/^(\[.*?\]|\S+)\s*([\s\S]*)$/)
    );
    return text === '' ? [] : [`@${name} ${param.replace(/^\[([^\]=]*).*\]$/, '$1')} ${text}`];
  });
  const said = [about.trim(), ...kept].filter((part) => part !== '').join('\n');
  if (said === '') return '';
  const all = said.split('\n');
  if (all.length === 1) return `/** ${said} */`;
  return `/**\n${all.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */`;
}

/** @param {string} text that may begin with a type in braces */
function withoutType(text) {
  if (!text.startsWith('{')) return text;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') depth++;
    if (text[i] === '}' && --depth === 0) return text.slice(i + 1).trim();
  }
  return text;
}

/**
 * Every comment as `withoutTypes` has it, indented by two.
 * @param {string} text
 */
function withShortComments(text) {
  const file = ts.createSourceFile('types.d.ts', text, ts.ScriptTarget.Latest, true);
  /** @type {Map<number, Edit>} */
  const edits = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) {
      if (!text.startsWith('/**', pos)) continue;
      const lineStart = text.lastIndexOf('\n', pos) + 1;
      const indent = text.slice(lineStart, pos);
      const short = withoutTypes(text.slice(pos, end));
      const edit = short
        ? { start: pos, end, text: short.replaceAll('\n', `\n${indent}`) }
        : { start: lineStart, end: text.indexOf('\n', end) + 1, text: '' };
      edits.set(pos, edit);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  const short = apply(
    text,
    [...edits.values()].sort((a, b) => a.start - b.start),
  );
  return short.replace(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2));
}

/**
 * What a file exports as a type only: the classes among that, which are there at run time but not
 * exported, the bundler takes for values.
 * @param {string} text
 */
function typesOnly(text) {
  const file = ts.createSourceFile('types.d.ts', text, ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) return [];
    const { exportClause, isTypeOnly } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    return exportClause.elements
      .filter((element) => isTypeOnly || element.isTypeOnly)
      .map(({ name }) => name.text);
  });
}

/**
 * @param {string} text
 * @param {string[]} types
 */
const withTypeExports = (text, types) =>
  text.replace(/^export \{ (.*) \};$/m, (_, list) => {
    const names = list
      .split(', ')
      .map((/** @type {string} */ name) => (types.includes(name) ? `type ${name}` : name));
    return `export { ${names.join(', ')} };`;
  });

/**
 * @param {Record<string, string>} entries by their names in `dist`: the source of each
 * @param {string} dist
 */
export async function bundleTypes(entries, dist) {
  await rm(EMITTED, { recursive: true, force: true });
  await run('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json']);
  // Of what is written by hand tsc makes no copies.
  for (const name of ['index.d.ts', 'views.d.ts']) await cp(`js/${name}`, join(EMITTED, name));
  const files = (await readdir(EMITTED)).map((file) => join(EMITTED, file));
  for (const file of files) {
    await writeFile(file, withoutInternals(await readFile(file, 'utf8')));
  }
  const inDist = Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [`./${posix.basename(source)}`, name]),
  );
  for (const [name, source] of Object.entries(entries)) {
    const input = join(EMITTED, posix.basename(source).replace(/\.js$/, '.d.ts'));
    const types = typesOnly(await readFile(input, 'utf8'));
    // What is written about the whole of an entry, which the bundler drops.
    const written = await readFile(name === 'slabring' ? 'js/index.d.ts' : source, 'utf8');
    const about = /^\/\*\*[\s\S]*?\*\//.exec(written)?.[0] ?? '';
    const bundle = await rollup({
      input,
      external: (id) => id in inDist,
      plugins: [dts()],
    });
    const { output } = await bundle.generate({
      paths: (id) => `./${inDist[`./${posix.basename(id)}`]}.js`,
    });
    await bundle.close();
    await writeFile(
      join(dist, `${name}.d.ts`),
      DISPOSABLE + withShortComments(`${about}\n\n${withTypeExports(output[0].code, types)}`),
    );
  }
}
