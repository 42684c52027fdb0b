/**
 * One repetition of one variant, in a process of its own. The result goes to the parent as JSON.
 *
 *   node child.js <case file> <options as JSON>
 */

import { pathToFileURL } from 'node:url';
import { runCase } from '../harness/run-case.js';

const [file, options] = process.argv.slice(2);
const { default: benchmark } = await import(pathToFileURL(file).href);
const gc = /** @type {(options: { type: string }) => void} */ (globalThis.gc);
// Young garbage alone. After a full collection V8 forgets the shapes of objects of which none is
// alive just then, and all code that was compiled for them.
const collect = () => gc({ type: 'minor' });
const result = await runCase(benchmark, { ...JSON.parse(options), gc: collect });
const engine = { node: process.versions.node, v8: process.versions.v8 };
process.stdout.write(`\n${JSON.stringify({ result, engine })}`, () => process.exit());
