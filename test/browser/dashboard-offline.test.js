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

/** Leaves the page for another, in its place, as if it were closed: it is not kept for a way back. */
const go = (page, url) =>
  page.evaluate((to) => {
    addEventListener('unload', () => {});
    setTimeout(() => location.assign(to));
  }, url);

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

    test('waits until no page of the old one is left, which stays whole meanwhile', async () => {
      server = await serveDashboard({ folder });
      const page = await openDashboard(browser, server.url + TINY);
      await page.evaluate(kept);
      const title = await page.evaluate(() => document.title);
      change();
      await page.reload();
      await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        await registration.update();
        await until(() => document.body.textContent.includes('newer version'));
      });
      await page.reload();
      expect(await page.evaluate(() => document.title)).toBe(title);
      await server.close();
      const failed = await page.evaluate(async () => {
        await until(() => document.body.textContent.includes('newer version'));
        button('Run 2 variants here').click();
        await until(() => find('[data-phase=done]'));
        return document.querySelectorAll('.problem').length;
      });
      expect(failed).toBe(0);

      const { port } = new URL(server.url);
      server = await serveDashboard({ folder, port: Number(port) });
      // Of the same origin, and none of the dashboard's.
      await go(page, '/none');
      await eventually(page, async () => {
        const [name, ...others] = await caches.keys();
        return name.endsWith(' 0123456789abcdef') && others.length === 0;
      });
      await go(page, server.url);
      await eventually(page, () => document.title === 'newer');
      await page.close();
    });
  });
});
