/**
 * The part of Jest's globals that the tests use, for a page. Titles are made by jest-each and values
 * judged by expect, which are Jest's own; here is only what comes when.
 */

import { bind } from 'jest-each';

/** A test that waits for something that never comes shall not hold up the rest. */
const TIMEOUT = 60_000;

class Block {
  /** @type {(Block | Test)[]} */
  children = [];
  hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };

  constructor(title, parent, skipped) {
    this.parent = parent;
    this.skipped = skipped || parent?.skipped === true;
    this.path = parent === undefined ? [] : [...parent.path, title];
  }

  /** Whether it has any test to run: hooks are run for nothing else. */
  get due() {
    return this.children.some((child) => (child instanceof Block ? child.due : !child.skipped));
  }
}

class Test {
  constructor(title, parent, skipped, fn) {
    this.name = [...parent.path, title].join(' ');
    this.parent = parent;
    this.skipped = skipped || parent.skipped;
    this.fn = fn;
  }
}

const root = new Block('', undefined, false);
let block = root;

/** The full name of the test that runs; of none while the file is loaded. */
export let current = '';

/** Errors that came to the page and to no test's promise. @type {unknown[]} */
const stray = [];
globalThis.addEventListener?.('error', (event) => stray.push(event.error ?? event.message));
globalThis.addEventListener?.('unhandledrejection', ({ reason }) => stray.push(reason));

const blockMaker = (skipped) => (title, fn) => {
  const outer = block;
  block = new Block(title, outer, skipped);
  outer.children.push(block);
  fn();
  block = outer;
};

const testMaker = (skipped) => (title, fn) => {
  block.children.push(new Test(title, block, skipped, fn));
};

const withEach = (maker) =>
  Object.assign(maker(false), {
    each: bind(maker(false), false),
    skip: Object.assign(maker(true), { each: bind(maker(true), false) }),
  });

export const describe = withEach(blockMaker);
export const test = withEach(testMaker);
export const beforeAll = (fn) => block.hooks.beforeAll.push(fn);
export const beforeEach = (fn) => block.hooks.beforeEach.push(fn);
export const afterEach = (fn) => block.hooks.afterEach.push(fn);
export const afterAll = (fn) => block.hooks.afterAll.push(fn);

/** @param {() => unknown} fn @param {number} timeout */
async function inTime(fn, timeout) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${timeout} ms`)), timeout);
  });
  try {
    await Promise.race([fn(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const told = (error) => ({
  name: String(error?.name ?? typeof error),
  message: String(error?.message ?? error),
  stack: String(error?.stack ?? ''),
});

/** From the outermost block to a test's own. */
function* outwards(test) {
  for (let at = test.parent; at !== undefined; at = at.parent) yield at;
}

/** @param {Test} test @param {number} timeout */
async function runTest(test, timeout) {
  const blocks = [...outwards(test)];
  const before = blocks.toReversed().flatMap(({ hooks }) => hooks.beforeEach);
  const after = blocks.flatMap(({ hooks }) => hooks.afterEach);
  const errors = [];
  const attempt = async (fn) => {
    try {
      await inTime(fn, timeout);
    } catch (error) {
      errors.push(error);
    }
  };
  current = test.name;
  for (const hook of before) await attempt(hook);
  if (errors.length === 0) await attempt(test.fn);
  for (const hook of after) await attempt(hook);
  // A task of its own: the engine may collect, and errors that are on their way arrive.
  await new Promise((done) => setTimeout(done));
  current = '';
  errors.push(...stray.splice(0));
  return errors.length === 0
    ? { name: test.name, status: 'passed' }
    : { name: test.name, status: 'failed', errors: errors.map(told) };
}

/** Every test of a block, as failed. */
function* failed(at, error) {
  for (const child of at.children) {
    if (child instanceof Block) yield* failed(child, error);
    else if (child.skipped) yield { name: child.name, status: 'skipped' };
    else yield { name: child.name, status: 'failed', errors: [told(error)] };
  }
}

/**
 * Runs all tests there are, in order; gives the name of each before it begins, as a string, and
 * after it its result.
 * @param {(name: string) => number | undefined} timeoutOf
 */
export async function* runAll(timeoutOf = () => undefined, at = root) {
  const { hooks, children } = at;
  const due = at.due;
  try {
    if (due) for (const hook of hooks.beforeAll) await inTime(hook, TIMEOUT);
  } catch (error) {
    yield* failed(at, error);
    return;
  }
  for (const child of children) {
    if (child instanceof Block) yield* runAll(timeoutOf, child);
    else if (child.skipped) yield { name: child.name, status: 'skipped' };
    else {
      yield child.name;
      yield await runTest(child, timeoutOf(child.name) ?? TIMEOUT);
    }
  }
  // An error here is the whole run's.
  if (due) for (const hook of hooks.afterAll) await inTime(hook, TIMEOUT);
}
