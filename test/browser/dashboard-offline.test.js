/** The dashboard without a network, and how a newer version takes its place. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { engines, launch } from '../../tools/browsers/index.js';
import { eventually, openDashboard, serveDashboard, WEB } from './dashboard.js';

const TINY =
  '?case=async-ids&case=streams-page+work%3Dpipe-objects&processes=1&samples=2&milliseconds=1';

/** In the page: waits until all of it is kept. */
const kept = async () => {
  await navigator.serviceWorker.ready;
  await until(() => navigator.serviceWorker.controller);
};

describe.each(engines)('%s', (engine) => {
  let browser;
  let server;
  beforeAll(async () => {
    browser = await launch(engine);
  });
  afterAll(() => browser?.close());
  afterEach(() => server?.close());

  test('after its first load it runs without its server, isolated as before', async () => {
    server = await serveDashboard();
    const page = await openDashboard(browser, server.url + TINY);
    await page.evaluate(kept);
    await server.close();
    await page.reload();
    const found = await page.evaluate(async () => {
      button('Run 2 variants here').click();
      await until(() => find('[data-phase=done]'));
      return {
        isolated: crossOriginIsolated,
        failed: document.querySelectorAll('.problem').length,
        reference: Boolean(await until(() => find('[data-download=reference]'))),
      };
    });
    expect(found).toEqual({ isolated: true, failed: 0, reference: true });
    expect(await page.problems()).toEqual([]);
    await page.close();
  });

  describe('a newer version', () => {
    let folder;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'slabring-web-'));
      cpSync(WEB, folder, { recursive: true });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    /** Another title, and another hash of all files. */
    const change = () => {
      const edit = (name, from, to) => {
        const path = join(folder, name);
        const before = readFileSync(path, 'utf8');
        expect(before).toMatch(from);
        writeFileSync(path, before.replace(from, to));
      };
      edit('index.html', /<title>[^<]*/, '<title>newer');
      edit('service-worker.js', /"[\da-f]{16}"/, '"0123456789abcdef"');
    };

    test('waits until it is asked for; the old one stays whole meanwhile', async () => {
      server = await serveDashboard({ folder });
      const page = await openDashboard(browser, server.url);
      await page.evaluate(kept);
      const title = () => page.evaluate(() => document.title);
      const before = await title();
      change();
      await page.reload();
      expect(await title()).toBe(before);
      await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        await registration.update();
        await until(() => registration.waiting);
        await until(() => document.body.textContent.includes('newer version'));
      });
      // Opened anew it is the newer one: nothing was done here yet.
      await page.evaluate(() => setTimeout(() => location.reload()));
      await eventually(page, () => document.title === 'newer');
      await eventually(page, async () => {
        const [name, ...others] = await caches.keys();
        return name.endsWith(' 0123456789abcdef') && others.length === 0;
      });
      await page.close();
    });
  });
});
