/** Imported by the programs that blocks become: what they say they give is what they give. */

import { deepStrictEqual } from 'node:assert';

/** Lines whose value is written beside them, and was not seen yet. */
const open = new Set();

export function plan(lines) {
  for (const line of lines) open.add(line);
}

/** Another realm's, or a heap's, arrays are as good as any. */
const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);

function fail(line, what) {
  console.error(`line ${line}: ${what}`);
  process.exitCode = 1;
}

export function is(line, value, expected) {
  open.delete(line);
  try {
    deepStrictEqual(plain(value), expected);
  } catch (error) {
    fail(line, error.message);
  }
  return value;
}

/** By its code, or else its class. */
function refuse(line, error, expected) {
  if (error.code !== expected && error.constructor.name !== expected) {
    fail(line, `${expected} was expected, and ${error.stack} thrown`);
  }
}

export function throws(line, action, expected) {
  open.delete(line);
  try {
    action();
  } catch (error) {
    refuse(line, error, expected);
    return;
  }
  fail(line, `${expected} was expected, and nothing thrown`);
}

export async function rejects(line, action, expected) {
  open.delete(line);
  try {
    await action();
  } catch (error) {
    refuse(line, error, expected);
    return;
  }
  fail(line, `${expected} was expected, and nothing thrown`);
}

process.on('exit', () => {
  for (const line of open) fail(line, 'never reached');
});
