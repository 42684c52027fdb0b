/**
 * Real browsers, each driven in its own way, all seen through one small interface. They are those
 * of the machine: nothing is downloaded.
 *
 *   const browser = await launch('firefox');
 *   const page = await browser.open('http://127.0.0.1:8080/');
 *   await page.evaluate((a, b) => a + b, 1, 2); // 3
 *   await browser.close();
 */

/** @import { BrowserDriver, Key, PageDriver, View } from './driver.js' */

/** @typedef {'chromium' | 'firefox' | 'webkit'} Engine */

/** @type {Record<Engine, () => Promise<BrowserDriver>>} */
const drivers = {
  // Only what is used is loaded.
  chromium: async () => (await import('./chromium.js')).launch(),
  firefox: async () => (await import('./firefox.js')).launch(),
  webkit: async () => (await import('./webkit.js')).launch(),
};

export const engines = /** @type {Engine[]} */ (Object.keys(drivers));

/** @param {Engine} engine */
export async function launch(engine) {
  const driver = drivers[engine];
  if (driver === undefined) {
    throw new Error(`no browser "${engine}"; there are: ${engines.join(', ')}`);
  }
  return new Browser(engine, await driver());
}

export class Browser {
  #driver;
  /** @type {Set<Page>} */
  #pages = new Set();

  /**
   * @param {Engine} name
   * @param {BrowserDriver} driver
   */
  constructor(name, driver) {
    this.#driver = driver;
    this.name = name;
    this.version = driver.version;
  }

  /**
   * A new page, loaded. Nothing of another page's JavaScript is in it.
   * @param {string} url
   * @param {View} [view]
   */
  async open(url, view = {}) {
    const page = new Page(await this.#driver.open(url, view), () => this.#pages.delete(page));
    this.#pages.add(page);
    return page;
  }

  /** Ends the browser with its pages and processes. */
  async close() {
    // One that has crashed cannot be closed, and ends with the browser all the same.
    for (const page of this.#pages) await page.close().catch(() => {});
    await this.#driver.close();
  }
}

export class Page {
  #driver;
  /** @type {(() => void) | undefined} */
  #onClose;

  /**
   * @param {PageDriver} driver
   * @param {() => void} onClose
   */
  constructor(driver, onClose) {
    this.#driver = driver;
    this.#onClose = onClose;
  }

  /**
   * Calls a function in the page and waits for its promise. It sees nothing of this program but
   * `args`; they and its result travel as JSON.
   * @param {((...args: any[]) => unknown) | string} fn or its source
   * @param {...unknown} args
   * @returns {Promise<any>} Rejects with an error that has the name, message and stack of the page's.
   */
  async evaluate(fn, ...args) {
    const json = await this.#driver.evaluate(`(async () => {
      try {
        return JSON.stringify({ value: await (${fn})(...${JSON.stringify(args)}) });
      } catch (error) {
        const { name, message, stack, code } = error ?? {};
        return JSON.stringify({ error: { name, message: message ?? String(error), stack, code } });
      }
    })()`);
    const { value, error } = JSON.parse(json);
    if (error === undefined) return value;
    const { name, message, stack, code } = error;
    const thrown = new Error(message);
    // Each engine has its own form of a stack; V8's begins with what the others leave out.
    const inPage = `\n  in the page:\n${stack ?? ''}`;
    throw Object.assign(thrown, { name, stack: `${name}: ${message}${inPage}` }, code && { code });
  }

  /**
   * @param {string} path of a PNG file to write
   * @param {{ whole?: boolean }} [options] whole: what is further down, too; not in WebKit
   */
  async screenshot(path, { whole = false } = {}) {
    await this.#driver.screenshot(path, whole);
  }

  /** As if a visitor pressed it. @param {Key} key */
  async press(key) {
    await this.#driver.press(key);
  }

  /** A second call does nothing. */
  async close() {
    const onClose = this.#onClose;
    if (onClose === undefined) return;
    this.#onClose = undefined;
    onClose();
    await this.#driver.close();
  }
}
