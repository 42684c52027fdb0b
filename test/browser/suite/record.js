/**
 * Runs a bundled test file in Node, where it can see nothing of Node, and has Node's own answers
 * written down for the pages.
 *
 *   node record.js <bundles> <name> <options as JSON>    writes <bundles>/<name>.answers.json
 *
 * Whether the tests pass does not matter here.
 */

import { Buffer, constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setDefaultResultOrder } from 'node:dns';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';

/** @import { Answer, Bytes, Call } from './answers.js' */

const { process } = globalThis;
const [bundles, name, options] = process.argv.slice(2);

/** Whose functions are asked, by the first part of the method's name. */
const holders = {
  Buffer,
  process,
  crypto: { update: (name, data) => void createHash(name).update(data) },
  dns: { setDefaultResultOrder },
  util: { inspect },
};

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

/** What is one pattern again and again is told by that. @param {Buffer} bytes @returns {Bytes} */
function pack(bytes) {
  for (let period = 1; period <= 16 && bytes.length > 64; period++) {
    const rest = bytes.subarray(period);
    if (rest.equals(bytes.subarray(0, rest.length))) {
      return [bytes.toString('base64', 0, period), bytes.length];
    }
  }
  return bytes.toString('base64');
}

/** The Buffer of ./node-buffer.js as one of Node's. @param {unknown} value */
const asNodes = (value) =>
  page.NodeBuffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.length)
    : value;

/** @param {Call} call @returns {Answer} */
function answerTo({ method, self, args }) {
  const own = self && Buffer.from(self.buffer, self.byteOffset, self.length);
  const before = own && Buffer.from(own);
  const [holder, key] = method.includes('.') ? method.split('.') : [undefined, method];
  const target = holder === undefined ? own : holders[holder];
  /** @type {Answer} */
  const answer = {};
  try {
    const value = target[key](...args.map(asNodes));
    // What was there before is nobody's answer.
    if (key.startsWith('allocUnsafe')) value.fill(0);
    if (value === own) answer.value = null;
    else if (Buffer.isBuffer(value)) answer.bytes = pack(value);
    else answer.value = value;
  } catch (error) {
    answer.error = {
      class: error.constructor.name,
      name: error.name,
      message: error.message,
      text: String(error),
      code: error.code,
    };
  }
  if (own && (key === 'fill' || !own.equals(before))) {
    if (key === 'write') {
      // The same whatever was there before.
      if (!own.subarray(answer.value).equals(before.subarray(answer.value))) {
        throw new Error(`write went past what it says it wrote: ${hex(own)}`);
      }
      answer.self = pack(own.subarray(0, answer.value));
    } else if (!answer.error) answer.self = pack(own);
  }
  return answer;
}

/** @type {Map<string, string>} */
const recorded = new Map();

/** @param {Call} call */
function record(call) {
  const answer = JSON.stringify(answerTo(call));
  const earlier = recorded.get(call.key);
  if (earlier !== undefined && earlier !== answer) {
    throw new Error(`two answers to one question: ${call.method}: ${earlier}, ${answer}`);
  }
  recorded.set(call.key, answer);
  return JSON.parse(answer);
}

const root = new URL('../../../', import.meta.url);
const given = {
  root: root.href,
  env: process.env,
  nodeVersion: process.versions.node,
  maxLength: constants.MAX_LENGTH,
  bufferMethods: Object.keys(Buffer.prototype).filter(
    (key) => key !== 'parent' && key !== 'offset',
  ),
  realm: () => runInNewContext('globalThis'),
  answer: record,
  read(path) {
    const url = new URL(path, root);
    return existsSync(url) ? readFileSync(url) : undefined;
  },
};

// Before anything of ours is loaded: this is a page.
for (const key of ['process', 'setImmediate', 'clearImmediate']) {
  delete globalThis[key];
}
// A test's, which fails in the page as well.
process.on('uncaughtException', () => {});

let page;
try {
  page = await import(pathToFileURL(join(bundles, 'page.js')).href);
  await page.load(`./${name}.js`, JSON.parse(options), given);
  await page.advance(Infinity);
} catch (error) {
  console.error(error);
  process.exit(1);
}

/** @type {Map<string, number>} */
const answers = new Map();
const keys = [];
for (const [key, answer] of recorded) {
  if (!answers.has(answer)) answers.set(answer, answers.size);
  keys.push([key, answers.get(answer)]);
}
const text = `{"answers":[${[...answers.keys()].join(',\n')}],\n"keys":${JSON.stringify(keys)}}`;
writeFileSync(join(bundles, `${name}.answers.json`), text);
process.exit();
