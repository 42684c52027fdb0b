/**
 * `npm run fuzz`: random operations, each compared with a model, until there were so many of them.
 *
 *   npm run fuzz -- --operations 1e8 --seed 7 --only region,heap
 *
 * The native targets are libFuzzer's, under AddressSanitizer; they find their way by what they have
 * covered. `heap` is the package as built, with programs from fast-check. What fails is shortened,
 * shown, and can be repeated with the seed. The same options make the same run, whatever the machine.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.js';
import { Failure } from './fuzz/failure.js';
import { HeapTarget } from './fuzz/heap.js';
import { NativeTarget } from './fuzz/native.js';
import { Progress } from './fuzz/progress.js';
import { run } from './run.js';
import { setup } from './setup.js';

/** The targets, and how many operations in a thousand each gets. One of `heap` takes 500 times as long. */
const SHARES = { region: 490, arena: 200, ticks: 308, heap: 2 };

/** @typedef {keyof typeof SHARES} Name */

/** So few in a batch that progress shows. */
const BATCH = 1_000_000;

/** @param {string} text @param {string} option */
function wholeNumber(text, option) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`--${option} must be a whole number from 1 on, not ${text}`);
  }
  return number;
}

/** @param {string | undefined} list @returns {Name[]} */
function chosen(list) {
  const all = /** @type {Name[]} */ (Object.keys(SHARES));
  const names = /** @type {Name[]} */ (list?.split(',') ?? all);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new Error(`no target "${unknown}"; there are: ${all.join(', ')}`);
  return names;
}

const number = (/** @type {number} */ value) => value.toLocaleString('en');

/** @param {NativeTarget | HeapTarget} target */
function summary({ name, operations, inputs, kinds, reached }) {
  const width = Math.max(...Array.from(kinds.keys(), (kind) => kind.length));
  const counts = Array.from(
    Array.from(kinds).sort(([a], [b]) => (a < b ? -1 : 1)),
    ([kind, count]) => `  ${kind.padEnd(width)} ${number(count).padStart(12)}`,
  );
  return [
    `${name}: ${number(operations)} operations in ${number(inputs)} inputs${reached}`,
    ...counts,
  ];
}

/**
 * @param {object} options
 * @param {number} options.operations of all targets together
 * @param {number} [options.seed]
 * @param {Name[]} [options.names]
 * @throws Failure
 */
export async function fuzz({ operations, seed = 1, names = chosen(undefined) }) {
  if (names.some((name) => name !== 'heap')) {
    await run('cmake', ['--preset', 'native-fuzz', '--log-level=WARNING']);
    await run('cmake', ['--build', '--preset', 'native-fuzz']);
  }
  const shares = names.reduce((sum, name) => sum + SHARES[name], 0);
  const progress = new Progress(operations);
  const lines = [];
  for (const name of names) {
    const wanted = Math.ceil((operations * SHARES[name]) / shares);
    const target = name === 'heap' ? new HeapTarget(seed) : new NativeTarget(name, seed);
    try {
      while (target.operations < wanted) {
        const before = target.operations;
        await target.runBatch(Math.min(BATCH, wanted - before));
        progress.add(name, target.operations - before);
      }
    } finally {
      target.end();
    }
    lines.push(...summary(target));
  }
  console.log([`\nseed ${seed}: ${progress.text()}, all as the models`, ...lines].join('\n'));
}

async function main() {
  const { values } = parseArgs({
    options: {
      operations: { type: 'string', default: '1e7' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
    },
  });
  const operations = wholeNumber(values.operations, 'operations');
  const seed = wholeNumber(values.seed, 'seed');
  const names = chosen(values.only);
  if (names.includes('heap')) await build({ debug: true, tests: true });
  else await setup({ tests: true });
  await fuzz({ operations, seed, names });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(
      `\nfuzz: ${error instanceof Failure ? 'not as the model\n' : ''}${/** @type {Error} */ (error).message}`,
    );
    process.exitCode = 1;
  }
}
