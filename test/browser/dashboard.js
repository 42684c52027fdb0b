/** What the tests of the built dashboard share: `npm run build:web` comes first. */

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { STRICT_POLICY, serve } from '../../tools/serve.js';

export const WEB = fileURLToPath(new URL('../../build/web/', import.meta.url));

/** Not at the root: the page works from any path. */
const PREFIX = '/some/folder/';

/** @param {{ isolated?: boolean, folder?: string, port?: number }} [options] */
export async function serveDashboard({ isolated = true, folder = WEB, port } = {}) {
  const options = { folders: { [PREFIX]: folder }, isolated, policy: STRICT_POLICY, port };
  const server = await serve(options);
  return { ...server, url: server.url.slice(0, -1) + PREFIX };
}

/**
 * What tests use in the page, and what goes wrong in it from here on.
 * @param {any} page
 */
async function prepare(page) {
  await page.evaluate(async () => {
    globalThis.problems = [];
    const note = (text) => globalThis.problems.push(text);
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      note(`${violatedDirective} ${blockedURI} ${sourceFile}`),
    );
    // Also what came before.
    try {
      new ReportingObserver(
        (reports) => {
          for (const { type, body } of reports) note(`${type} ${JSON.stringify(body)}`);
        },
        { types: ['csp-violation'], buffered: true },
      ).observe();
    } catch {} // Chromium alone has it
    addEventListener('error', ({ message }) => note(message));
    addEventListener('unhandledrejection', ({ reason }) => note(String(reason)));
    const { error } = console;
    console.error = (...args) => {
      note(args.join(' '));
      error(...args);
    };
    globalThis.until = async (isSo, seconds = 60) => {
      for (let end = Date.now() + 1000 * seconds; Date.now() < end; ) {
        const found = await isSo();
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`waited in vain: ${isSo}`);
    };
    globalThis.find = (selector) => document.querySelector(selector);
    globalThis.button = (text) =>
      [...document.querySelectorAll('button')].find((one) => one.textContent.includes(text));
    await until(() => find('[data-phase]'));
  });
}

/**
 * Until it is so. Between two pages there is none to ask.
 * @param {any} page
 * @param {() => unknown} isSo in whichever page there is
 */
export async function eventually(page, isSo) {
  for (let left = 600; left > 0; left--) {
    if (await page.evaluate(isSo).catch(() => false)) return;
    await sleep(50);
  }
  throw new Error(`waited in vain: ${isSo}`);
}

/**
 * Opens the page; `problems()` gives what went wrong in it, `reload()` loads it again.
 * @param {any} browser
 * @param {string} url
 */
export async function openDashboard(browser, url) {
  const page = await browser.open(url);
  await prepare(page);
  return Object.assign(page, {
    problems: () => page.evaluate(() => globalThis.problems),
    async reload() {
      await page.evaluate(() => {
        globalThis.isOld = true;
        setTimeout(() => location.reload());
      });
      await eventually(page, () => !globalThis.isOld && document.readyState === 'complete');
      await prepare(page);
    },
  });
}
