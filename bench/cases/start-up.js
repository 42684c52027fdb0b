import { read } from '../host/read.js';

/** Milliseconds of an action, and what it gives. @template T @param {() => T | Promise<T>} action */
async function timed(action) {
  const start = performance.now();
  const value = await action();
  return { value, ms: performance.now() - start };
}

/** @param {string} name of a file as shipped */
const shipped = (name) => read(new URL(`../../dist/${name}`, import.meta.url));

/** Bytes. @param {ArrayBuffer | Uint8Array<ArrayBuffer>} data */
async function gzipped(data) {
  const stream = new Blob([data]).stream().pipeThrough(new CompressionStream('gzip'));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

/** @type {Record<string, () => Promise<import('../harness/case.js').Figures>>} */
const parts = {
  async together() {
    const { ms } = await timed(async () => (await import('slabring')).createHeap());
    return { ms };
  },
  async apart() {
    const bytes = await shipped('slabring.wasm');
    const imported = await timed(() => import('slabring'));
    const compiled = await timed(() => WebAssembly.compile(bytes));
    const made = await timed(() => imported.value.createHeapSync(compiled.value));
    const first = await timed(() => made.value.alloc(10));
    return {
      'ms, import': imported.ms,
      'ms, compile': compiled.ms,
      'ms, instantiate': made.ms,
      'ms, first alloc': first.ms,
    };
  },
  async size() {
    const [js, wasm] = await Promise.all(['slabring.js', 'slabring.wasm'].map(shipped));
    return {
      'kB, JavaScript': js.byteLength / 1000,
      'kB, wasm': wasm.byteLength / 1000,
      'kB, both after gzip': ((await gzipped(js)) + (await gzipped(wasm))) / 1000,
    };
  },
};

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'start-up',
  about: 'From nothing to the first buffer, in a fresh process or worker; what is shipped for it.',
  parameters: { steps: ['together', 'apart', 'size'] },
  quick: { steps: ['together', 'size'] },
  figures: ({ steps }) => parts[steps](),
};
