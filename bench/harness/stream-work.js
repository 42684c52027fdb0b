/**
 * What is done with streams, for any copy of their module. A unit is a chunk of 1 KiB, or an object.
 * Imports nothing: each implementation has its own copy.
 */

/** @import { Implementation } from './measure.js' */

const CHUNK = 1024;

/** Chunks of a pipe that ends. */
const CHUNKS = 1024;

/** Comes soon, unless at once. @typedef {(callback: () => void) => void} Later */

/**
 * @typedef {object} Given
 * @property {typeof import('node:stream')} streams
 * @property {{ alloc(size: number): Uint8Array }} Buffer
 * @property {Later} nextTick
 */

/** @type {Later} */
const atOnce = (callback) => callback();

/**
 * From a source that pushes what it is asked for into a sink that is done with it at once.
 * @param {Given} given
 * @param {object} [options]
 * @param {boolean} [options.objectMode]
 * @param {Later} [options.later] when the next chunk comes
 */
function pipe({ streams: { Readable, Writable }, Buffer }, options = {}) {
  const { objectMode = false, later = atOnce } = options;
  const chunk = objectMode ? {} : Buffer.alloc(CHUNK);
  return {
    /** @param {number} n @returns {Promise<number>} chunks that arrived */
    run: (n) =>
      new Promise((resolve, reject) => {
        let made = 0;
        let taken = 0;
        const push = () => void source.push(made++ < n ? chunk : null);
        const source = new Readable({ objectMode, read: () => later(push) });
        const sink = new Writable({
          objectMode,
          write(_chunk, _encoding, callback) {
            taken++;
            callback();
          },
        });
        sink.on('finish', () => resolve(taken)).on('error', reject);
        source.on('error', reject).pipe(sink);
      }),
  };
}

/**
 * One after the other.
 * @param {{ run(n: number): Promise<number> }} pipe
 * @returns {Implementation}
 */
const pipes = ({ run }) => ({
  async run(n) {
    let taken = 0;
    for (let i = 0; i < n; i += CHUNKS) taken += await run(CHUNKS);
    return taken;
  },
});

/**
 * Each write waits for the one before.
 * @param {Given} given
 * @param {Later} later when the sink is done
 * @returns {Implementation}
 */
function writes({ streams: { Writable }, Buffer }, later) {
  const chunk = Buffer.alloc(CHUNK);
  return {
    run: (n) =>
      new Promise((resolve, reject) => {
        let taken = 0;
        const sink = new Writable({
          write(_chunk, _encoding, callback) {
            taken++;
            later(callback);
          },
        });
        let written = 0;
        const next = () => {
          if (written++ < n) sink.write(chunk, next);
          else sink.end(() => resolve(taken));
        };
        sink.on('error', reject);
        next();
      }),
  };
}

/**
 * As many writes as the stream takes, and then those that it takes after its `drain`.
 * @param {Given} given
 * @param {Later} later when the sink is done
 * @returns {Implementation}
 */
function manyWrites({ streams: { Writable }, Buffer }, later) {
  const chunk = Buffer.alloc(CHUNK);
  return {
    run: (n) =>
      new Promise((resolve, reject) => {
        let taken = 0;
        let left = n;
        const sink = new Writable({
          write(_chunk, _encoding, callback) {
            taken++;
            later(callback);
          },
        });
        const write = () => {
          while (left > 0) {
            left--;
            if (!sink.write(chunk)) break;
          }
          if (left === 0) sink.end();
        };
        sink.on('drain', write).on('error', reject);
        sink.on('finish', () => resolve(taken));
        write();
      }),
  };
}

/**
 * @param {Given} given
 * @param {number} size of what is read at once, in chunks of the source
 * @returns {Implementation}
 */
function reads({ streams: { Readable }, Buffer }, size) {
  const chunk = Buffer.alloc(CHUNK);
  return {
    run: (n) =>
      new Promise((resolve, reject) => {
        let made = 0;
        let taken = 0;
        const source = new Readable({
          highWaterMark: 64 * CHUNK,
          read() {
            this.push(made++ < n ? chunk : null);
          },
        });
        source.on('readable', () => {
          for (;;) {
            const some = source.read(size);
            if (some === null) break;
            taken += some.length;
          }
        });
        source.on('end', () => resolve(taken / CHUNK)).on('error', reject);
      }),
  };
}

/** @type {Record<string, (given: Given) => Implementation>} */
export const works = {
  pipe: (given) => pipe(given),
  'pipe-objects': (given) => pipe(given, { objectMode: true }),
  // As from fetch(): whoever reads has to wait.
  'pipe-promised': (given) =>
    pipe(given, { later: (callback) => void Promise.resolve().then(callback) }),
  'pipes-of-1024': (given) => pipes(pipe(given)),
  'pipes-of-1024-objects': (given) => pipes(pipe(given, { objectMode: true })),
  'writes-sync': (given) => writes(given, atOnce),
  'writes-callback': (given) => writes(given, given.nextTick),
  'writes-many': (given) => manyWrites(given, atOnce),
  'writes-many-callback': (given) => manyWrites(given, given.nextTick),
  'reads-256': (given) => reads(given, CHUNK / 4),
  'reads-1024': (given) => reads(given, CHUNK),
  'reads-16384': (given) => reads(given, 16 * CHUNK),
};
