/**
 * WebKitGTK through its WebDriver, on a screen that exists in memory only: it has no headless mode.
 */

import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import webdriver from 'selenium-webdriver';
import { Companion, HEIGHT, requireCommand, startInTime, WIDTH } from './driver.js';

/** @import { AddressInfo } from 'node:net' */
/** @import { BrowserDriver, Key, View } from './driver.js' */

const SCRIPT_TIMEOUT = 10 * 60_000;

/** The browser that comes with the library, in a folder that each distribution names its own way. */
function miniBrowser() {
  const folders = ['/usr/lib', '/usr/libexec', '/usr/lib64'].filter((folder) => existsSync(folder));
  const places = folders.flatMap((folder) => [
    folder,
    ...readdirSync(folder)
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(folder, name)),
  ]);
  const paths = places.flatMap((place) =>
    ['webkitgtk-6.0', 'webkit2gtk-4.1', 'webkit2gtk-4.0'].map((name) =>
      join(place, name, 'MiniBrowser'),
    ),
  );
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error('no MiniBrowser of WebKitGTK: install what Debian calls webkit2gtk-driver');
  }
  return found;
}

/** A port that is free now. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @param {string} display */
async function startDriver(display) {
  const command = requireCommand(['WebKitWebDriver'], 'webkit2gtk-driver');
  const port = await freePort();
  const driver = new Companion(command, [`--port=${port}`, '--host=127.0.0.1'], {
    env: {
      DISPLAY: display,
      WAYLAND_DISPLAY: undefined,
      // Root has no sandbox, and nothing but our own pages is opened.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      // There is no graphics card.
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => {
    for (;;) {
      const response = await fetch(`${url}/status`).catch(() => undefined);
      if (response?.ok || !driver.running) return;
      await sleep(20);
    }
  };
  return { driver, url, ready: () => driver.once(answers()) };
}

/** @returns {Promise<BrowserDriver>} */
export const launch = () => startInTime(start);

/**
 * @param {AbortSignal} signal
 * @returns {Promise<BrowserDriver>}
 */
async function start(signal) {
  const binary = miniBrowser();
  const xvfb = requireCommand(['Xvfb'], 'xvfb');
  /** @type {(() => Promise<unknown>)[]} */
  const ends = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  // Whoever waits for one of these programs hears of its end.
  signal.addEventListener('abort', close);
  try {
    const screen = new Companion(
      xvfb,
      ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
      { pipes: 1 },
    );
    ends.push(() => screen.end());
    const display = `:${await screen.firstLine(3)}`;
    const { driver, url, ready } = await startDriver(display);
    ends.push(() => driver.end());
    await ready();
    const session = await new webdriver.Builder()
      .usingServer(url)
      .withCapabilities({
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': { binary, args: ['--automation'] },
      })
      .build();
    // A session that has died already is no reason to leave the rest running.
    ends.push(() => session.quit().catch(() => {}));
    await session.manage().setTimeouts({ script: SCRIPT_TIMEOUT, pageLoad: 60_000 });
    const version = (await session.getCapabilities()).get('browserVersion');
    const home = await session.getWindowHandle();
    return { version, open: (page, view) => open(session, home, page, view), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The last command of each session. @type {WeakMap<webdriver.WebDriver, Promise<unknown>>} */
const last = new WeakMap();

/**
 * A session is in one window at a time: whoever has switched to another comes first to an end.
 * @template T
 * @param {webdriver.WebDriver} session
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
function inTurn(session, action) {
  const turn = (last.get(session) ?? Promise.resolve()).then(action);
  last.set(
    session,
    turn.catch(() => {}),
  );
  return turn;
}

const { Key: all } = webdriver;
const keys = {
  Tab: all.TAB,
  Shift: all.SHIFT,
  Enter: all.ENTER,
  Space: ' ',
  Escape: all.ESCAPE,
  ArrowDown: all.ARROW_DOWN,
};

/**
 * The window, so that the page has this size: what is around it is not known before.
 * @param {webdriver.WebDriver} session
 * @param {number} width
 * @param {number} height
 */
async function resize(session, width, height) {
  const window = session.manage().window();
  await window.setRect({ width, height });
  const [innerWidth, innerHeight] = /** @type {[number, number]} */ (
    await session.executeScript('return [innerWidth, innerHeight]')
  );
  const rect = await window.getRect();
  await window.setRect({
    width: rect.width + width - innerWidth,
    height: rect.height + height - innerHeight,
  });
}

/**
 * @param {webdriver.WebDriver} session
 * @param {string} home a window that stays: no command works in one that was closed
 * @param {string} url
 * @param {View} view
 */
async function open(session, home, url, { width = WIDTH, height = HEIGHT }) {
  // A window and no tab: one that is not in front would be throttled, and its screenshot never come.
  const handle = await inTurn(session, async () => {
    await session.switchTo().window(home);
    await session.switchTo().newWindow('window');
    await resize(session, width, height);
    await session.get(url);
    return session.getWindowHandle();
  });
  const inWindow = (/** @type {() => Promise<any>} */ action) =>
    inTurn(session, async () => {
      await session.switchTo().window(handle);
      return action();
    });
  return {
    evaluate: (/** @type {string} */ expression) =>
      inWindow(() => session.executeAsyncScript(`${expression}.then(arguments[0])`)),
    screenshot: (/** @type {string} */ path) =>
      inWindow(async () => writeFile(path, await session.takeScreenshot(), 'base64')),
    press: (/** @type {Key} */ key) =>
      inWindow(() => {
        const actions = session.actions();
        return key === 'Shift+Tab'
          ? actions.keyDown(keys.Shift).sendKeys(keys.Tab).keyUp(keys.Shift).perform()
          : actions.sendKeys(keys[key]).perform();
      }),
    close: () => inWindow(() => session.close()),
  };
}
