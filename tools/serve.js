/**
 * A static server for pages on this machine: it listens on the loopback address only, and answers
 * nobody who came by another name (a page elsewhere whose name was made to point here).
 */

import { open, realpath } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

const HOST = '127.0.0.1';

/** WebAssembly may be compiled, and code from strings may not. */
export const STRICT_POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** @type {Record<string, string>} */
const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/**
 * @typedef {object} ServeOptions
 * @property {Record<string, string>} folders what is served: a directory for each prefix of the
 *   path, which begins and ends with a slash; the longest that fits is taken
 * @property {number} [port] any free one by default
 * @property {boolean} [isolated] pages become cross-origin isolated: finer clocks, shared memory
 * @property {string} [policy] a Content-Security-Policy, as STRICT_POLICY
 *
 * @typedef {object} Served
 * @property {string} url of the root, with a slash at its end
 * @property {() => Promise<void>} close ends the connections, too
 */

/** What a client is told instead of a file. */
class Refusal extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * The segments of a request's path.
 * @param {string} target
 */
function segmentsOf(target) {
  const encoded = target.replace(/[?#].*$/s, '');
  let path;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    throw new Refusal(400, 'the path is not UTF-8');
  }
  const segments = path.split('/');
  // Whoever means to climb has some reason; nothing is served in its stead.
  if (segments[0] !== '' || segments.includes('..') || /[\\\0]/.test(path)) {
    throw new Refusal(400, 'the path must begin with / and hold no .. or \\');
  }
  return segments.filter((segment, i) => segment !== '.' && (segment !== '' || i === 0));
}

/**
 * @param {string} target of the request
 * @param {[prefix: string, directory: string][]} folders
 */
async function openFile(target, folders) {
  const wanted = `${segmentsOf(target).join('/')}${/^[^?#]*\/($|[?#])/.test(target) ? '/' : ''}`;
  const folder = folders.find(([prefix]) => wanted.startsWith(prefix));
  const missing = new Refusal(404, 'not found');
  if (folder === undefined) throw missing;
  const [prefix, directory] = folder;
  const name = wanted.slice(prefix.length) + (wanted.endsWith('/') ? 'index.html' : '');
  const root = await realpath(directory).catch(() => undefined);
  if (root === undefined) throw missing;
  // A link may lead anywhere: what counts is where it ends.
  const path = await realpath(join(root, name)).catch(() => undefined);
  if (path === undefined || !path.startsWith(root === sep ? sep : root + sep)) throw missing;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) throw missing;
  const stat = await file.stat();
  if (stat.isFile()) return { file, size: stat.size, type: types[extname(path)] };
  await file.close();
  throw missing;
}

/**
 * @param {ServeOptions} options
 * @returns {Promise<Served>}
 */
export async function serve({ folders, port = 0, isolated = false, policy }) {
  const byLength = Object.entries(folders)
    .map(([prefix, directory]) => /** @type {[string, string]} */ ([prefix, resolve(directory)]))
    .sort(([a], [b]) => b.length - a.length);
  const wrong = byLength.find(([prefix]) => !/^\/(.*\/)?$/.test(prefix));
  if (wrong) throw new Error(`the prefix "${wrong[0]}" must begin and end with a slash`);

  /** @type {Record<string, string>} */
  const always = {
    // Files change while one works on them.
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(isolated && {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    }),
    ...(policy && { 'Content-Security-Policy': policy }),
  };

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async function answer(request, response) {
    const { port: own } = /** @type {AddressInfo} */ (server.address());
    const names = [`${HOST}:${own}`, `localhost:${own}`];
    if (!names.includes(request.headers.host ?? '')) {
      throw new Refusal(403, `this server is ${names.join(' or ')}`);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      throw new Refusal(405, 'only GET and HEAD');
    }
    const { file, size, type } = await openFile(request.url ?? '', byLength);
    try {
      response.writeHead(200, {
        ...always,
        'Content-Type': type ?? 'application/octet-stream',
        'Content-Length': size,
      });
      if (request.method === 'HEAD' || size === 0) response.end();
      // Bounded, should the file grow meanwhile: the length has been told.
      else await pipeline(file.createReadStream({ end: size - 1, autoClose: false }), response);
    } finally {
      await file.close();
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (response.headersSent) {
        // Also where the client left early.
        response.destroy();
        return;
      }
      const { status, message } = error instanceof Refusal ? error : { status: 500, ...error };
      response.writeHead(status, { ...always, 'Content-Type': types['.txt'] });
      response.end(request.method === 'HEAD' ? '' : `${status}: ${message ?? 'failed'}\n`);
    });
  });
  await new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen(port, HOST, () => listening(undefined));
  });
  const { port: own } = /** @type {AddressInfo} */ (server.address());
  return {
    url: `http://${HOST}:${own}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
