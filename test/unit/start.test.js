/** What `npm start` serves, and how it ends. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const start = fileURLToPath(new URL('../../tools/start.js', import.meta.url));

/** Serving: what it printed, its address, and the child. */
async function serving(...args) {
  const child = spawn(process.execPath, [start, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text;
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0];
    if (url) return { child, output, url };
  }
  throw new Error(`it ended: ${output}`);
}

describe('npm start', () => {
  test.each(['SIGINT', 'SIGTERM'])(
    'runs the example, serves the page, and ends by %s',
    async (signal) => {
      const { child, output, url } = await serving('--port', '0');
      expect(output).toContain('both as counted by JavaScript and by zlib');
      const response = await fetch(url);
      expect(await response.text()).toMatch('<title>slabring');
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      });
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      await expect(fetch(url)).rejects.toThrow();
    },
    120_000,
  );

  test('a port that is taken is told', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address();
    const child = spawn(process.execPath, [start, '--port', `${port}`], { stdio: 'pipe' });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(errors).toContain(`start: port ${port} is taken`);
    taken.close();
  }, 120_000);

  test.each([['--port', 'x'], ['--port', '65536'], ['--wrong']])(
    '%p %p is refused before anything is built',
    (...args) => {
      const run = () => execFileSync(process.execPath, [start, ...args], { stdio: 'pipe' });
      expect(run).toThrow(/start: /);
    },
  );

  test('--once ends after the example', () => {
    const output = execFileSync(process.execPath, [start, '--once'], { encoding: 'utf8' });
    expect(output).toContain('both as counted by JavaScript and by zlib');
    expect(output).not.toContain('http://');
  }, 120_000);
});
