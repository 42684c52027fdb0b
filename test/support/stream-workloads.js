/**
 * What streams are put through, in Node and in browsers. Each gets `streams` (readable-stream),
 * `Buffer` and the `nextTick` that it runs on.
 */

/** Two 32-bit FNV hashes, of all bytes in order. */
function hash() {
  let [a, b] = [0x811c9dc5, 0x01000193];
  return {
    /** @param {Uint8Array} bytes */
    update(bytes) {
      for (const byte of bytes) {
        a = Math.imul(a ^ byte, 0x01000193);
        b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 15);
      }
    },
    digest: () => [a >>> 0, b >>> 0],
  };
}

/** @param {any} streams @param {any} stream */
const done = ({ finished }, stream) =>
  new Promise((resolve, reject) =>
    finished(stream, (/** @type {unknown} */ error) =>
      error ? reject(error) : resolve(undefined),
    ),
  );

/** Chunks of all sizes through three streams; the sink is quick or slow in turn. */
async function pipe({ streams, Buffer, nextTick }) {
  const { Readable, Writable, PassThrough } = streams;
  const [from, to] = [hash(), hash()];
  let i = 0;
  let bytes = 0;
  const source = new Readable({
    read() {
      if (i === 3000) {
        this.push(null);
        return;
      }
      const chunk = Buffer.alloc(1 + ((i * 7919) % 3000), i++);
      from.update(chunk);
      this.push(chunk);
    },
  });
  const sink = new Writable({
    write(chunk, _, callback) {
      to.update(chunk);
      bytes += chunk.length;
      if (bytes % 3 === 0) callback();
      else nextTick(callback);
    },
  });
  source.pipe(new PassThrough()).pipe(sink);
  await done(streams, sink);
  return { from: from.digest(), to: to.digest(), bytes };
}

async function objectPipe({ streams }) {
  const { Readable, Writable, Transform, pipeline } = streams;
  const seen = [];
  const numbers = function* () {
    for (let i = 0; i < 5000; i++) yield { i };
  };
  const twice = new Transform({
    objectMode: true,
    transform({ i }, _, callback) {
      callback(null, { i: 2 * i });
    },
  });
  const sink = new Writable({
    objectMode: true,
    write({ i }, _, callback) {
      seen.push(i);
      callback();
    },
  });
  await new Promise((resolve, reject) =>
    pipeline(Readable.from(numbers()), twice, sink, (error) =>
      error ? reject(error) : resolve(undefined),
    ),
  );
  return seen;
}

async function smallWrites({ streams }) {
  let text = '';
  const calls = [];
  const sink = new streams.Writable({
    decodeStrings: false,
    highWaterMark: 64,
    write(chunk, _, callback) {
      text += chunk;
      callback();
    },
  });
  for (let i = 0; i < 20_000; i++) sink.write(`${i},`, () => calls.push(i));
  sink.end();
  await done(streams, sink);
  return { text, calls };
}

async function errorInTheMiddle({ streams }) {
  const { Readable, Transform, PassThrough, pipeline } = streams;
  const seen = [];
  const source = Readable.from(['a', 'b', 'c']);
  const broken = new Transform({
    objectMode: true,
    transform(chunk, _, callback) {
      callback(chunk === 'b' ? new Error('b') : null, chunk);
    },
  });
  await new Promise((resolve) =>
    pipeline(source, broken, new PassThrough().resume(), (error) => {
      seen.push(error.message);
      resolve(undefined);
    }),
  );
  // Whatever else is queued, and would call back once more.
  await new Promise((resolve) => setTimeout(resolve));
  return [...seen, source.destroyed, broken.destroyed];
}

/** @type {Record<string, (given: any) => Promise<any>>} */
export const workloads = { pipe, objectPipe, smallWrites, errorInTheMiddle };
