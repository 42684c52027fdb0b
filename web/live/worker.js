/** The heap of the live view, in a thread of its own: the page only draws. */

import { Pacer, SLICE_EVERY } from './pacer.js';
import { buffersOf, Session } from './session.js';

/** @import { SessionOptions } from './session.js' */

/**
 * @typedef {{ type: 'open', options: SessionOptions, rate: number, every: number }
 *   | { type: 'run', on: boolean }
 *   | { type: 'step', steps: number }
 *   | { type: 'rate', rate: number }
 *   | { type: 'size', size: number }
 *   | { type: 'every', every: number }
 *   | { type: 'trim' }
 *   | { type: 'freeAll' }
 *   | { type: 'report', on: boolean }
 *   | { type: 'drawn' }} Command
 */

// As it lies in the folder that the page is served from.
const MODULE = new URL('../build/wasm-release/live.wasm', import.meta.url);

/** Milliseconds; the rest of the steps is left out. */
const LONGEST_STEP = 200;

/** @type {WebAssembly.Module} */
let module;
/** @type {Session | undefined} */
let session;
let every = 50;
let isReporting = false;
/** The page has drawn what it was sent last. */
let isDrawn = true;
let sentAt = -Infinity;
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

const pacer = new Pacer(
  () => session?.step() ?? false,
  1,
  () => performance.now(),
);

function show() {
  if (session === undefined) return;
  const snapshot = session.snapshot();
  const report = isReporting ? session.report() : undefined;
  isDrawn = false;
  sentAt = performance.now();
  postMessage({ type: 'snapshot', snapshot, report }, { transfer: buffersOf(snapshot) });
}

function stop() {
  clearInterval(timer);
  timer = undefined;
}

/** @param {unknown} error */
function fail(error) {
  stop();
  postMessage({ type: 'error', message: String(error) });
}

function slice() {
  try {
    pacer.slice();
    // At once: the ticks that were pushed are still queued.
    if (isDrawn && performance.now() - sentAt >= every) show();
  } catch (error) {
    fail(error);
  }
}

/** @param {Command} command */
async function obey(command) {
  switch (command.type) {
    case 'open':
      stop();
      session?.dispose();
      session = undefined;
      module ??= await WebAssembly.compile(await fetched(MODULE));
      session = new Session(module, command.options);
      pacer.rate = command.rate;
      every = command.every;
      show();
      break;
    case 'run':
      stop();
      if (command.on) {
        pacer.start();
        timer = setInterval(slice, SLICE_EVERY);
      } else {
        show();
      }
      break;
    case 'step': {
      const end = performance.now() + LONGEST_STEP;
      for (let left = command.steps; left > 0 && performance.now() < end; left--) session?.step();
      show();
      break;
    }
    case 'rate':
      pacer.rate = command.rate;
      break;
    case 'size':
      session?.resize(command.size);
      break;
    case 'every':
      every = command.every;
      break;
    case 'trim':
    case 'freeAll':
      session?.[command.type]();
      show();
      break;
    case 'report':
      isReporting = command.on;
      show();
      break;
    case 'drawn':
      isDrawn = true;
      break;
  }
}

/** @param {URL} url */
async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

// One after another: while a module is fetched, others wait.
let turn = Promise.resolve();
addEventListener('message', ({ data }) => {
  turn = turn.then(() => obey(data)).catch(fail);
});
