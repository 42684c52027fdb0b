/** The results that the dashboard shows beside each other. */

import { describe, expect, test } from '@jest/globals';
import { effect, signal } from '@preact/signals';
import { makeReports } from '../../web/state/reports.js';

const finding = (id, median, engine = 'node 1') => ({
  id,
  engine,
  metric: 'ns',
  name: 'slabring',
  median,
});
const answer = (value) => ({ ok: true, json: async () => structuredClone(value) });

/** Results as the fake analyst takes them: what is found is in the rows. */
const results = (rows, complete = true) => ({
  engines: { 'node 1': {}, 'node 2': {} },
  complete,
  rows: rows.map(({ id, error, ...rest }) => ({
    id,
    ...(error && { error }),
    finding: { id, ...rest },
  })),
});

const later = () => new Promise((resolve) => setTimeout(resolve, 5));

function make({ fetchFindings, fetchResults } = {}) {
  const run = signal(undefined);
  const analysed = [];
  const reports = makeReports({
    run,
    analyst: {
      async analyse(given) {
        analysed.push(given);
        await later();
        if (given.broken) throw new Error('no sense in it');
        return { findings: given.rows.map((row) => row.finding), warnings: ['careful'] };
      },
    },
    fetchFindings:
      fetchFindings ??
      (async () =>
        answer({
          engines: { 'node 1': {} },
          findings: [finding('a', 1), finding('b', 2)],
          warnings: [],
          errors: { c: 'broke' },
        })),
    fetchResults: fetchResults ?? (async () => answer({ rows: [1] })),
  });
  return { run, reports, analysed };
}

describe('reports', () => {
  test('begin with the stored reference; its samples come when they are asked for', async () => {
    let fetched = 0;
    const { reports } = make({
      fetchResults: async () => {
        fetched++;
        return answer({ rows: [1] });
      },
    });
    expect(reports.shown.value).toEqual([]);
    await later();
    expect(reports.shown.value).toEqual(['reference']);
    const { ids, errors, whole } = reports.reports.reference.value;
    expect(ids).toEqual(['a', 'b']);
    expect(errors).toEqual({ c: 'broke' });
    expect(fetched).toBe(0);
    expect(await whole()).toEqual({ rows: [1] });
    await whole();
    expect(fetched).toBe(1);
  });

  test('say what was in the way of the reference, and try its samples again', async () => {
    const { reports } = make({ fetchFindings: async () => ({ ok: false, status: 404 }) });
    await later();
    expect(reports.shown.value).toEqual([]);
    expect(reports.problems.reference.value).toContain('(404)');

    let fails = true;
    const second = make({
      fetchResults: async () => (fails ? { ok: false, status: 500 } : answer({ rows: [] })),
    }).reports;
    await later();
    const { whole } = second.reports.reference.value;
    await expect(whole()).rejects.toThrow('500');
    fails = false;
    expect(await whole()).toEqual({ rows: [] });
  });

  test('follow a run: what came meanwhile is analysed once, the last of it always', async () => {
    const { run, reports, analysed } = make();
    const [first, second, third] = [1, 2, 3].map((median) => results([finding('a', median)]));
    run.value = first;
    run.value = second;
    run.value = third;
    await later();
    await later();
    await later();
    expect(analysed).toEqual([first, third]);
    expect(reports.of('run', 'a').value).toEqual([finding('a', 3)]);
    expect(await reports.reports.run.value.whole()).toBe(third);
  });

  test('say what was in the way of an analysis, until one succeeds', async () => {
    const { run, reports } = make();
    run.value = { ...results([]), broken: true };
    await later();
    await later();
    expect(reports.problems.run.value).toBe('Not analysed: no sense in it');
    run.value = results([finding('a', 1)]);
    await later();
    await later();
    expect(reports.problems.run.value).toBeUndefined();
  });

  test('tell of one variant only when it changes', async () => {
    const { reports } = make();
    await reports.load(results([finding('a', 1), finding('b', 1)]), 'one.json');
    const seen = [];
    const stop = effect(() => {
      seen.push(reports.of('loaded', 'a').value.map(({ median }) => median));
    });
    await reports.load(results([finding('a', 1), finding('b', 2)]), 'two.json');
    await reports.load(results([finding('a', 5), finding('b', 2)]), 'three.json');
    stop();
    expect(seen).toEqual([[1], [5]]);
    expect(reports.reports.loaded.value).toMatchObject({
      file: 'three.json',
      warnings: ['careful'],
    });
    reports.unload();
    expect(reports.of('loaded', 'a').value).toEqual([]);
    expect(reports.shown.value).toEqual(['reference']);
  });

  test('show one engine of several, the first or the one chosen', async () => {
    const { reports } = make();
    await reports.load(results([finding('a', 1), finding('a', 2, 'node 2')]), 'file');
    expect(reports.of('loaded', 'a').value).toEqual([finding('a', 1)]);
    reports.engines.value = { loaded: 'node 2' };
    expect(reports.engineOf('loaded')).toBe('node 2');
    expect(reports.of('loaded', 'a').value).toEqual([finding('a', 2, 'node 2')]);
    reports.engines.value = { loaded: 'another' };
    expect(reports.engineOf('loaded')).toBe('node 1');
  });

  test('that cannot be analysed change nothing', async () => {
    const { reports } = make();
    await reports.load(results([finding('a', 1)]), 'good');
    await expect(reports.load({ ...results([]), broken: true }, 'bad')).rejects.toThrow('no sense');
    expect(reports.reports.loaded.value.file).toBe('good');
  });
});
