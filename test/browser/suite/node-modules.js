/** What of Node's modules has a counterpart in a page, or can be answered for. */

import { ask } from './answers.js';
import { host } from './host.js';
import { NodeBuffer } from './node-buffer.js';

export { NodeBuffer as Buffer };

const kindOf = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
).get;

/** @param {URL} url below the root */
function fileAt({ href }) {
  const bytes = host.read(href.slice(host.root.length));
  return bytes === undefined ? undefined : NodeBuffer.from(bytes);
}

export const existsSync = (url) => fileAt(url) !== undefined;

export function readFileSync(url) {
  const bytes = fileAt(url);
  if (bytes === undefined) throw new Error(`no file ${url}`);
  return bytes;
}

export const constants = {
  get MAX_LENGTH() {
    return host.maxLength;
  },
};

/** Only what it refuses. */
export const createHash = (name) => ({
  update: (data) => ask('crypto.update', undefined, [name, data]),
});

export const setDefaultResultOrder = (value) =>
  ask('dns.setDefaultResultOrder', undefined, [value]);

export const inspect = Object.assign((value) => ask('util.inspect', undefined, [value]), {
  custom: Symbol.for('nodejs.util.inspect.custom'),
});

export const types = { isUint8Array: (value) => kindOf.call(value) === 'Uint8Array' };

/** The globals of another realm, or those that are named; a page runs no text. */
export function runInNewContext(code) {
  const realm = host.realm();
  if (code === 'globalThis') return realm;
  if (!/^\(\{ \w+(, \w+)* \}\)$/.test(code)) throw new Error(`not in a page: ${code}`);
  return Object.fromEntries(code.match(/\w+/g).map((name) => [name, realm[name]]));
}

// What a page has for a path is one of its server.
export const fileURLToPath = ({ href }) => `/${href.slice(host.root.length)}`;
export const pathToFileURL = (path) => new URL(path, host.root);

const { MessageChannel } = globalThis;

export { MessageChannel };
