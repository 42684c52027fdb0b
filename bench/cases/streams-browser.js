/** readable-stream in browsers: a heap's ticks against those of npm's `process`, and microtasks. */

import { fileURLToPath } from 'node:url';
import { engines } from '../../tools/browsers/index.js';
import { bundleStreams } from '../../tools/browsers/streams-bundle.js';
import { shapes } from '../browser/stream-shapes.js';
import { callInBrowser } from '../harness/in-browser.js';

/** @type {Record<string, import('../run.js').Bar[]>} */
const bars = { chromium: [{ of: 'npm process', least: 2 }] };

/** Chunks a sample, where the first and the last ticks shall be lost in it. */
/** @type {Record<string, number>} */
const lengths = {
  'pipe without end': 500_000,
  'pipe without end, objects': 500_000,
  'many writes': 500_000,
  'many writes, ended by a tick': 200_000,
};

const built = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../../build/browser/${name}`, import.meta.url));

export default engines.flatMap((engine) =>
  Object.keys(shapes).map((shape) => ({
    name: `streams, ${engine}: ${shape}`,
    repetitions: 5,
    n: lengths[shape],
    bars: shape.startsWith('pipe') ? bars[engine] : undefined,
    /** @param {import('../harness/measure.js').Options} options */
    async figures(options) {
      await bundleStreams(built('streams-heap.js'), 'heap');
      await bundleStreams(built('streams-npm.js'), 'npm');
      return callInBrowser(engine, '/streams.js', 'measure', shape, options);
    },
  })),
);
