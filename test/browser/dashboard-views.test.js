/** What the built dashboard shows, to everybody: in both colours, on a phone, by keys, to a screen reader. */

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, launch } from '../../tools/browsers/index.js';
import { STRICT_POLICY, serve } from '../../tools/serve.js';
import { openDashboard, WEB } from './dashboard.js';

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const SHOTS = folder('../../build/screenshots/');

const TINY = '&case=async-ids&case=views+size%3D10&processes=2&samples=3&milliseconds=1&seed=5';

/** By the address, so in every engine. */
const LOOKS = {
  light: { theme: 'light', view: { width: 1280, height: 900 } },
  dark: { theme: 'dark', view: { width: 1280, height: 900 } },
  phone: { theme: 'light', view: { width: 360, height: 740 } },
};

/** In the page: what axe finds, in words. */
const findings = async () => {
  const before = globalThis.problems.length;
  await import('/axe/axe.min.js');
  const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
  // Its own are none of the page's.
  globalThis.problems.length = before;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join('; ')}`,
  );
};

/** In the page: everything is made, every chart is drawn. */
const settle = async () => {
  await until(() => find('#environment [data-isolated]'));
  const place = () =>
    [...document.querySelectorAll('main .canvas')].find(
      (one) => one.clientWidth > 0 && (!one.querySelector('svg') || 'stale' in one.dataset),
    );
  // What is further down is made after what is above.
  for (let quiet = 0; quiet < 5; quiet++) {
    for (let one = place(); one; one = place()) {
      quiet = 0;
      one.scrollIntoView({ behavior: 'instant', block: 'center' });
      await until(() => place() !== one || !one.isConnected);
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  find('#live').scrollIntoView({ behavior: 'instant' });
  await until(() => find('.live'));
  scrollTo({ top: 0, behavior: 'instant' });
};

/** In the page: a visitor chooses a file with this text. */
const choose = (text, name) => {
  const input = find('input[type=file]');
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  input.files = files.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
};

describe.each(engines)('%s', (engine) => {
  let server;
  let browser;
  let reference;

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    server = await serve({
      folders: { '/some/folder/': WEB, '/axe/': folder('../../node_modules/axe-core/') },
      isolated: true,
      policy: STRICT_POLICY,
    });
    browser = await launch(engine);
    const response = await fetch(`${server.url}some/folder/reference/results.json`);
    reference = await response.text();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = (search = '', view = {}) =>
    openDashboard({ open: (url) => browser.open(url, view) }, `${server.url}some/folder/${search}`);

  test('the reference is there without pressing anything, and its machine has a name', async () => {
    const page = await open();
    await page.evaluate(settle);
    const seen = await page.evaluate(() => ({
      title: find('h1').textContent,
      charts: document.querySelectorAll('#summary .chart').length,
      seeds: [...document.querySelectorAll('[data-seed]')].map(({ dataset: { seed } }) => seed),
      drawn: document.querySelectorAll('.seed .chart').length,
      key: find('.key').textContent,
      ran: find('[data-phase]').dataset.phase,
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    }));
    const { cpu } = JSON.parse(reference).context;
    expect(seen).toMatchObject({
      title: 'slabring',
      charts: 1,
      seeds: ['8302', '21989', '26301', '18290', '18617'],
      drawn: 5,
      ran: 'idle',
    });
    expect(seen.key).toContain(cpu);
    console.info(`${engine}: first content after ${Math.round(seen.paint)} ms`);
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('every chart has a table of the same, and headings are in order', async () => {
    const page = await open();
    await page.evaluate(settle);
    const { bare, levels } = await page.evaluate(async () => {
      for (const one of document.querySelectorAll('figure > details')) one.open = true;
      const hasTable = (figure) =>
        figure.querySelector('table caption') ??
        figure.nextElementSibling?.querySelector('caption');
      await until(() => [...document.querySelectorAll('figure > details')].every(hasTable)).catch(
        () => {},
      );
      return {
        bare: [...document.querySelectorAll('main figure')].filter((one) => !hasTable(one)).length,
        levels: [...document.querySelectorAll('h1, h2, h3, h4')].map(({ tagName }) => +tagName[1]),
      };
    });
    expect(bare).toBe(0);
    expect(levels[0]).toBe(1);
    levels.forEach((level, i) => {
      if (i > 0) expect(level - levels[i - 1]).toBeLessThanOrEqual(1);
    });
    await page.close();
  });

  describe.each(Object.entries(LOOKS))('%s', (look, { theme, view }) => {
    let page;
    beforeAll(async () => {
      page = await open(`?theme=${theme}${TINY}`, view);
      await page.evaluate(settle);
    });
    afterAll(() => page?.close());

    const inspect = async (state) => {
      await page.screenshot(`${SHOTS}dashboard-${engine}-${look}-${state}.png`, { whole: true });
      expect(await page.evaluate(findings)).toEqual([]);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide).toBeLessThanOrEqual(0);
      expect(await page.problems()).toEqual([]);
    };

    test('at first', async () => {
      await inspect('idle');
    });

    test('with a variant open, and absolute figures', async () => {
      await page.evaluate(async () => {
        find('#cases input[type=checkbox]').click();
        const variant = find('[data-variant="async-ids"]');
        variant.scrollIntoView();
        variant.querySelector('details').open = true;
        await until(() => variant.querySelector('.body .chart'));
        await until(() => location.search.includes('absolute=1'));
      });
      await inspect('open');
    });

    test('done', async () => {
      await page.evaluate(async () => {
        find('button.primary').click();
        await until(() => find('[data-phase=done]'));
        await until(() => find('#summary .mark-run'));
        await until(() => find('[data-variant="async-ids"] .mark-run'));
      });
      await page.evaluate(settle);
      await inspect('done');
    });

    test('running, with settings to choose', async () => {
      await page.evaluate(async () => {
        find('#run details').open = true;
        const processes = await until(() => find('#run input[type=number]'));
        processes.value = '100';
        processes.dispatchEvent(new Event('change', { bubbles: true }));
        await until(() => location.search.includes('processes=100'));
        find('button.primary').click();
        await until(() => find('[data-phase=running] progress[value="2"]'));
      });
      await inspect('running');
      await page.press('Escape');
      await page.evaluate(() => until(() => find('[data-phase=stopped]')));
    });

    test('with a file loaded, and two results compared', async () => {
      await page.evaluate(choose, reference, 'reference.json');
      await page.evaluate(async () => {
        await until(() => find('#summary .mark-loaded'));
        for (const [name, value] of [
          ['before', 'reference'],
          ['after', 'loaded'],
        ]) {
          const select = find(`select[name=${name}]`);
          select.value = value;
          select.dispatchEvent(new Event('change', { bubbles: true }));
        }
        const compared = await until(() => find('[data-compared]'));
        // What is above it grows while charts are loaded.
        await until(() => {
          compared.scrollIntoView();
          return compared.querySelector('.chart');
        });
      });
      await page.evaluate(settle);
      await inspect('compared');
      // What is the same does not differ.
      const improvements = await page.evaluate(() =>
        [...document.querySelectorAll('[data-improvement]')].map(
          ({ dataset }) => dataset.improvement,
        ),
      );
      expect(improvements.length).toBeGreaterThan(0);
      expect(improvements.every((improvement) => Number(improvement) === 0)).toBe(true);
    });
  });

  test('what a file calls things is text; its errors are at their cases', async () => {
    const page = await open();
    await page.evaluate(settle);
    const results = JSON.parse(reference);
    const markup = '<img src=x onerror="problems.push(1)"><script>problems.push(2)</script>';
    results.context.cpu = markup;
    const [row] = results.rows;
    row.id = `views size=${markup}`;
    row.case = 'views';
    row.error = `it broke ${markup}`;
    const other = results.rows.find(({ id }) => id === 'async-ids');
    for (const { metrics } of other.repetitions) metrics.ns[markup] = metrics.ns.slabring;
    await page.evaluate(choose, JSON.stringify(results), 'hostile.json');
    const shown = await page.evaluate(async () => {
      await until(() => find('#summary .mark-loaded') ?? find('#keeping .problem'));
      for (const variant of document.querySelectorAll('[data-variant]')) {
        if (!/async-ids|img/.test(variant.dataset.variant)) continue;
        await until(() => {
          variant.scrollIntoView();
          variant.querySelector('details').open = true;
          return variant.querySelectorAll('.body .chart').length > 1;
        });
      }
      return {
        images: document.querySelectorAll('img').length,
        scripts: document.querySelectorAll('body script').length,
        error: find('.case .problem')?.textContent,
        text: document.body.textContent.split('<img src=x').length > 5,
      };
    });
    expect(shown).toEqual({
      images: 0,
      scripts: 0,
      error: `loaded, failed: it broke ${markup}`,
      text: true,
    });
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('a file that holds no results is refused in words, and nothing else changes', async () => {
    const page = await open();
    await page.evaluate(settle);
    for (const text of ['', '{}', 'null', '{"format":"slabring-bench","version":2}']) {
      await page.evaluate(choose, text, 'wrong.json');
      const said = await page.evaluate(async () => {
        const alert = await until(() => find('#keeping [role=alert]'));
        const { textContent } = alert;
        return textContent;
      });
      expect(said).toMatch(/^wrong\.json: ./);
    }
    expect(await page.evaluate(() => document.querySelector('.mark-loaded'))).toBeNull();
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('all can be reached by keys, and it shows where they are', async () => {
    const page = await open();
    await page.evaluate(settle);
    await page.evaluate(() => {
      globalThis.reached = new Set();
      globalThis.unseen = [];
      addEventListener('focusin', ({ target }) => {
        reached.add(target);
        const shown = target.matches('input[type=file]') ? target.parentElement : target;
        const { outlineStyle, outlineWidth } = getComputedStyle(shown);
        if (outlineStyle === 'none' || outlineWidth === '0px') unseen.push(target.outerHTML);
      });
      // In its order by Tab alone.
      globalThis.missing = () =>
        [
          ...document.querySelectorAll(
            'a[href], button:not(:disabled), input, select, summary, [tabindex="0"]',
          ),
        ]
          .filter((one) => one.getClientRects().length > 0 && !reached.has(one))
          .map((one) => one.outerHTML.slice(0, 200));
    });
    let left = 400;
    do await page.press('Tab');
    while (--left > 0 && (left % 20 !== 0 || (await page.evaluate(() => missing().length)) > 0));
    expect(await page.evaluate(() => missing())).toEqual([]);
    expect(await page.evaluate(() => unseen)).toEqual([]);

    await page.close();
  });

  test('all can be done by keys, and nobody loses their place', async () => {
    const page = await open(`?${TINY.slice(1).replace('processes=2', 'processes=100')}`);
    await page.evaluate(settle);
    const focus = (selector) => page.evaluate((selector) => find(selector).focus(), selector);
    await focus('button.primary');
    await page.press('Enter');
    const phase = (wanted) =>
      page.evaluate((wanted) => until(() => find(`[data-phase=${wanted}]`)), wanted);
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    await phase('running');
    expect(await focused()).toBe('Pause');
    await page.press('Enter');
    await phase('paused');
    expect(await focused()).toBe('Resume');
    await page.press('Enter');
    await phase('running');
    await page.press('Tab');
    expect(await focused()).toMatch(/^Stop/);
    await page.press('Space');
    await phase('stopped');
    expect(await focused()).toMatch(/^Run/);
    await page.press('Enter');
    await phase('running');
    await page.press('Escape');
    await phase('stopped');

    await focus('#cases input[type=checkbox]');
    await page.press('Space');
    await page.evaluate(() => until(() => location.search.includes('absolute=1')));

    await focus('[data-variant] summary');
    await page.press('Enter');
    await page.evaluate(() => until(() => find('[data-variant] details[open] .body table')));
    await page.press('Enter');
    await page.evaluate(() => until(() => !find('[data-variant] details[open]')));
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  test('colours follow the choice, and the address keeps it', async () => {
    const page = await open('?theme=dark');
    const background = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await background();
    await page.evaluate(async () => {
      const select = find('.masthead select');
      select.value = 'light';
      select.dispatchEvent(new Event('change', { bubbles: true }));
      await until(() => location.search === '?theme=light');
    });
    expect(await background()).not.toBe(dark);
    await page.close();
  });
});
