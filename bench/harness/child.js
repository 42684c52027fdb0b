/**
 * One repetition of one case, in a process of its own. The result goes to the parent as JSON.
 *
 *   node child.js <case file> <which of its cases> <milliseconds a sample> <samples> <seed>
 */

import { pathToFileURL } from 'node:url';
import { measureAsync } from './measure.js';

const [file, index, milliseconds, samples, seed] = process.argv.slice(2);
const { default: cases } = await import(pathToFileURL(file).href);
const benchmark = [cases].flat()[Number(index)];
const options = {
  milliseconds: Number(milliseconds) * (benchmark.longer ?? 1),
  samples: Number(samples),
  seed: Number(seed),
  n: benchmark.n,
};

if (benchmark.figures) {
  process.stdout.write(JSON.stringify(await benchmark.figures(options)));
} else {
  const implementations = await benchmark.setup();
  const times = await measureAsync(implementations, options);
  await benchmark.verify?.();
  process.stdout.write(JSON.stringify(times));
}
