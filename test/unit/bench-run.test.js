/** The command line: real runs, in processes of their own. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { dropped } from '../../bench/harness/buffer-loops.js';
import { variantsOf } from '../../bench/harness/case.js';
import { problemOf } from '../../bench/harness/results.js';
import { turn } from '../../bench/harness/turn.js';
import { LINES, replaceFigures } from '../../bench/node/readme.js';
import { runAll } from '../../bench/node/run-all.js';

const run = fileURLToPath(new URL('../../bench/run.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'slabring-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bench = (...args) => spawnSync(process.execPath, [run, ...args], { encoding: 'utf8' });
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const SHORT = ['--processes', '2', '--samples', '3', '--milliseconds', '1'];

describe('a run', () => {
  const path = join(folder, 'run.json');

  test('prints a table and stores every sample, with all that it takes to do it again', () => {
    const args = ['async-ids', 'control work=buffers', '--seed', '5', '--json', path];
    const { status, stdout, stderr } = bench(...args, ...SHORT);
    expect({ status, stderr: stderr.replaceAll(/^\d+ of .*\n/gm, '') }).toEqual({
      status: 0,
      stderr: '',
    });
    expect(stdout).toMatch(/before: through C\+\+ .* ns/);
    const results = read(path);
    expect(problemOf(results)).toBeUndefined();
    expect(results.complete).toBe(true);
    expect(results.options).toEqual({
      quick: false,
      processes: 2,
      samples: 3,
      milliseconds: 1,
      seed: 5,
    });
    expect(results.context.packages).toMatchObject({ 'fast-fifo': '1.3.2', buffer: '6.0.3' });
    expect(results.context.build).toBe('release');
    expect(Object.keys(results.engines)).toEqual([`node ${process.versions.node}`]);
    expect(results.rows.map(({ id }) => id)).toEqual(['async-ids', 'control work=buffers']);
    for (const { repetitions } of results.rows) {
      expect(repetitions).toHaveLength(2);
      for (const { metrics, step, gc } of repetitions) {
        for (const samples of Object.values(metrics.ns)) expect(samples).toHaveLength(3);
        expect(step).toBeGreaterThan(0);
        expect(gc).toBe(true);
      }
    }
    // Nothing of the machine but what it is.
    expect(JSON.stringify(results)).not.toContain(folder);
    expect(JSON.stringify(results)).not.toContain(process.cwd());
  }, 60_000);

  test('can be shown again, judged by the bars, and compared', () => {
    expect(bench('report', path).stdout).toMatch(/before: through C\+\+/);
    expect(bench('report', path, '--bars').stdout).toMatch(/async-ids +of before: through C\+\+/);
    expect(bench('compare', path, path).stdout).toMatch(/async-ids +0\.00 %/);
  });

  test('that is killed keeps what it had', async () => {
    const killed = join(folder, 'killed.json');
    const args = [run, 'control work=buffers', '--json', killed, ...SHORT, '--processes', '500'];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    while (!existsSync(killed)) await sleep(50);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    const results = read(killed);
    expect(problemOf(results)).toBeUndefined();
    expect(results.complete).toBe(false);
    expect(results.rows[0].repetitions.length).toBeGreaterThan(0);
    expect(bench('report', killed).stdout).toMatch('ended early');
  }, 60_000);

  test('that is ended early says so, and shows what it had', async () => {
    const ended = join(folder, 'ended.json');
    const args = [run, 'control work=buffers', '--json', ended, ...SHORT, '--processes', '500'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    while (!existsSync(ended)) await sleep(50);
    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(130);
    expect(stdout).toMatch(/slabring again .* ns/);
    expect(stdout).toMatch('The run was ended early');
    expect(read(ended).complete).toBe(false);
  }, 60_000);
});

test('a case gets the flags that it needs, and the results say so', async () => {
  const file = join(folder, 'flagged.js');
  const code = `export default {
    name: 'flagged',
    figures: () => ({ size: process.execArgv.includes('--stack-size=900') ? 900 : 0 }),
  };`;
  writeFileSync(file, code);
  const benchmark = { name: 'flagged', flags: () => ['--stack-size=900'], figures: () => ({}) };
  const [variant] = variantsOf(benchmark);
  const { rows } = await runAll({
    chosen: [{ file, benchmark, variant }],
    engines: [{ name: 'node', program: process.execPath, v8: process.versions.v8 }],
    options: { quick: false, processes: 1, samples: 1, milliseconds: 1, seed: 1 },
    context: {},
    path: join(folder, 'flagged.json'),
    signal: new AbortController().signal,
    progress: () => {},
  });
  expect(rows).toHaveLength(1);
  expect(rows[0].flags).toEqual(['--stack-size=900']);
  expect(rows[0].repetitions[0].metrics).toEqual({ size: { slabring: [900] } });
});

test('a browser that the machine has not is said before anything is measured', () => {
  const args = [run, 'buffers-browser engine=chromium', 'async-ids', ...SHORT];
  const env = { ...process.env, PATH: folder };
  const options = { encoding: 'utf8', env };
  const path = join(folder, 'without.json');
  const some = spawnSync(process.execPath, [...args, '--json', path], options);
  expect(some.stderr).toMatch(
    /^bench: buffers-browser engine=chromium .* is left out: no chromium/,
  );
  expect(some.status).toBe(0);
  expect(read(path).rows.map(({ id }) => id)).toEqual(['async-ids']);
  const none = spawnSync(process.execPath, args.slice(0, 2), options);
  expect(none.status).toBe(1);
  expect(none.stderr).toMatch('nothing is left to be measured');
}, 60_000);

test('who drops buffers comes back to the event loop by the MiB', async () => {
  let turns = 0;
  const count = async () => {
    turns++;
    await turn();
  };
  const sizes = [];
  const make = (size) => {
    sizes.push(size);
    return new Uint8Array(size);
  };
  const last = await dropped(make, 1000, count, 1024).run(3000);
  expect(last).toHaveLength(1000);
  expect(sizes).toEqual(Array(3000).fill(1000));
  expect(turns).toBe(3);
});

describe('the command line', () => {
  test.each([
    [['nothing-like-that'], 'nothing is chosen'],
    [['--processes', '0'], '--processes 0'],
    [['compare', 'a.json'], 'compare wants two files'],
    [['report', '/nowhere/a.json'], '/nowhere/a.json'],
    [['--node', 'latest', 'async-ids'], '--node latest: not a version'],
    [['--wrong'], '--wrong'],
  ])('%j is refused in one line', (args, message) => {
    const { status, stderr } = bench(...args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^bench: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });

  test('--list shows what there is, and --quick less of it', () => {
    const all = bench('--list').stdout.trim().split('\n');
    const quick = bench('--list', '--quick').stdout.trim().split('\n');
    for (const id of quick) expect(id).not.toContain('browser');
    expect(bench('--list', '--quick', 'buffers-browser').stdout).toContain('engine=firefox');
    expect(new Set(all).size).toBe(all.length);
    expect(quick.length).toBeLessThan(all.length / 2);
    for (const id of quick) expect(all).toContain(id);
    const sizes = bench('--list', '--size', '10', 'buffer-creation').stdout.trim().split('\n');
    expect(sizes).toHaveLength(8);
    for (const id of sizes) expect(id).toContain('size=10 ');
  });

  test('the bars and the published figures are about cases that exist', () => {
    // Those in browsers are no part of a run that does not name them.
    const lists = [bench('--list'), bench('--list', 'browser')];
    const ids = lists.flatMap(({ stdout }) => stdout.trim().split('\n'));
    const bars = read(new URL('../../bench/bars.json', import.meta.url));
    for (const { id } of bars) expect(ids).toContain(id);
    const published = read(new URL('../../bench/published.json', import.meta.url));
    for (const id of Object.keys(published)) expect(ids).toContain(id);
    for (const { id } of LINES) expect(ids).toContain(id);
  });
});

test('what cases share runs without Node and without a page', () => {
  const harness = new URL('../../bench/harness/', import.meta.url);
  for (const file of readdirSync(harness)) {
    const code = readFileSync(new URL(file, harness), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    expect(code).not.toMatch(/node:|\bprocess\.|\bdocument\b|\bwindow\b|require\(/);
  }
});

test('README has a place for figures', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(replaceFigures(readme, 'x')).toContain('x');
});
