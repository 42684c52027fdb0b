/** The interface that all browsers are seen through, and that nothing of them is left behind. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, launch } from '../../tools/browsers/index.js';
import { describeInBrowsers, servePages } from './browser.js';

describeInBrowsers((open) => {
  let page;
  beforeAll(async () => {
    page = await open();
  });
  afterAll(() => page?.close());

  test('arguments and results travel as JSON, promises are waited for', async () => {
    const value = { text: '"\n\u2028</script>', list: [1, null, { deep: true }] };
    expect(await page.evaluate((x) => x, value)).toEqual(value);
    expect(await page.evaluate(async (a, b) => a + b, 1, 2)).toBe(3);
    expect(await page.evaluate('() => document.title')).toBe('slabring');
    expect(await page.evaluate(() => {})).toBeUndefined();
  });

  test('an error comes with its name, message, code and stack', async () => {
    const failed = page.evaluate(async () => {
      throw Object.assign(new RangeError('too far'), { code: 'ERR_FAR' });
    });
    await expect(failed).rejects.toMatchObject({
      name: 'RangeError',
      message: 'too far',
      code: 'ERR_FAR',
      stack: expect.stringMatching(/^RangeError: too far\n {2}in the page:\n./),
    });
    await expect(page.evaluate(() => Promise.reject('text'))).rejects.toThrow('text');
  });

  test('pages have nothing of each other, and stay when another is closed', async () => {
    const other = await open();
    const set = (value) => {
      globalThis.mine = [globalThis.mine, value];
      return globalThis.mine;
    };
    const results = await Promise.all([page.evaluate(set, 1), other.evaluate(set, 2)]);
    expect(results).toEqual([
      [null, 1],
      [null, 2],
    ]);
    await other.close();
    expect(await page.evaluate(() => globalThis.mine)).toEqual([null, 1]);
  });

  test('a screenshot is a PNG of what is to be seen', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slabring-browsers-'));
    const shot = async (name) => {
      const path = join(folder, name);
      await page.screenshot(path);
      return readFileSync(path);
    };
    const before = await shot('a.png');
    await page.evaluate(() => document.body.append('text'));
    const after = await shot('b.png');
    rmSync(folder, { recursive: true });
    expect(before.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect(after.equals(before)).toBe(false);
  });
});

test('an unknown browser is refused with the names of those there are', async () => {
  await expect(launch('lynx')).rejects.toThrow(
    'no browser "lynx"; there are: chromium, firefox, webkit',
  );
});

/** Field 4 of /proc/PID/stat, and what the process is called; nothing of one that is dead. */
function processOf(pid) {
  try {
    const [, name, state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(
      /\((.*)\) (\S) (\d+)/s,
    );
    return /[ZX]/.test(state) ? undefined : { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** A process's children, theirs, and so on. */
function descendants(root) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), ...processOf(pid) }));
  const found = new Set([root]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return [...found];
}

/** Those that still run a while later: none is told when a process ends that is not its child. */
async function survivors(pids) {
  for (let i = 0; i < 200; i++) {
    const left = pids.map((pid) => processOf(pid)?.name).filter(Boolean);
    if (left.length === 0) return [];
    await sleep(50);
  }
  return pids.map((pid) => processOf(pid)?.name).filter(Boolean);
}

describe.each(engines)('the processes of %s', (engine) => {
  const program = `
    import { launch } from ${JSON.stringify(new URL('../../tools/browsers/index.js', import.meta.url))};
    const browser = await launch(${JSON.stringify(engine)});
    await browser.open(process.argv[1]);
    process.send('open');
    await new Promise((resolve) => process.once('message', resolve));
    await browser.close();
    process.disconnect();
  `;

  let server;
  let folder;
  beforeAll(async () => {
    server = await servePages();
    folder = mkdtempSync(join(tmpdir(), 'slabring-browsers-'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  /** The program up to where its page is open. */
  async function start() {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, server.url], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Whoever is killed leaves profiles behind.
      env: { ...process.env, TMPDIR: folder },
    });
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    const message = await Promise.race([
      new Promise((resolve) => child.once('message', resolve)),
      ended,
    ]);
    expect(message).toBe('open');
    const pids = descendants(child.pid);
    expect(pids.length).toBeGreaterThan(1);
    return { child, ended, pids };
  }

  test('are gone after close()', async () => {
    const { child, ended, pids } = await start();
    child.send('close');
    expect(await ended).toBe(0);
    expect(await survivors(pids)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('are gone after whoever launched it was killed', async () => {
    const { child, ended, pids } = await start();
    child.kill('SIGKILL');
    await ended;
    expect(await survivors(pids)).toEqual([]);
  });
});
