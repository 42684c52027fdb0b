/** The built dashboard runs in each engine, and what it shows is what it stores. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { analyse } from '../../bench/harness/analysis.js';
import { makeResults, parseResults, rowOf } from '../../bench/harness/results.js';
import { engines, launch } from '../../tools/browsers/index.js';
import { openDashboard, serveDashboard } from './dashboard.js';

const IDS = ['async-ids', 'views size=10', 'zeroed-blocks size=1000000 use=kept'];
const TINY = `?${IDS.map((id) => `case=${encodeURIComponent(id)}`).join('&')}&processes=2&samples=3&milliseconds=1&seed=5`;

const bench = fileURLToPath(new URL('../../bench/run.js', import.meta.url));

/** In the page: what would have been downloaded. */
const downloaded = async (name = 'run') => {
  let blob;
  const { createObjectURL } = URL;
  const { click } = HTMLAnchorElement.prototype;
  URL.createObjectURL = (given) => {
    blob = given;
    return createObjectURL(given);
  };
  HTMLAnchorElement.prototype.click = () => {};
  try {
    (await until(() => find(`[data-download=${name}]`))).click();
    await until(() => blob);
  } finally {
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = click;
  }
  return blob.text();
};

/**
 * In the page: the rows of its tables about this browser. What is shown comes a moment after what is
 * measured: waits for these medians, in vain where they never come.
 */
const shownRows = async (ids, medians) => {
  for (const id of ids) {
    const variant = await until(() => find(`[data-variant="${id}"]`));
    variant.scrollIntoView();
    variant.querySelector('details').open = true;
  }
  const rows = () =>
    [...document.querySelectorAll('[data-variant] [data-source=run]')].map(
      ({ dataset: { id, metric, name, median, ratio } }) => ({ id, metric, name, median, ratio }),
    );
  const isThere = ({ id, name, metric, median }) =>
    medians[JSON.stringify([id, name, metric])] === median;
  const count = Object.keys(medians).length;
  await until(() => rows().filter(isThere).length === count, 10).catch(() => {});
  return rows();
};

/** Valid, and its names are markup. */
function hostile() {
  const markup = '<img src=x onerror="globalThis.ran = true">';
  const results = makeResults({
    started: '2026-01-01T00:00:00.000Z',
    options: { quick: false, processes: 2, samples: 2, milliseconds: 1, seed: 1 },
    context: {
      cpu: markup,
      cores: 1,
      system: '<script>globalThis.ran = true</script>',
      build: 'release',
      packages: { [markup]: markup },
    },
  });
  results.engines[markup] = { flags: [] };
  const row = rowOf(results, {
    id: markup,
    case: markup,
    parameters: { [markup]: 1 },
    engine: markup,
  });
  for (const seed of [1, 2]) {
    row.repetitions.push({
      seed,
      metrics: { ns: { slabring: [1, 2], '<b>rival</b>': [2 + seed, 3] } },
    });
  }
  return results;
}

describe.each(engines)('%s', (engine) => {
  let server;
  let browser;
  beforeAll(async () => {
    server = await serveDashboard();
    browser = await launch(engine);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const phase = (wanted) => (page) =>
    page.evaluate(async (wanted) => {
      await until(() => find(`[data-phase=${wanted}]`), 100);
    }, wanted);
  const [done, stopped, paused] = ['done', 'stopped', 'paused'].map(phase);
  const press = (page, text) => page.evaluate((text) => button(text).click(), text);

  test('a tiny set runs to its end; the numbers shown are those of the file', async () => {
    const page = await openDashboard(browser, server.url + TINY);
    await page.evaluate(() => {
      globalThis.longest = 0;
      try {
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
        }).observe({ type: 'longtask' });
      } catch {}
    });
    await press(page, 'Run 3 variants here');
    await done(page);
    const results = parseResults(await page.evaluate(downloaded));
    expect(results.complete).toBe(true);
    expect(results.options).toEqual({
      quick: false,
      processes: 2,
      samples: 3,
      milliseconds: 1,
      seed: 5,
    });
    expect(Object.keys(results.engines)).toEqual([
      expect.stringMatching(`^${engine} \\d+\\.\\d+$`),
    ]);
    expect(results.context).toMatchObject({ isolated: true, build: 'release' });
    expect(results.context.packages.buffer).toBe('6.0.3');
    expect(results.rows.map(({ id, error }) => [id, error])).toEqual(
      IDS.map((id) => [id, undefined]),
    );
    for (const { repetitions } of results.rows) {
      expect([2, 6]).toContain(repetitions.length);
      for (const { metrics, hidden } of repetitions) {
        expect(hidden).toBeUndefined();
        for (const samples of Object.values(metrics.ns ?? {})) expect(samples).toHaveLength(3);
      }
    }
    // No memory in a page, and no Buffer.
    expect(Object.keys(results.rows[2].repetitions[0].metrics)).toEqual(['ms']);

    const rivals = analyse(results).filter(({ name }) => name !== 'slabring');
    const keyOf = ({ id, name, metric }) => JSON.stringify([id, name, metric]);
    const medians = Object.fromEntries(rivals.map((one) => [keyOf(one), `${one.median}`]));
    const shown = await page.evaluate(shownRows, IDS, medians);
    expect(Object.fromEntries(shown.map((row) => [keyOf(row), row.median]))).toEqual(medians);
    for (const finding of rivals.filter(({ ratio }) => ratio)) {
      const row = shown.find((one) => keyOf(one) === keyOf(finding));
      // Engines differ in the last digit of a logarithm.
      expect(Number(row.ratio) / finding.ratio.value).toBeCloseTo(1, 9);
    }
    expect(await page.problems()).toEqual([]);
    if (process.env.SHOW_LONGEST) console.log(engine, await page.evaluate(() => longest));
    await page.close();
  });

  test('its file is one of the command line', async () => {
    const page = await openDashboard(
      browser,
      server.url + TINY.replace('processes=2', 'processes=1'),
    );
    await press(page, 'Run 3 variants here');
    await done(page);
    const folder = mkdtempSync(join(tmpdir(), 'slabring-dashboard-'));
    const file = join(folder, 'page.json');
    writeFileSync(file, await page.evaluate(downloaded));
    const report = spawnSync(process.execPath, [bench, 'report', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(report.stderr).toBe('');
    expect(report.stdout).toMatch(/before: through C\+\+ .* ns/);
    await page.close();
  });

  test('pause, resume, and Escape, which stops; what was measured stays', async () => {
    const page = await openDashboard(
      browser,
      server.url + TINY.replace('processes=2', 'processes=50'),
    );
    await press(page, 'Run 3 variants here');
    await page.evaluate(() => until(() => find('progress')?.value >= 2));
    await press(page, 'Pause');
    await paused(page);
    const before = await page.evaluate(() => find('progress').value);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await page.evaluate(() => find('progress').value)).toBe(before);
    await press(page, 'Resume');
    await page.evaluate((before) => until(() => find('progress').value > before), before);
    await page.evaluate(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    });
    await stopped(page);
    const results = parseResults(await page.evaluate(downloaded));
    expect(results.complete).toBe(false);
    const count = results.rows.flatMap(({ repetitions }) => repetitions).length;
    expect(count).toBeGreaterThan(2);
    expect(count).toBeLessThan(250);
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('a run is kept, found again after a reload, and cleared', async () => {
    const page = await openDashboard(
      browser,
      server.url + TINY.replace('processes=2', 'processes=1'),
    );
    await press(page, 'Run 3 variants here');
    await done(page);
    const entries = () =>
      page.evaluate(async () => {
        const list = await until(() => find('.history li')?.parentElement);
        return list.textContent;
      });
    expect(await entries()).toContain(`${engine} `);
    const before = parseResults(await page.evaluate(downloaded));
    await page.reload();
    expect(await entries()).toContain('3 variants');
    await page.evaluate(() => find('.history button').click());
    const loaded = await page.evaluate(downloaded, 'loaded');
    expect(parseResults(loaded)).toEqual(before);
    await page.evaluate(async () => {
      button('Clear the history').click();
      await until(() => !find('.history li'));
    });
    await page.reload();
    expect(await page.evaluate(() => find('.history li') === null)).toBe(true);
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('files: what is hostile is refused with a reason, markup is text, nothing runs', async () => {
    const page = await openDashboard(browser, server.url);
    const choose = (text) =>
      page.evaluate(async (text) => {
        const input = await until(() => find('input[type=file]'));
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], '<b>file</b>.json', { type: 'application/json' }));
        input.files = transfer.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
        const shown = () =>
          find('#keeping [role=alert]')?.textContent ||
          (find('[data-download=loaded]') && find('#keeping [role=status]')?.textContent);
        await until(() => input.value === '');
        return until(shown);
      }, text);

    for (const [spoil, reason] of [
      [() => undefined, 'this is no JSON'],
      [(r) => ({ ...r, version: 9 }), 'version 9: this reads 1'],
      [(r) => ({ ...r, rows: [{ ...r.rows[0], id: 7 }] }), 'rows[0].id must be a text'],
      [
        (r) => {
          r.rows[0].repetitions[0].metrics.ns = { slabring: { length: 1e9 } };
          return r;
        },
        'rows must be 1000000 samples at most',
      ],
      [
        (r) => {
          r.rows[0].repetitions[0].metrics.ns.slabring[0] = 'NaN';
          return r;
        },
        'metrics.ns.slabring[0] must be a number',
      ],
    ]) {
      const message = await choose(JSON.stringify(spoil(hostile())) ?? '<b>');
      expect(message).toContain('<b>file</b>.json: ');
      expect(message).toContain(reason);
      expect(await page.evaluate(() => find('[data-download=loaded]') === null)).toBe(true);
    }

    // All of its names are markup.
    expect(await choose(JSON.stringify(hostile()))).toContain('is shown');
    const found = await page.evaluate(async () => {
      const variant = await until(() => find('[data-variant^="<img"]'));
      variant.scrollIntoView();
      variant.querySelector('details').open = true;
      await until(() => variant.querySelector('table'));
      return {
        names: variant.textContent,
        made: document.querySelectorAll('img, [onerror], script:not([src])').length,
        ran: globalThis.ran ?? false,
      };
    });
    expect(found).toEqual({
      names: expect.stringContaining('<b>rival</b>'),
      made: 0,
      ran: false,
    });
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('where it is not isolated it says so, and what that costs', async () => {
    const plain = await serveDashboard({ isolated: false });
    try {
      const page = await openDashboard(browser, plain.url);
      const text = await page.evaluate(
        async () => (await until(() => find('[data-isolated=false]'))).textContent,
      );
      expect(text).toMatch(/Not cross-origin isolated: the clock steps by [\d.,]+ µs/);
      expect(await page.problems()).toEqual([]);
      await page.close();
    } finally {
      await plain.close();
    }
  });

  test('an address with nonsense in it is told, and the rest of it is used', async () => {
    const nonsense = '?seed=7&samples=1e9&case=constructor&theme=%3Cb%3E&__proto__=1&theme=dark';
    const page = await openDashboard(browser, server.url + nonsense);
    const { theme, search } = await page.evaluate(() => ({
      theme: document.documentElement.dataset.theme,
      search: location.search,
    }));
    expect(theme).toBe('dark');
    expect(search).toBe(nonsense);
    expect(await page.problems()).toEqual([]);
    await page.close();
  });
});
