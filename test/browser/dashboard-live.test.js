/** The live view on the built dashboard: what it shows is what its heap says, in every engine. */

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, launch } from '../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../tools/serve.js';
import { workloads } from '../../web/live/workloads.js';
import { MIB, PAGE } from '../support/heap.js';
import { openDashboard, WEB } from './dashboard.js';

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const SHOTS = folder('../../build/screenshots/');

describe.each(engines)('%s', (engine) => {
  let server;
  let browser;
  let page;

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    server = await serve({
      folders: {
        // Not at the root: it works from any path.
        '/some/folder/': WEB,
        '/without/': WEB,
        '/without/build/wasm-release/': folder('pages/'),
        '/axe/': folder('../../node_modules/axe-core/'),
      },
      isolated: true,
      policy: STRICT_POLICY,
    });
    browser = await launch(engine);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  afterEach(async () => {
    const problems = await page?.problems();
    await page?.close();
    page = undefined;
    expect(problems).toEqual([]);
  });

  /** The page with the live view in sight, and what a reader can do with it. */
  async function open(search = '', { view, prefix = 'some/folder/', reduced = false } = {}) {
    const url = `${server.url}${prefix}${search}`;
    page = await openDashboard({ open: (address) => browser.open(address, view) }, url);
    await page.evaluate(async (isReduced) => {
      const { matchMedia } = globalThis;
      if (isReduced) {
        globalThis.matchMedia = (query) =>
          matchMedia(query.includes('reduced-motion') ? 'all' : query);
      }
      globalThis.root = () => find('.live');
      globalThis.press = (action) => root().querySelector(`[data-action=${action}]`).click();
      globalThis.figure = (name) =>
        Number(root().querySelector(`[data-figure=${name}] data`)?.value ?? Number.NaN);
      // What is above it grows while charts are loaded.
      await until(() => {
        find('#live')?.scrollIntoView({ behavior: 'instant' });
        return root() !== null;
      });
    }, reduced);
  }

  const run = () =>
    page.evaluate(async () => {
      press('start');
      await until(() => root().dataset.phase === 'running' && figure('steps') > 0);
    });

  /** Pauses, and waits for the picture of that moment. */
  const pause = () =>
    page.evaluate(async () => {
      press('pause');
      await until(() => root().dataset.phase === 'paused');
      await new Promise((resolve) => setTimeout(resolve, 300));
    });

  const set = (id, value, event) =>
    page.evaluate(
      (name, chosen, type) => {
        const control = document.getElementById(name);
        control.value = chosen;
        control.dispatchEvent(new Event(type, { bubbles: true }));
      },
      id,
      value,
      event,
    );

  /** All that is shown of the paused heap, as numbers; and what the heap says. */
  const shown = () =>
    page.evaluate(async () => {
      const unfold = (text) => {
        for (const summary of root().querySelectorAll('summary')) {
          if (summary.textContent.includes(text) && !summary.parentElement.open) summary.click();
        }
      };
      unfold('table');
      unfold('heap.stats()');
      await until(() => root().querySelector('[data-stats]') !== null);
      const table = (name) => {
        const found = root().querySelector(`[data-table=${name}]`);
        return (
          found && {
            sequence: found.querySelector('[data-sequence]').dataset.sequence,
            rows: [...found.querySelectorAll('tbody tr')].map((row) =>
              [...row.querySelectorAll('data')].map(({ value }) => Number(value)),
            ),
          }
        );
      };
      const pre = root().querySelector('[data-stats]');
      if (root().dataset.phase === 'paused') {
        await until(() => pre.dataset.stats === root().dataset.sequence);
      }
      return {
        sequences: [root().dataset.sequence, pre.dataset.stats],
        stats: JSON.parse(pre.textContent),
        check: root().querySelector('[data-check]').dataset.check,
        figures: Object.fromEntries(
          [...root().querySelectorAll('[data-figure]')].map(({ dataset }) => [
            dataset.figure,
            figure(dataset.figure),
          ]),
        ),
        regions: table('regions'),
        classes: table('classes'),
        memory: table('memory'),
        ids: table('ids'),
        label: root().querySelector('canvas').getAttribute('aria-label'),
      };
    });

  /** That all that is shown is of one instant, and what the heap said then. */
  async function expectAgreement({
    sequences,
    stats,
    check,
    figures,
    regions,
    classes,
    memory,
    label,
  }) {
    const [sequence] = sequences;
    const tables = [regions, memory, ...(classes === null ? [] : [classes])];
    expect([...sequences, ...tables.map((table) => table.sequence)]).toEqual(
      Array(sequences.length + tables.length).fill(sequence),
    );
    expect(check).toBe('0');
    expect(figures).toMatchObject({
      live: stats.live.bytes,
      buffers: stats.live.buffers,
      cached: stats.cached.bytes,
      reserved: stats.reserved,
      touched: stats.resident,
      inUse: stats.regions.reduce((sum, { inUse }) => sum + inUse, 0),
      fallbacks: stats.fallbacks,
    });
    // Pages, own, in slabs, cells, blocks, in blocks, free, never touched, the longest stretch.
    expect(
      regions.rows.map(([pages, own, slabs, , , inBlocks, free, untouched]) => ({
        reserved: pages * PAGE,
        usable: (pages - own) * PAGE,
        inUse: (slabs + inBlocks) * PAGE,
        touched: (slabs + inBlocks + free) * PAGE,
        all: own + slabs + inBlocks + free + untouched,
      })),
    ).toEqual(
      stats.regions.map(({ reserved, usable, inUse, touched }) => ({
        reserved,
        usable,
        inUse,
        touched,
        all: reserved / PAGE,
      })),
    );
    const used = stats.sizeClasses.filter(({ slabs }) => slabs > 0);
    expect((classes?.rows ?? []).map(([cell, slabs, held]) => [cell, slabs, held])).toEqual(
      used.map(({ cellSize, slabs, live }) => [cellSize, slabs, live]),
    );
    expect(memory.rows[0]).toEqual([
      figures.reserved,
      figures.touched,
      figures.inUse,
      figures.live,
      figures.cached,
    ]);
    expect(label).toContain(`${stats.regions.length} region`);
  }

  test('starts nothing by itself', async () => {
    await open();
    expect(
      await page.evaluate(() => [
        root().dataset.phase,
        performance.getEntriesByType('resource').filter(({ name }) => /live\.wasm/.test(name))
          .length,
      ]),
    ).toEqual(['off', 0]);
  });

  test('shows what the heap says, of each workload', async () => {
    await open();
    for (const { id } of workloads) {
      await set('live-workload', id, 'change');
      // The heap of the one before is gone from the page, and with it its count.
      if (id !== workloads[0].id) await page.evaluate(() => until(() => figure('steps') === 0));
      await run();
      await page.evaluate(() => {
        const before = figure('steps');
        return until(() => figure('steps') > before);
      });
      await pause();
      await expectAgreement(await shown());
    }
  }, 300_000);

  test('stands still while it is paused, and does as many steps as it is told', async () => {
    await open('?live.rate=100');
    await run();
    await pause();
    const look = () => page.evaluate(() => [root().dataset.sequence, figure('steps')]);
    const before = await look();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 700)));
    expect(await look()).toEqual(before);
    await page.evaluate(async (steps) => {
      press('step');
      await until(() => figure('steps') > steps);
    }, before[1]);
    expect((await look())[1]).toBe(before[1] + 10);
    await run();
    expect((await look())[1]).toBeGreaterThanOrEqual(before[1] + 10);
  });

  test('a reset begins with a new heap, free all and trim leave nothing', async () => {
    await open('?live.workload=large&live.rate=1000&live.region=4');
    await run();
    await page.evaluate(() => until(() => figure('reserved') > 3 * 4194304));
    await pause();
    await page.evaluate(async () => {
      press('freeAll');
      press('trim');
      await until(() => figure('reserved') === 4194304);
    });
    const freed = await shown();
    expect(freed.figures).toMatchObject({ live: 0, asked: 0, inUse: 0, reserved: 4 * MIB });
    expect(freed.figures.steps).toBeGreaterThan(0);
    await page.evaluate(async () => {
      press('reset');
      await until(() => figure('steps') === 0);
    });
    const after = await shown();
    expect(after.stats).toMatchObject({ reserved: 4 * MIB, peak: 0, live: { buffers: 0 } });
    expect(after.figures).toMatchObject({ steps: 0, live: 0, refused: 0 });
    expect(after.memory.rows).toHaveLength(1);
    expect(
      await page.evaluate(() => [
        root().dataset.phase,
        [...root().querySelectorAll('[data-event]')].map(({ dataset }) => dataset.event),
      ]),
    ).toEqual(['paused', ['new heap']]);
  });

  test.each([
    ['throw', 'exhausted', 'refused'],
    ['fallback', 'fallback', 'fallbacks'],
  ])('a full heap is shown, and it goes on: %s', async (full, event, figure) => {
    await open(`?live.workload=large&live.size=500&live.most=32&live.rate=1000&live.full=${full}`);
    await run();
    await page.evaluate(
      async (kind, name) => {
        await until(() => root().querySelector(`[data-event="${kind}"]`) !== null);
        await until(() => figure(name) > 0);
        const before = figure('steps');
        await until(() => figure('steps') > before);
      },
      event,
      figure,
    );
    await pause();
    const { figures, check } = await shown();
    expect(figures[figure]).toBeGreaterThan(0);
    expect(figures.reserved).toBeLessThanOrEqual(32 * MIB);
    expect(check).toBe('0');
    const events = await page.evaluate(() =>
      [...root().querySelectorAll('[data-event]')].map(({ dataset }) => dataset.event),
    );
    expect(events).toEqual(expect.arrayContaining(['region added', event]));
  });

  test('rests while nobody sees the page', async () => {
    await open();
    await run();
    const turn = (hidden) =>
      page.evaluate(async (isHidden) => {
        Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
        await until(() => root().dataset.phase === (isHidden ? 'paused' : 'running'));
      }, hidden);
    await turn(true);
    await turn(false);
    await pause();
    // Whoever has paused it finds it so.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    expect(await page.evaluate(() => root().dataset.phase)).toBe('paused');
  });

  test('shows two pictures a second at most where motion shall be reduced', async () => {
    await open('', { reduced: true });
    await run();
    const [pictures, most] = await page.evaluate(async () => {
      const start = performance.now();
      const first = Number(root().dataset.sequence);
      await until(() => Number(root().dataset.sequence) >= first + 4);
      return [4, (performance.now() - start) / 500 + 1];
    });
    expect(pictures).toBeLessThanOrEqual(most);
  });

  test('says what could not be loaded, and may be started again', async () => {
    await open('', { prefix: 'without/' });
    for (let attempt = 0; attempt < 2; attempt++) {
      const message = await page.evaluate(async () => {
        press('start');
        // The message of the last attempt goes with the next turn.
        await new Promise((resolve) => setTimeout(resolve, 100));
        return (await until(() => root().querySelector('[role=alert]'))).textContent;
      });
      expect(message).toMatch(/live\.wasm: 404/);
    }
  });

  test('what is set is in the address, and comes from it', async () => {
    await open('?live.workload=ramp&live.size=5&live.region=16&live.full=fallback');
    const controls = () =>
      page.evaluate(() =>
        Object.fromEntries(
          [...root().querySelectorAll('select, .live-slider input')].map(({ id, value }) => [
            id,
            root().querySelector(`output[for=${id}]`)?.textContent ?? value,
          ]),
        ),
      );
    expect(await controls()).toEqual({
      'live-workload': 'ramp',
      'live-rate': '20,000 a second',
      'live-size': '5 MiB',
      'live-region': '16',
      'live-most': '128',
      'live-full': 'fallback',
    });
    await set('live-workload', 'ids', 'change');
    await page.evaluate(() =>
      until(() => document.getElementById('live-size').labels[0].textContent === 'Depth'),
    );
    await set('live-size', '3', 'input');
    await page.evaluate(() => until(() => /live\.size=10/.test(location.search)));
    const search = await page.evaluate(() => location.search);
    expect(new URLSearchParams(search).get('live.workload')).toBe('ids');
    expect(new URLSearchParams(search).get('live.full')).toBe('fallback');
    await page.close();
    await open(search);
    expect(await controls()).toMatchObject({
      'live-workload': 'ids',
      'live-size': '10 pairs',
      'live-region': '16',
      'live-full': 'fallback',
    });
  });

  test('what is wrong in the address is left out, and told as text', async () => {
    await open('?live.workload=%3Cimg%20src=x%3E&live.rate=1e99&live.size=-5&live.most=32');
    expect(
      await page.evaluate(() => [
        document.getElementById('live-workload').value,
        document.getElementById('live-most').value,
        root().querySelector('.notice').textContent,
        root().querySelectorAll('img').length,
      ]),
    ).toEqual([
      'churn',
      '32',
      'In the address, live.workload, live.rate, live.size: not known or out of range, and left out.',
      0,
    ]);
  });

  test('is started, slowed and paused by keys alone', async () => {
    await open();
    await page.evaluate(() => document.getElementById('live-workload').focus());
    const tabTo = async (selector) => {
      for (let left = 12; left > 0; left--) {
        await page.press('Tab');
        if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) {
          return;
        }
      }
      throw new Error(`no key leads to ${selector}`);
    };
    await tabTo('#live-rate');
    await page.press('ArrowDown');
    await page.evaluate(() => until(() => /live\.rate=10000(&|$)/.test(location.search)));
    await tabTo('[data-action=start]');
    await page.press('Space');
    await page.evaluate(() =>
      until(() => root().dataset.phase === 'running' && figure('steps') > 0),
    );
    // The same button, and the focus has not moved.
    await page.press('Space');
    await page.evaluate(() => until(() => root().dataset.phase === 'paused'));
    await tabTo('[data-action=trim]');
    await page.press('Enter');
    await page.evaluate(() => until(() => root().querySelector('[data-event=trimmed]') !== null));
    await tabTo('summary');
    await page.press('Enter');
    await page.evaluate(() => until(() => root().querySelector('.live-words') !== null));
  });

  test('everything that can be reached has a name', async () => {
    await open();
    await run();
    await pause();
    const unnamed = await page.evaluate(() => {
      const controls = [...root().querySelectorAll('button, select, input, summary, [tabindex]')];
      return controls
        .filter((control) => {
          if (control.disabled) return false;
          control.focus();
          const name =
            control.getAttribute('aria-label') ??
            control.labels?.[0]?.textContent ??
            control.textContent;
          return document.activeElement !== control || control.tabIndex < 0 || name.trim() === '';
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 100));
    });
    expect(unnamed).toEqual([]);
  });

  test.each(['light', 'dark'])('axe finds nothing, and it is to be seen: %s', async (theme) => {
    await open(`?theme=${theme}`, { view: { width: 1280, height: 1400 } });
    await run();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2500)));
    const axe = () =>
      page.evaluate(async () => {
        const before = globalThis.problems.length;
        await import('/axe/axe.min.js');
        const { violations } = await globalThis.axe.run('.live');
        // Its own are none of the page's.
        globalThis.problems.length = before;
        return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      });
    expect(await axe()).toEqual([]);
    await page.evaluate(() => find('#live').scrollIntoView({ behavior: 'instant' }));
    await page.screenshot(`${SHOTS}live-${engine}-${theme}-running.png`);
    await pause();
    await shown();
    expect(await axe()).toEqual([]);
    await page.evaluate(() => find('.live-map').scrollIntoView({ behavior: 'instant' }));
    await page.screenshot(`${SHOTS}live-${engine}-${theme}-paused.png`);
  });

  test('fits on a phone', async () => {
    await open('', { view: { width: 360, height: 740 } });
    await run();
    await page.evaluate(async () => {
      await until(() => figure('steps') > 10_000);
      find('.live-map').scrollIntoView({ behavior: 'instant' });
    });
    await page.screenshot(`${SHOTS}live-${engine}-phone.png`);
    const [inner, wide, map] = await page.evaluate(() => [
      innerWidth,
      document.documentElement.scrollWidth,
      find('.live canvas').getBoundingClientRect().width,
    ]);
    // WebKit's windows have a least width.
    expect(inner).toBeLessThan(450);
    expect(wide).toBeLessThanOrEqual(inner);
    expect(map).toBeGreaterThan(300);
  });
});
