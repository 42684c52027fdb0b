/**
 * `npm test`: everything that must hold, in the order in which it fails fastest.
 *
 *   node tools/test.js [step ...]     only these steps, after the build
 */

import { build } from './build.js';
import { fuzz } from './fuzz.js';
import { run } from './run.js';
import { cppFiles, filesIn } from './sources.js';

const bin = (/** @type {string} */ name) => `node_modules/.bin/${name}`;

/** @param {string} config */
const jest = (config) =>
  run(process.execPath, [
    '--experimental-vm-modules',
    '--no-warnings',
    bin('jest'),
    `--config=${config}`,
  ]);

/** Always the same ones, from a fixed seed: `npm run fuzz` goes on from there. */
const FUZZ_OPERATIONS = 2_000_000;

/** @type {Record<string, () => Promise<void>>} */
const steps = {
  async lint() {
    await run(bin('biome'), ['ci', '--log-level=warn', '.']);
    await run(bin('tsc'), ['-p', '.']);
    await run(bin('tsc'), ['-p', 'web']);
    // Warnings are errors: every public name is documented.
    await run(bin('typedoc'), ['--logLevel', 'Warn']);
    await run('clang-format', ['--dry-run', '--Werror', ...cppFiles()]);
  },

  async native() {
    await run('cmake', ['--preset', 'native-asan', '--log-level=WARNING']);
    await run('cmake', ['--build', '--preset', 'native-asan']);
    await run('ctest', ['--preset', 'native-asan', '-j2']);
  },

  async tidy() {
    const sources = [...filesIn('cpp/src', /\.cpp$/), ...filesIn('test/native', /\.cpp$/)];
    const halves = [0, 1].map((half) => sources.filter((_, i) => i % 2 === half));
    await Promise.all(
      halves.map((files) => run('clang-tidy', ['--quiet', '-p', 'build/native-asan', ...files])),
    );
  },

  async fuzz() {
    await fuzz({ operations: FUZZ_OPERATIONS });
  },

  async javascript() {
    await jest('jest.config.js');
  },

  async browsers() {
    const { buildWeb } = await import('./web-folder.js');
    await buildWeb();
    await jest('test/browser/jest.config.js');
  },

  async consumers() {
    await jest('test/consumer/jest.config.js');
  },
};

try {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in steps));
  if (unknown !== undefined) {
    throw new Error(`no step "${unknown}"; there are: ${Object.keys(steps).join(', ')}`);
  }
  await build({ debug: true, tests: true, bench: true });
  for (const [name, step] of Object.entries(steps)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n== ${name}`);
    const start = performance.now();
    await step();
    console.log(`== ${name}: passed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  console.error(`\ntest: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
