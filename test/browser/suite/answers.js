/**
 * What Node says, where there is no Node. The tests compare with Buffer; so that they can do so in a
 * page, every call whose result is Node's alone is made in Node first, by the very same tests under
 * the same seed (./record.js), and its result shipped to the page.
 *
 * An answer is found by what was asked, not by when: engines need not ask in the same order. Only
 * where an argument cannot be told (a proxy, an object with getters) does the order of such calls
 * within one test count. What Node was not asked has no answer, and the test fails.
 */

import { host } from './host.js';
import { current } from './runner.js';

/**
 * @typedef {object} Call
 * @property {string} key
 * @property {string} method
 * @property {Uint8Array} [self] what the method is called on; its bytes may be changed
 * @property {unknown[]} args
 *
 * @typedef {{ value?: unknown, bytes?: Bytes, self?: Bytes, error?: Thrown }} Answer
 * @typedef {string | [pattern: string, length: number]} Bytes base64, of all or repeated
 *
 * @typedef {object} Thrown
 * @property {string} class
 * @property {string} name
 * @property {string} message
 * @property {string} text
 * @property {string} [code]
 */

/** Two 32-bit hashes in one number of 53 bits. */
class Hash {
  #a = 0x811c9dc5;
  #b = 0x01000193;

  /** @param {number} code */
  add(code) {
    this.#a = Math.imul(this.#a ^ code, 0x9e3779b1);
    this.#a ^= this.#a >>> 15;
    this.#b = Math.imul(this.#b ^ code, 0x85ebca6b) + this.#a;
    this.#b ^= this.#b >>> 13;
  }

  /** @param {string} text */
  addText(text) {
    for (let i = 0; i < text.length; i++) this.add(text.charCodeAt(i));
    this.add(0x10000 + text.length);
  }

  /** @param {ArrayLike<number>} bytes */
  addBytes(bytes) {
    for (let i = 0; i < bytes.length; i++) this.add(bytes[i]);
    this.add(0x20000 + bytes.length);
  }

  get value() {
    return ((this.#a >>> 0) * 2 ** 21 + ((this.#b >>> 0) & 0x1fffff)).toString(36);
  }
}

/** What a program may have put onto a view. */
const OVERLAYS = ['length', 'buffer', 'byteOffset', 'byteLength', 'valueOf', 'constructor'];

/** Bytes that are read to tell one view from another. */
const MOST = 2 ** 24;

class Untold extends Error {}

const typedTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
).get;

/**
 * Adds all that a callee could tell of a value, or throws Untold. Nothing of the value is called.
 * @param {Hash} hash @param {unknown} value
 */
function addValue(hash, value, depth = 0) {
  if (typeof value === 'string') {
    hash.addText('"');
    hash.addText(value);
  } else if (typeof value === 'function' && depth === 0) {
    // Node says its name, and calls none.
    const { value: name } = Object.getOwnPropertyDescriptor(value, 'name') ?? {};
    if (typeof name !== 'string' || Reflect.ownKeys(value).length > 3) throw new Untold();
    hash.addText(`function ${name}`);
  } else if (typeof value === 'function' || depth > 4) {
    throw new Untold();
  } else if (typeof value !== 'object' || value === null) {
    hash.addText(Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`);
  } else if (ArrayBuffer.isView(value)) {
    if (value.byteLength > MOST || OVERLAYS.some((key) => Object.hasOwn(value, key)))
      throw new Untold();
    hash.addText(`${typedTag.call(value)} ${Object.getPrototypeOf(value)?.constructor?.name}`);
    hash.addBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (
    value instanceof ArrayBuffer &&
    value.byteLength <= MOST &&
    Reflect.ownKeys(value).length === 0
  ) {
    hash.addText('ArrayBuffer');
    hash.addBytes(new Uint8Array(value));
  } else {
    const prototype = Object.getPrototypeOf(value);
    const kind = [Object.prototype, Array.prototype, null].indexOf(prototype);
    if (kind < 0) throw new Untold();
    hash.addText(`object ${kind} ${Array.isArray(value)}`);
    for (const key of Reflect.ownKeys(value)) {
      const { value: property, get } = Object.getOwnPropertyDescriptor(value, key);
      if (get !== undefined) throw new Untold();
      hash.addText(String(key));
      addValue(hash, property, depth + 1);
    }
  }
}

/** How many calls that cannot be told each test has made. @type {Map<string, number>} */
const untold = new Map();

/** @param {string} method @param {Uint8Array | undefined} self @param {unknown[]} args */
function keyOf(method, self, args) {
  const hash = new Hash();
  try {
    hash.addText(`${method} ${self?.length} ${args.length}`);
    for (const arg of args) addValue(hash, arg);
    return hash.value;
  } catch {
    const where = `${current}: ${method}`;
    const nth = untold.get(where) ?? 0;
    untold.set(where, nth + 1);
    const place = new Hash();
    place.addText(`${where} ${nth}`);
    return `#${place.value}`;
  }
}

/**
 * The bytes that base64 says.
 * @param {Bytes} bytes
 */
export function unpack(bytes) {
  const [text, length] = typeof bytes === 'string' ? [bytes] : bytes;
  const part = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  if (length === undefined) return part;
  return Uint8Array.from({ length }, (_, i) => part[i % part.length]);
}

/** An error that nobody can tell from Node's. @param {Thrown} thrown */
function errorOf({ class: kind, name, message, text, code }) {
  const error = new globalThis[kind](message);
  if (code !== undefined) error.code = code;
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name });
  if (String(error) !== text) Object.defineProperty(error, 'toString', { value: () => text });
  return error;
}

/**
 * What Node does in that call: returns its result, or throws its error.
 * @param {string} method
 * @param {Uint8Array | undefined} self
 * @param {unknown[]} args
 * @param {(bytes: Uint8Array) => Uint8Array} wrap bytes that are the result
 */
export function ask(method, self, args, wrap = (bytes) => bytes) {
  const key = keyOf(method, self, args);
  const answer = host.answer({ key, method, self, args });
  if (answer === undefined) throw new Error(`Node was not asked: ${method}, in ${current}`);
  if (answer.error) throw errorOf(answer.error);
  if (answer.self) self.set(unpack(answer.self));
  return answer.bytes === undefined ? answer.value : wrap(unpack(answer.bytes));
}

/**
 * @param {{ answers: Answer[], keys: [key: string, answer: number][] }} recorded
 * @returns {(call: Call) => Answer | undefined}
 */
export function unpackAnswers({ answers, keys }) {
  const byKey = new Map(keys.map(([key, i]) => [key, answers[i]]));
  return ({ key }) => byKey.get(key);
}
