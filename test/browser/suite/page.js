/** Runs one test file, a slice of time after the other, in a page as in ./record.js. */

import fc from 'fast-check';
import { unpackAnswers } from './answers.js';
import { host } from './host.js';
import { NodeBuffer } from './node-buffer.js';
import { runAll } from './runner.js';

/** A test that is expected to fail here may as well wait for something that never comes. */
const TIMEOUT_ELSEWHERE = 1000;

export { NodeBuffer };

const notHere = () => {
  throw new Error('a method of Buffer that pages have not');
};

let results;

/**
 * @param {string} file the bundle
 * @param {object} options
 * @param {number} options.seed of all random tests
 * @param {string[]} options.elsewhere names of tests that need not pass here
 * @param {object} [given] what the host does not say itself
 */
export async function load(file, { seed, elsewhere }, given) {
  Object.assign(host, given);
  // Tests go through the names of Buffer's methods.
  for (const key of host.bufferMethods) {
    const own = Object.hasOwn(NodeBuffer.prototype, key);
    if (!own && key in NodeBuffer.prototype) continue;
    const value = own ? NodeBuffer.prototype[key] : notHere;
    Object.defineProperty(NodeBuffer.prototype, key, { value, enumerable: true, writable: true });
  }
  // Where an example fails, smaller ones would ask what Node was not.
  fc.configureGlobal({ seed, endOnFailure: true });
  await import(file);
  const names = new Set(elsewhere);
  results = runAll((name) => (names.has(name) ? TIMEOUT_ELSEWHERE : undefined));
}

/**
 * Goes on for about so many milliseconds.
 * @param {number} time
 */
export async function advance(time) {
  const end = performance.now() + time;
  const finished = [];
  let running;
  while (performance.now() < end) {
    const { done, value } = await results.next();
    if (done) return { finished, done };
    if (typeof value === 'string') running = value;
    else finished.push(value);
  }
  return { finished, running, done: false };
}

/** WebKit has such memory, and hides the name. */
function nameSharedMemory(global) {
  const { Memory } = global.WebAssembly;
  const { buffer } = new Memory({ initial: 0, maximum: 0, shared: true });
  global.SharedArrayBuffer ??= buffer.constructor;
}

/** Files of the server that the page came from, and answers that were recorded. */
export async function inPage(answersUrl, given) {
  nameSharedMemory(globalThis);
  const answers = await (await fetch(answersUrl)).json();
  const found = new Map();
  return {
    root: new URL('/', location.href).href,
    ...given,
    realm,
    answer: unpackAnswers(answers),
    read(path) {
      if (!found.has(path)) found.set(path, readNow(path));
      return found.get(path);
    },
  };
}

/** Of a page within this one. */
function realm() {
  const frame = document.createElement('iframe');
  document.documentElement.append(frame);
  nameSharedMemory(frame.contentWindow);
  return frame.contentWindow;
}

/** At once: tests read files so. @param {string} path */
function readNow(path) {
  const request = new XMLHttpRequest();
  request.open('GET', `/${path}`, false);
  // Each byte as a character: nothing else can be asked for at once.
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  if (request.status !== 200) return undefined;
  return Uint8Array.from(request.responseText, (char) => char.charCodeAt(0) & 0xff);
}
