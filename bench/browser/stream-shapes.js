/**
 * The shapes in which streams are measured, for any copy of readable-stream. The work is one chunk,
 * or one pipe of 1024 chunks. What Node's own benchmarks do (benchmark/streams/: pipe,
 * pipe-object-mode, writable-manywrites) is `pipe without end` and `many writes`.
 */

/** @import { Implementation } from '../harness/measure.js' */

/** @typedef {{ streams: any, Buffer: any, process: { nextTick: any } }} Bundle */
/** @typedef {(callback: () => void) => void} Later */

const CHUNKS = 1024;

/**
 * Until the last chunk has arrived in a sink that is done with each at once.
 * @param {any} streams
 * @param {object} options
 * @param {number} n
 * @param {any} source
 */
const sink = ({ Writable }, options, n, source) =>
  new Promise((resolve, reject) => {
    let written = 0;
    const last = new Writable({
      ...options,
      /** @param {unknown} _chunk @param {unknown} _encoding @param {() => void} callback */
      write(_chunk, _encoding, callback) {
        written++;
        callback();
      },
    });
    last.on('finish', () => {
      if (written === n) resolve(n);
      else reject(new Error(`${written} of ${n} chunks arrived`));
    });
    source.pipe(last);
  });

/**
 * @param {any} streams
 * @param {object} options
 * @param {unknown} chunk
 * @param {Later} [later] when a chunk that was asked for comes, unless at once
 */
const piping = (streams, options, chunk, later) => (/** @type {number} */ n) => {
  let pushed = 0;
  const source = new streams.Readable({
    ...options,
    read() {
      const push = () => source.push(pushed++ === n ? null : chunk);
      if (later) later(push);
      else push();
    },
  });
  return sink(streams, options, n, source);
};

/**
 * @param {(n: number) => Promise<unknown>} pipe
 * @returns {Implementation}
 */
const oneAfterTheOther = (pipe) => ({
  async run(n) {
    for (let i = 0; i < n; i++) await pipe(CHUNKS);
  },
});

/**
 * @param {any} streams
 * @param {Uint8Array} chunk
 * @param {Later} [later] when a write ends, unless at once
 * @returns {Implementation}
 */
const manyWrites = ({ Writable }, chunk, later) => ({
  run: (n) =>
    new Promise((resolve) => {
      let left = n;
      const stream = new Writable({
        /** @param {unknown} _chunk @param {unknown} _encoding @param {() => void} callback */
        write(_chunk, _encoding, callback) {
          if (later) later(callback);
          else callback();
        },
      });
      const write = () => {
        while (left > 0) {
          left--;
          if (!stream.write(chunk)) break;
        }
        if (left === 0) stream.end();
      };
      stream.on('drain', write).on('finish', () => resolve(n));
      write();
    }),
});

/** @type {Record<string, (bundle: Bundle) => Implementation>} */
export const shapes = {
  'pipe of 1 MiB': ({ streams, Buffer }) =>
    oneAfterTheOther(piping(streams, {}, Buffer.alloc(1024))),
  'pipe of 1024 objects': ({ streams }) =>
    oneAfterTheOther(piping(streams, { objectMode: true }, {})),
  // As from fetch(): whoever reads has to wait.
  'pipe of chunks that come by promise': ({ streams, Buffer }) => ({
    run: piping(streams, {}, Buffer.alloc(1024), (push) => void Promise.resolve().then(push)),
  }),
  'pipe without end': ({ streams, Buffer }) => ({
    run: piping(streams, {}, Buffer.alloc(1024)),
  }),
  'pipe without end, objects': ({ streams }) => ({
    run: piping(streams, { objectMode: true }, {}),
  }),
  'many writes': ({ streams, Buffer }) => manyWrites(streams, Buffer.alloc(1024)),
  'many writes, ended by a tick': ({ streams, Buffer, process }) =>
    manyWrites(streams, Buffer.alloc(1024), (callback) => process.nextTick(callback)),
};
