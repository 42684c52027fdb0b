import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { findCommand } from '../run.js';
import { HEIGHT, requireCommand, startInTime, WIDTH } from './driver.js';

/** @import { BrowserDriver } from './driver.js' */

const wrapper = fileURLToPath(new URL('./ending-with-parent.sh', import.meta.url));

/** @returns {Promise<BrowserDriver>} */
export async function launch() {
  const program = requireCommand(['firefox-esr', 'firefox'], 'firefox-esr');
  const browser = await startInTime((signal) =>
    puppeteer.launch({
      browser: 'firefox',
      // Puppeteer ends it, but not when this process is killed: Firefox waits for others to connect.
      executablePath: findCommand('setpriv') ? wrapper : program,
      env: { ...process.env, PROGRAM: program },
      headless: true,
      signal,
      // What is evaluated may take its time.
      protocolTimeout: 0,
      // The signal sees to this.
      timeout: 0,
    }),
  );
  return {
    version: (await browser.version()).replace(/^.*\//, ''),
    async open(url, { width = WIDTH, height = HEIGHT }) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width, height });
      await page.goto(url);
      return {
        evaluate: async (expression) => /** @type {string} */ (await page.evaluate(expression)),
        async screenshot(path, whole) {
          await page.screenshot({ path: /** @type {`${string}.png`} */ (path), fullPage: whole });
        },
        async press(key) {
          const isShifted = key === 'Shift+Tab';
          if (isShifted) await page.keyboard.down('Shift');
          await page.keyboard.press(isShifted ? 'Tab' : key === 'Space' ? ' ' : key);
          if (isShifted) await page.keyboard.up('Shift');
        },
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
