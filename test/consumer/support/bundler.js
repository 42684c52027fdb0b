/** What the tests of the bundlers share. */

import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect } from '@jest/globals';

/** A command as docs/bundlers.md has it: `npx` takes the consumer's own. */
export function commandOf(consumer, [npx, name, ...args]) {
  expect(npx).toBe('npx');
  return [consumer.path(`node_modules/.bin/${name}`), args];
}

/** The files of a folder of the consumer's and their lengths. */
export async function filesOf(consumer, folder) {
  const names = await readdir(consumer.path(folder), { recursive: true });
  const files = {};
  for (const name of names.sort()) {
    const entry = await stat(consumer.path(`${folder}/${name}`));
    if (entry.isFile()) files[name] = entry.size;
  }
  return files;
}

/** The WebAssembly among them: there is one file, its name has a hash. */
export async function emittedWasm(consumer, folder) {
  const names = Object.keys(await filesOf(consumer, folder)).filter((name) => /wasm$/.test(name));
  expect(names).toEqual([expect.stringMatching(/(^|[/-])[\w-]{8,}\.wasm$/)]);
  return names[0];
}

/** A port of the loopback address that nobody uses just now. */
export function freePort() {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Runs a server while `action` does; it gets the server's address. */
export async function whileServing(consumer, program, args, port, action) {
  const child = consumer.start(program, args);
  let said = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  try {
    const url = `http://127.0.0.1:${port}/`;
    for (let i = 0; !(await fetch(url).catch(() => undefined)); i++) {
      if (i === 600 || child.exitCode !== null) throw new Error(`no server: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await action(url);
  } finally {
    child.kill();
    await ended;
  }
  return said;
}
