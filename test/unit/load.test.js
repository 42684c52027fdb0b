import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHeap, createHeapSync } from 'slabring';
import { caught, facts, label, MIB, textOf, WASM_URL, wasmModule } from '../support/heap.js';
import { realm } from '../support/realm.js';

const bytes = readFileSync(WASM_URL);
const PATH = fileURLToPath(WASM_URL);
const PACKAGE = new URL('../../dist/slabring.js', import.meta.url).href;

/** Copies, so that no test holds another's. */
const arrayBuffer = () => Uint8Array.from(bytes).buffer;
const sharedArrayBuffer = () => {
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
};

/** WebAssembly that is not ours: an empty module, and one that imports what nobody has. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const FOREIGN_MODULE = Uint8Array.of(
  ...EMPTY_MODULE,
  ...[1, 4, 1, 0x60, 0, 0],
  ...[2, 7, 1, 1, 0x61, 1, 0x62, 0, 0],
);

const create = (wasm) => createHeap({ regionSize: MIB, wasm });

const works = (heap) => {
  expect(heap.stats().reserved).toBe(MIB);
  expect(textOf(heap.from('works'))).toBe('works');
  expect(heap.check()).toEqual([]);
};

/** What a promise is rejected with; a test that expects it fails when there is nothing. */
const rejection = (promise) =>
  promise.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (error) => error,
  );

/** Runs a module in a process of its own. */
function run(code, { cwd, flags = [] } = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module', '--eval', code],
    { cwd, encoding: 'utf8', timeout: 30_000, env: {} },
  );
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}

/** A module and its bytes, in every shape that both functions take. */
const MODULE_SOURCES = {
  'a WebAssembly.Module': () => wasmModule,
  'a Buffer': () => bytes,
  'a Uint8Array': () => Uint8Array.from(bytes),
  'a part of a larger Uint8Array': () =>
    new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, 3 + bytes.length),
  'an Int8Array': () => new Int8Array(arrayBuffer()),
  'a DataView': () => new DataView(arrayBuffer()),
  'an ArrayBuffer': arrayBuffer,
  'a SharedArrayBuffer': sharedArrayBuffer,
  'a view of a SharedArrayBuffer': () => new Uint8Array(sharedArrayBuffer()),
  'an ArrayBuffer of another realm': () => realm.Uint8Array.from(bytes).buffer,
  'a WebAssembly.Module of another realm': () => new realm.WebAssembly.Module(bytes),
  'a Uint8ClampedArray': () => new Uint8ClampedArray(arrayBuffer()),
};

let made;

/** A folder for this file's tests. */
const home = () => {
  made ??= mkdtempSync(join(tmpdir(), 'slabring-load-'));
  return made;
};

afterAll(() => {
  if (made) rmSync(made, { recursive: true, force: true });
});

describe('createHeap loads', () => {
  test('the module beside it when nothing is said', async () => {
    works(await createHeap({ regionSize: MIB }));
    works(await create(undefined));
  });

  test('for several heaps at once', async () => {
    const heaps = await Promise.all(
      Array.from({ length: 8 }, () => createHeap({ regionSize: MIB })),
    );
    for (const heap of heaps) works(heap);
    expect(new Set(heaps.map((heap) => heap.alloc(1).buffer)).size).toBe(8);
  });

  const SOURCES = {
    ...MODULE_SOURCES,
    'a path': () => PATH,
    'a file: address': () => WASM_URL.href,
    'a URL': () => WASM_URL,
    'a URL of another realm': () => pathToFileURL(PATH),
    'a Response': () => new Response(bytes, { headers: { 'content-type': 'application/wasm' } }),
    'a Response with parameters in its type': () =>
      new Response(bytes, { headers: { 'content-type': 'application/wasm; charset=utf-8' } }),
    'a Response of another type': () =>
      new Response(bytes, { headers: { 'content-type': 'application/octet-stream' } }),
    'a Response without a type': () => new Response(bytes),
    'a promise of bytes': () => Promise.resolve(bytes),
    'a promise of a module': () => WebAssembly.compile(bytes),
    'a promise of a path': () => Promise.resolve(PATH),
    'a promise of nothing': () => Promise.resolve(undefined),
    // biome-ignore lint/suspicious/noThenProperty: the very thing
    'anything with then': () => ({ then: (resolve) => resolve(wasmModule) }),
  };

  test.each(Object.keys(SOURCES))('from %s', async (name) => {
    works(await create(SOURCES[name]()));
  });

  test('a relative path from the working directory', () => {
    const cwd = join(home(), 'relative');
    mkdirSync(join(cwd, 'deep'), { recursive: true });
    copyFileSync(PATH, join(cwd, 'deep', 'copy.wasm'));
    for (const wasm of ['deep/copy.wasm', './deep/copy.wasm', 'deep/../deep/copy.wasm']) {
      const { stdout, stderr } = run(
        `import { createHeap } from '${PACKAGE}';
        const heap = await createHeap({ wasm: '${wasm}' });
        console.log(String(heap.from('works')));`,
        { cwd },
      );
      expect([stdout, stderr]).toEqual(['works', '']);
    }
  });

  test.each(['a space', 'häßlich', 'per%41cent', 'a#hash', 'a?mark', 'a;semicolon'])(
    'a relative path from a working directory with odd characters: %s',
    (name) => {
      const cwd = join(home(), name);
      mkdirSync(cwd);
      copyFileSync(PATH, join(cwd, 'copy.wasm'));
      const { stdout, stderr } = run(
        `import { createHeap } from '${PACKAGE}';
        const heap = await createHeap({ wasm: 'copy.wasm' });
        console.log(String(heap.from('works')));`,
        { cwd },
      );
      expect([stdout, stderr]).toEqual(['works', '']);
    },
  );

  test('a path with a space in it', async () => {
    const path = join(home(), 'with a space.wasm');
    copyFileSync(PATH, path);
    works(await create(path));
    works(await create(pathToFileURL(path)));
  });
});

describe('createHeap says what it could not load:', () => {
  test.each([
    ['a path', (path) => path],
    ['a file: address', (path) => pathToFileURL(path).href],
    ['a URL', (path) => pathToFileURL(path)],
    ['a promise of a path', (path) => Promise.resolve(path)],
  ])('a file that is not there, given as %s', async (_, as) => {
    const path = join(home(), 'missing.wasm');
    const error = await rejection(create(as(path)));
    expect(error.code).toBe('ENOENT');
    expect(error.message).toContain(path);
  });

  test('a relative path that is not there', async () => {
    const error = await rejection(create('no/such.wasm'));
    expect(error.message).toContain(join(process.cwd(), 'no/such.wasm'));
  });

  test('a directory', async () => {
    const error = await rejection(create(home()));
    expect(error.message).toContain(home());
  });

  test('an address that is none', async () => {
    const error = await rejection(create('http://['));
    const { name, code } = caught(() => new URL('http://['));
    expect(name).toBe('TypeError');
    expect([error.name, error.code]).toEqual([name, code]);
  });

  test.each([
    ['a file that is no WebAssembly', Buffer.from('<!doctype html>')],
    ['an empty file', Buffer.alloc(0)],
    ['half a file', bytes.subarray(0, bytes.length / 2)],
  ])('%s', async (_, content) => {
    const path = join(home(), 'broken.wasm');
    writeFileSync(path, content);
    const named = [
      [path, pathToFileURL(path).href],
      [content, 'What the option `wasm` gives'],
      [Promise.resolve(content), 'What the option `wasm` gives'],
      [new Response(content), 'The response'],
    ];
    for (const [source, where] of named) {
      const { name, message, cause } = await rejection(create(source));
      expect(name).toBe('CompileError');
      expect(message).toMatch(/^.* could not be compiled: .*\. The option `wasm` says where/s);
      expect(message.startsWith(where)).toBe(true);
      expect(message.includes('HTML')).toBe(content.length === 15);
      expect(cause.name).toBe('CompileError');
    }
    const { name, message } = caught(() => createHeapSync(content));
    expect(name).toBe('CompileError');
    expect(message).toMatch(/^What was given as `moduleOrBytes` could not be compiled: /);
  });

  const REFUSED = {
    'by a policy': [
      `const refuse = () => { throw new WebAssembly.CompileError('disallowed by embedder'); };
      WebAssembly.compile = WebAssembly.compileStreaming = async () => refuse();
      WebAssembly.Module = class { constructor() { refuse(); } };`,
      'could not be compiled: the Content-Security-Policy forbids WebAssembly: its script-src needs ' +
        "'wasm-unsafe-eval'.",
    ],
    'by an engine that has none': [
      'delete globalThis.WebAssembly;',
      'could not be compiled: there is no WebAssembly in this engine.',
    ],
  };

  test.each(Object.keys(REFUSED))('all WebAssembly is refused: %s', (name) => {
    const [refuse, why] = REFUSED[name];
    const { stdout, stderr } = run(
      `import { readFileSync } from 'node:fs';
      import { createHeap, createHeapSync } from '${PACKAGE}';
      import * as inline from '${new URL('inline.js', PACKAGE)}';
      const bytes = readFileSync(${JSON.stringify(PATH)});
      ${refuse}
      for (const make of [
        () => createHeap(),
        () => createHeap({ wasm: bytes }),
        () => createHeapSync(bytes),
        () => inline.createHeap(),
        () => inline.createHeapSync(),
      ]) {
        try {
          await make();
        } catch ({ message }) {
          console.log(message);
        }
      }`,
    );
    expect([stdout.split('\n'), stderr]).toEqual([
      [
        WASM_URL.href,
        'What the option `wasm` gives',
        'What was given as `moduleOrBytes`',
        'The module inside of slabring/inline',
        'The module inside of slabring/inline',
      ].map((where) => `${where} ${why}`),
      '',
    ]);
  });

  test('a promise that is rejected', async () => {
    const mine = new Error('mine');
    expect(await rejection(create(Promise.reject(mine)))).toBe(mine);
  });

  test('a Response that is not ok', async () => {
    for (const status of [404, 500, 403]) {
      const response = new Response('sorry', { status, statusText: 'Because' });
      const { message } = await rejection(create(response));
      expect(message).toContain(`${status} Because`);
      expect(message).toContain('wasm');
    }
  });

  const WRONG = [null, 0, 5, NaN, true, false, 10n, Symbol('x'), {}, [], [1, 2], () => {}, /x/];

  test.each(WRONG.map((value) => [label(value), value]))(
    'a wrong value for wasm: %s',
    async (_, value) => {
      for (const source of [value, Promise.resolve(value)]) {
        const error = facts(await rejection(create(source)));
        expect([error.class, error.code]).toEqual(['TypeError', 'ERR_INVALID_ARG_TYPE']);
        expect(error.message).toMatch(/^The "options\.wasm" property must be /);
      }
    },
  );
});

describe('over HTTP', () => {
  let server;
  let base;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const [, kind] = request.url.split('/');
      if (kind === 'missing') {
        response.writeHead(404, 'Not Here').end();
        return;
      }
      if (kind === 'page') {
        response.setHeader('content-type', 'text/html').end('<!doctype html><p>Not found');
        return;
      }
      const types = { wasm: 'application/wasm', plain: 'text/plain', none: undefined };
      if (kind === 'cut') {
        response.setHeader('content-type', types[request.url.split('/')[2]]);
        response.setHeader('content-length', bytes.length);
        response.write(bytes.subarray(0, 1000), () => response.destroy());
        return;
      }
      if (types[kind]) response.setHeader('content-type', types[kind]);
      response.end(bytes);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${server.address().port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test.each(['wasm', 'plain', 'none'])('a module is loaded whatever its type: %s', async (kind) => {
    works(await create(`${base}/${kind}`));
    works(await create(new URL(`${base}/${kind}`)));
    works(await create(fetch(`${base}/${kind}`)));
  });

  test('a module that is not there is named', async () => {
    for (const source of [`${base}/missing/x.wasm`, fetch(`${base}/missing/x.wasm`)]) {
      const { message } = await rejection(create(source));
      expect(message).toContain(`${base}/missing/x.wasm could not be loaded: 404 Not Here`);
    }
  });

  test('a page in place of a module is named, and called one', async () => {
    for (const source of [`${base}/page/x.wasm`, fetch(`${base}/page/x.wasm`)]) {
      const { name, message } = await rejection(create(source));
      expect(name).toBe('CompileError');
      expect(message).toMatch(
        /^http:.*\/page\/x\.wasm could not be compiled: it is HTML, not WebAssembly, .* The option `wasm`/,
      );
    }
  });

  test.each(['wasm', 'plain'])('an answer that is cut off is named: %s', async (type) => {
    const { message, cause } = await rejection(create(`${base}/cut/${type}`));
    expect(message).toContain(`${base}/cut/${type} could not be `);
    expect(message).toContain('The option `wasm` says');
    expect(cause).toBeDefined();
  });

  test('a server that does not answer is named, and why', async () => {
    const address = 'http://127.0.0.1:1/x.wasm';
    const { message, cause } = await rejection(create(address));
    expect(message).toContain(`${address} could not be loaded: `);
    expect(message).toContain('The option `wasm` says');
    expect(message).toContain(cause.cause.message);
  });
});

describe('createHeapSync makes a heap', () => {
  const SOURCES = MODULE_SOURCES;

  test.each(Object.keys(SOURCES))('from %s', (name) => {
    works(createHeapSync(SOURCES[name](), { regionSize: MIB }));
  });

  test.each([
    ...[undefined, null, 0, 5, true, 10n, Symbol('x'), {}, [], () => {}, ''].map((value) => [
      label(value),
      value,
    ]),
    ['a path', PATH],
    ['a URL', WASM_URL],
    ['a promise', Promise.resolve(bytes)],
    ['a Response', new Response(bytes)],
    ['WebAssembly.Module itself', WebAssembly.Module],
    ['an instance', { exports: {} }],
  ])('but not from %s', (_, source) => {
    const error = facts(caught(() => createHeapSync(source)));
    expect([error.class, error.code]).toEqual(['TypeError', 'ERR_INVALID_ARG_TYPE']);
    expect(error.message).toMatch(/^The "moduleOrBytes" argument must be an instance of /);
    expect(error.message).toContain('WebAssembly.Module');
  });

  test('and looks at the options first', () => {
    expect(caught(() => createHeapSync(undefined, null)).message).toContain('"options"');
  });
});

describe('WebAssembly that is not ours is refused with an error, and nothing else happens:', () => {
  const SOURCES = {
    'an empty module': `new Uint8Array([${EMPTY_MODULE}])`,
    'a module that imports what nobody has': `new Uint8Array([${FOREIGN_MODULE}])`,
    'an object that only looks like a module': `{ [Symbol.toStringTag]: 'WebAssembly.Module' }`,
  };

  // A rejection that nobody handles would end this process.
  test.each(Object.keys(SOURCES))('%s', (name) => {
    const { status, stdout, stderr } = run(
      `import { createHeap, createHeapSync } from '${PACKAGE}';
      try {
        createHeapSync(${SOURCES[name]});
      } catch (error) {
        console.log(error instanceof Error);
      }
      await createHeap({ wasm: ${SOURCES[name]} }).catch((error) => {
        console.log(error instanceof Error);
      });
      await new Promise((resolve) => setTimeout(resolve, 10));`,
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'true\ntrue', stderr: '' });
  });
});

describe('the package', () => {
  test('does nothing when it is imported', () => {
    const { stdout, stderr } = run(
      `delete globalThis.WebAssembly;
      delete globalThis.fetch;
      const state = () => [
        Reflect.ownKeys(globalThis).length,
        process.eventNames().length,
      ].join();
      const before = state();
      const names = Object.keys(await import('${PACKAGE}'));
      console.log(names.sort().join(), before === state());`,
    );
    expect([stdout, stderr]).toEqual(['Arena,Heap,HeapBuffer,createHeap,createHeapSync true', '']);
  });

  test('makes no code from strings', () => {
    const { stdout, stderr } = run(
      `import { createHeap } from '${PACKAGE}';
      const heap = await createHeap();
      console.log(String(heap.from('works')), heap.check().length, heap.stats().live.buffers);`,
      { flags: ['--disallow-code-generation-from-strings'] },
    );
    expect([stdout, stderr]).toEqual(['works 0 1', '']);
  });

  test('lets a program end', () => {
    const { status, stdout } = run(
      `import { createHeap } from '${PACKAGE}';
      const heap = await createHeap();
      heap.alloc(10);
      console.log('end');`,
    );
    expect([status, stdout]).toEqual([0, 'end']);
  });

  test('leaves the process and its globals alone', () => {
    const { stdout, stderr } = run(
      `import { createHeap } from '${PACKAGE}';
      const count = () => [
        process.eventNames().length,
        Reflect.ownKeys(globalThis).length,
        Reflect.ownKeys(Buffer.prototype).length,
        Reflect.ownKeys(Uint8Array.prototype).length,
      ].join();
      const before = count();
      const heap = await createHeap();
      heap.free(heap.from('x'));
      console.log(before === count());`,
    );
    expect([stdout, stderr]).toEqual(['true', '']);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux('takes a smaller region where address space is short, or says that there is none', () => {
    const { status, stdout } = spawnSync(
      '/bin/sh',
      ['-c', `ulimit -v 8000000 && exec "${process.execPath}" --input-type=module --eval "$CODE"`],
      {
        encoding: 'utf8',
        env: {
          CODE: `import { createHeap } from '${PACKAGE}';
          try {
            const heap = await createHeap();
            console.log(String(heap.from('works')), heap.stats().reserved >= 16 * 2 ** 20);
          } catch (error) {
            console.log(error.code, error.cause?.name);
          }`,
        },
      },
    );
    expect(status).toBe(0);
    expect(['works true', 'ERR_HEAP_EXHAUSTED RangeError']).toContain(stdout.trim());
  });
});
