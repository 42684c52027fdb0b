import { chromium } from 'playwright-core';
import { HEIGHT, requireCommand, WIDTH } from './driver.js';

/** @import { BrowserDriver } from './driver.js' */

/** @returns {Promise<BrowserDriver>} */
export async function launch() {
  const browser = await chromium.launch({
    executablePath: requireCommand(['chromium', 'chromium-browser', 'google-chrome'], 'chromium'),
    args: [
      // Root has no sandbox, and nothing but our own pages is opened.
      '--no-sandbox',
      '--disable-gpu',
      // Nothing is to leave the machine.
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    version: browser.version(),
    async open(url, { width = WIDTH, height = HEIGHT, colours }) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: colours,
      });
      const page = await context.newPage();
      await page.goto(url);
      return {
        evaluate: (expression) => page.evaluate(expression),
        async screenshot(path, whole) {
          await page.screenshot({ path, fullPage: whole });
        },
        press: (key) => page.keyboard.press(key),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
