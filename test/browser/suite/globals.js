/** What tests, and what they import, find without importing it: esbuild puts it where it is used. */

import { expect } from 'expect';
import { fn, spyOn } from 'jest-mock';
import { host } from './host.js';

export { NodeBuffer as Buffer } from './node-buffer.js';
export { process } from './node-process.js';
export { afterAll, afterEach, beforeAll, beforeEach, describe, test } from './runner.js';
export { expect };
export const jest = { fn, spyOn };

/** Base of all URLs made of `import.meta.url`. */
export const suiteRoot = { toString: () => host.root };

/** Pages have no such phase: the next task. */
export const setImmediate = (fn, ...args) => setTimeout(fn, 0, ...args);
