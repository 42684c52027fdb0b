import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { STRICT_POLICY, serve } from '../../tools/serve.js';

let home;
let server;

/** A server of home/site, and of home/extra below /more/. */
async function start(options) {
  server = await serve({
    folders: { '/': join(home, 'site'), '/more/': join(home, 'extra') },
    ...options,
  });
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'slabring-serve-'));
  const files = {
    'secret.txt': 'secret',
    'site-secret.txt': 'secret',
    'site/index.html': '<!doctype html>',
    'site/sub/index.html': 'sub',
    'site/script.js': 'export {};',
    'site/module.wasm': '\0asm',
    'site/a b%.css': 'css',
    'site/..data': 'two dots',
    'site/empty.txt': '',
    'site/unknown.xyz': 'x',
    'extra/data.json': '{}',
    'extra/sub/index.html': 'more sub',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text);
  }
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

/** fetch would put a path in order before it sends it. */
function raw(path, { method = 'GET', headers } = {}) {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body }),
      );
    });
    sent.on('error', reject).end();
  });
}

const status = async (path, options) => (await raw(path, options)).status;

describe('files', () => {
  beforeEach(() => start());

  test.each([
    ['/', 'text/html; charset=utf-8', '<!doctype html>'],
    ['/?a=/../b#c', 'text/html; charset=utf-8', '<!doctype html>'],
    ['/sub/', 'text/html; charset=utf-8', 'sub'],
    ['/script.js', 'text/javascript; charset=utf-8', 'export {};'],
    ['/module.wasm', 'application/wasm', '\0asm'],
    ['/a%20b%25.css', 'text/css; charset=utf-8', 'css'],
    ['/./sub//index.html', 'text/html; charset=utf-8', 'sub'],
    ['/..data', 'application/octet-stream', 'two dots'],
    ['/unknown.xyz', 'application/octet-stream', 'x'],
    ['/empty.txt', 'text/plain; charset=utf-8', ''],
    ['/more/data.json', 'application/json; charset=utf-8', '{}'],
    ['/more/sub/', 'text/html; charset=utf-8', 'more sub'],
  ])('%s', async (path, type, text) => {
    const response = await raw(path);
    expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: text });
    expect(response.headers).toMatchObject({
      'content-type': type,
      'content-length': String(text.length),
      'x-content-type-options': 'nosniff',
    });
  });

  test('larger than any buffer on the way', async () => {
    const large = Buffer.alloc(3_000_000, 'slabring');
    writeFileSync(join(home, 'site/large.bin'), large);
    const response = await fetch(`${server.url}large.bin`);
    expect(large.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  test.each(['/none.html', '/sub', '/sub/none/', '/more', '/index.html/', '/index.html/x'])(
    '404: %s',
    async (path) => {
      const { status, body } = await raw(path);
      expect([status, body]).toEqual([404, '404: not found\n']);
    },
  );

  test('HEAD says the same and sends no body', async () => {
    const head = await raw('/script.js', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '10', '']);
    const missing = await raw('/none', { method: 'HEAD' });
    expect([missing.status, missing.body]).toEqual([404, '']);
  });

  test('other methods are refused', async () => {
    const response = await raw('/script.js', { method: 'POST' });
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('what is outside stays there', () => {
  beforeEach(() => start());

  test.each([
    '/../secret.txt',
    '/sub/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/.%2E/secret.txt',
    '/..%2fsecret.txt',
    '/sub%2f..%2f..%2fsecret.txt',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '/more/../script.js',
    '/%00',
    '/%ff',
    '/%',
    '*',
    'secret.txt',
  ])('400: %s', async (path) => {
    expect(await status(path)).toBe(400);
  });

  test('nor does an encoded escape come in by decoding twice', async () => {
    expect(await status('/%252e%252e/secret.txt')).toBe(404);
    expect(await status('/..%252fsecret.txt')).toBe(404);
  });

  test('a link is followed inside only, nor to a neighbour of a longer name', async () => {
    symlinkSync(join(home, 'secret.txt'), join(home, 'site/out.txt'));
    symlinkSync(join(home, 'site-secret.txt'), join(home, 'site/near.txt'));
    symlinkSync('script.js', join(home, 'site/in.js'));
    expect(
      await Promise.all(['/out.txt', '/near.txt', '/in.js'].map((path) => status(path))),
    ).toEqual([404, 404, 200]);
  });

  test('only this machine is listened to', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  });

  test('a page that gave this address a name of its own gets nothing', async () => {
    const { port } = new URL(server.url);
    const answer = (host) => status('/script.js', { headers: { host } });
    expect(await answer('evil.example')).toBe(403);
    expect(await answer(`evil.example:${port}`)).toBe(403);
    expect(await answer(`localhost:${port}`)).toBe(200);
  });
});

describe('headers', () => {
  test('none that restrict, where not asked for', async () => {
    await start();
    const { headers } = await raw('/');
    expect(headers).not.toHaveProperty('content-security-policy');
    expect(headers).not.toHaveProperty('cross-origin-opener-policy');
    expect(headers).not.toHaveProperty('cross-origin-embedder-policy');
  });

  test('isolation and a policy, on errors as well: a worker is a script of its own', async () => {
    await start({ isolated: true, policy: STRICT_POLICY });
    for (const path of ['/', '/none']) {
      expect((await raw(path)).headers).toMatchObject({
        'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });
});

describe('its end', () => {
  test('does not wait for connections that are open', async () => {
    await start();
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const ended = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    await new Promise((resolve) => socket.on('connect', resolve));
    // The second request never ends: its connection is not an idle one.
    const head = `GET /script.js HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    socket.write(`${head}\r\n${head}`);
    await new Promise((resolve) => socket.once('data', resolve));
    await server.close();
    await ended;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('a port that is taken is an error, and so is a prefix without slashes', async () => {
    await start();
    const port = Number(new URL(server.url).port);
    await expect(serve({ folders: {}, port })).rejects.toThrow('EADDRINUSE');
    await expect(serve({ folders: { '/a': home } })).rejects.toThrow(
      'the prefix "/a" must begin and end with a slash',
    );
  });
});
