/**
 * Runs the JavaScript of a document as one module. Its blocks follow one another as they would if a
 * reader typed them in: each sees what those before it declared, and may declare a name anew.
 *
 *   heap.alloc(3).length; // 3                        a statement's value
 *   const n = 2 + 2; // 4: two and two                a variable's
 *   later(() => console.log([1, 2])); // [1, 2]       what is printed, whenever that is
 *   heap.alloc(-1); // throws ERR_OUT_OF_RANGE
 *
 * What is no literal is a comment like any other.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import { ROOT } from './documents.js';

const CHECKS = new URL('./checks.js', import.meta.url).href;
const FOLDER = `${ROOT}build/docs`;

const { SyntaxKind } = ts;

const NAMES = ['undefined', 'NaN', 'Infinity'];

function isLiteral(node) {
  switch (node.kind) {
    case SyntaxKind.NumericLiteral:
    case SyntaxKind.BigIntLiteral:
    case SyntaxKind.StringLiteral:
    case SyntaxKind.TrueKeyword:
    case SyntaxKind.FalseKeyword:
    case SyntaxKind.NullKeyword:
      return true;
    case SyntaxKind.Identifier:
      return NAMES.includes(node.text);
    case SyntaxKind.ParenthesizedExpression:
      return isLiteral(node.expression);
    case SyntaxKind.PrefixUnaryExpression:
      return node.operator === SyntaxKind.MinusToken && isLiteral(node.operand);
    case SyntaxKind.ArrayLiteralExpression:
      return node.elements.every(isLiteral);
    case SyntaxKind.ObjectLiteralExpression:
      return node.properties.every(
        (property) => ts.isPropertyAssignment(property) && isLiteral(property.initializer),
      );
    default:
      return false;
  }
}

const parse = (code) =>
  ts.createSourceFile('block.js', code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);

/** `{ throws }`, `{ value }`, or undefined when the comment is for the reader alone. */
export function expectationIn(comment) {
  const refusal = /^throws (ERR_\w+|\w*Error)(?:: .*)?$/.exec(comment);
  if (refusal !== null) return { throws: refusal[1] };
  const ends = [...comment.matchAll(/: /g)].map(({ index }) => index);
  for (const end of [comment.length, ...ends]) {
    const value = comment.slice(0, end);
    const { statements, parseDiagnostics } = parse(`(${value})`);
    const [first] = statements;
    if (
      statements.length === 1 &&
      parseDiagnostics.length === 0 &&
      ts.isExpressionStatement(first) &&
      isLiteral(first.expression)
    ) {
      return { value };
    }
  }
  return undefined;
}

/** The module, each line where it is in the document; and what its checks are. */
export function moduleOf(blocks) {
  const lines = [];
  const put = (at, line) => {
    while (lines.length < at) lines.push('');
    lines[at - 1] = line;
  };
  for (const { line, lines: code } of blocks) {
    put(line - 1, '{');
    code.forEach((text, i) => {
      put(line + i, text);
    });
  }
  const code = `${lines.join('\n')}\n${'}'.repeat(blocks.length)}`;
  const source = parse(code);
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  for (const { start, messageText } of source.parseDiagnostics) {
    throw new Error(`line ${lineAt(start)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  }

  const edits = [];
  const imports = new Set();
  const checked = new Set();

  /** The comment behind a statement, on its last line. */
  const expectationOf = (node) => {
    const [range] = ts.getTrailingCommentRanges(code, node.end) ?? [];
    if (range?.kind !== SyntaxKind.SingleLineCommentTrivia) return undefined;
    return expectationIn(code.slice(range.pos + 2, range.end).trim());
  };

  /** The first call of console.log with one argument. */
  const printIn = (node) => {
    const isPrint =
      ts.isCallExpression(node) &&
      node.expression.getText(source) === 'console.log' &&
      node.arguments.length === 1;
    return isPrint ? node : ts.forEachChild(node, printIn);
  };

  const wrap = (from, to, before, after) => {
    edits.push({ at: from, text: before }, { at: to, text: after });
  };

  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      imports.add(node.getText(source));
      edits.push({ at: node.getStart(source), end: node.end, text: '' });
    }
    const isExpression = ts.isExpressionStatement(node);
    if (isExpression || ts.isVariableStatement(node)) {
      const expectation = expectationOf(node);
      if (expectation !== undefined) {
        const line = lineAt(node.end);
        const { throws, value } = expectation;
        if (isExpression) {
          const { expression } = node;
          const [from, to] = [expression.getStart(source), expression.end];
          const print = printIn(expression);
          if (throws !== undefined && ts.isAwaitExpression(expression)) {
            const inner = expression.expression.getStart(source);
            edits.push({ at: from, end: inner, text: `await __doc.rejects(${line}, () => (` });
            edits.push({ at: to, text: `), '${throws}')` });
          } else if (throws !== undefined) {
            wrap(from, to, `__doc.throws(${line}, () => (`, `), '${throws}')`);
          } else if (print !== undefined) {
            const [argument] = print.arguments;
            wrap(argument.getStart(source), argument.end, `__doc.is(${line}, (`, `), ${value})`);
          } else {
            wrap(from, to, `__doc.is(${line}, (`, `), ${value})`);
          }
          checked.add(line);
        } else {
          const { declarations } = node.declarationList;
          const [{ name }] = declarations;
          if (declarations.length === 1 && ts.isIdentifier(name) && throws === undefined) {
            edits.push({ at: node.end, text: ` __doc.is(${line}, ${name.text}, ${value});` });
            checked.add(line);
          }
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);

  // Nothing that reads like a promise goes unchecked.
  for (const { line, lines: own } of blocks) {
    own.forEach((text, i) => {
      const comment = /(?:^|\s)\/\/ (.*)$/.exec(text);
      if (comment !== null && expectationIn(comment[1].trim()) && !checked.has(line + i)) {
        throw new Error(`line ${line + i}: "${comment[1]}" belongs to no statement on that line`);
      }
    });
  }

  let result = code;
  for (const { at, end = at, text } of edits.sort((a, b) => b.at - a.at || (b.end ?? 0) - a.at)) {
    result = result.slice(0, at) + text + result.slice(end);
  }
  const head = `import * as __doc from '${CHECKS}'; ${[...imports].join(' ').replaceAll('\n', ' ')} __doc.plan(${JSON.stringify([...checked])});`;
  return { code: head + result, checked: [...checked] };
}

/** @returns what it says where something does not hold; empty when all does */
export function runBlocks(path, blocks) {
  const { code } = moduleOf(blocks);
  mkdirSync(FOLDER, { recursive: true });
  const file = `${FOLDER}/${path.replaceAll('/', '-')}.mjs`;
  const { code: runnable } = transformSync(code, {
    loader: 'js',
    // `using` is newer than Node 20.
    target: 'node20',
    sourcemap: 'inline',
    sourcefile: path,
  });
  writeFileSync(file, runnable);
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--enable-source-maps', '--max-old-space-size=2000', file],
    { cwd: ROOT, encoding: 'utf8', timeout: 60_000, env: {} },
  );
  return status === 0 && stderr === '' ? '' : `${stderr}\nexit code ${status ?? signal}`;
}
