/**
 * One repetition of one case, in a process of its own. The result goes to the parent as JSON.
 *
 *   node child.js <case file> <milliseconds a sample> <samples> <seed>
 */

import { pathToFileURL } from 'node:url';
import { measureAsync } from './measure.js';

const [file, milliseconds, samples, seed] = process.argv.slice(2);
const { default: benchmark } = await import(pathToFileURL(file).href);

if (benchmark.figures) {
  process.stdout.write(JSON.stringify(await benchmark.figures()));
} else {
  const implementations = await benchmark.setup();
  const times = await measureAsync(implementations, {
    milliseconds: Number(milliseconds) * (benchmark.longer ?? 1),
    samples: Number(samples),
    seed: Number(seed),
    n: benchmark.n,
  });
  await benchmark.verify?.();
  process.stdout.write(JSON.stringify(times));
}
