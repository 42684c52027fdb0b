/** readable-stream 4 with a heap's nextTick in place of its own: all data arrives, in order. */

import { describe, expect, test } from '@jest/globals';
import { resultOf } from '../support/child.js';

const run = (program) =>
  resultOf(`
    import { createHash } from 'node:crypto';
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(import.meta.url)});
    const heap = await createHeap();
    let ticks = 0;
    const shim = require.resolve('readable-stream').replace(/ours.index\\.js$/, 'internal/shims/process.js');
    const theirs = require(shim);
    require.cache[shim].exports = {
      ...theirs,
      nextTick: (...args) => { ticks++; heap.nextTick(...args); },
    };
    const { Readable, Writable, Transform, PassThrough, pipeline, finished } = require('readable-stream');
    const hash = () => createHash('sha256');
    const done = (stream) => new Promise((resolve, reject) => finished(stream, (error) => error ? reject(error) : resolve()));
    ${program}
    if (ticks === 0 || heap.ticks.size !== 0 || heap.asyncIds.depth !== 0) throw new Error('ticks');
  `);

describe('readable-stream', () => {
  test('pipe', () => {
    const { from, to, bytes } = run(`
      const [from, to] = [hash(), hash()];
      let i = 0, bytes = 0;
      const source = new Readable({ read() {
        if (i === 3000) return this.push(null);
        const chunk = Buffer.alloc(1 + (i * 7919) % 3000, i++);
        from.update(chunk);
        this.push(chunk);
      } });
      const sink = new Writable({ write(chunk, _, callback) {
        to.update(chunk);
        bytes += chunk.length;
        if (bytes % 3 === 0) callback(); else heap.nextTick(callback);
      } });
      source.pipe(new PassThrough()).pipe(sink);
      await done(sink);
      print({ from: from.digest('hex'), to: to.digest('hex'), bytes });
    `);
    expect(bytes).toBeGreaterThan(4e6);
    expect(to).toBe(from);
  });

  test('object-mode pipe', () => {
    const seen = run(`
      const seen = [];
      const source = Readable.from((function* () { for (let i = 0; i < 5000; i++) yield { i }; })());
      const twice = new Transform({ objectMode: true, transform({ i }, _, callback) { callback(null, { i: 2 * i }); } });
      const sink = new Writable({ objectMode: true, write({ i }, _, callback) { seen.push(i); callback(); } });
      await new Promise((resolve, reject) => pipeline(source, twice, sink, (error) => error ? reject(error) : resolve()));
      print(seen);
    `);
    expect(seen).toEqual(Array.from({ length: 5000 }, (_, i) => 2 * i));
  });

  test('many small writes, each callback once and in order', () => {
    const { text, calls } = run(`
      let text = '';
      const calls = [];
      const sink = new Writable({ decodeStrings: false, highWaterMark: 64, write(chunk, _, callback) { text += chunk; callback(); } });
      for (let i = 0; i < 20000; i++) sink.write(i + ',', () => calls.push(i));
      sink.end();
      await done(sink);
      print({ text, calls });
    `);
    const numbers = Array.from({ length: 20_000 }, (_, i) => i);
    expect(text).toBe(numbers.map((i) => `${i},`).join(''));
    expect(calls).toEqual(numbers);
  });

  test('an error in the middle destroys all, once', () => {
    const seen = run(`
      const seen = [];
      const source = Readable.from(['a', 'b', 'c']);
      const broken = new Transform({ objectMode: true, transform(chunk, _, callback) { callback(chunk === 'b' ? new Error('b') : null, chunk); } });
      await new Promise((resolve) => pipeline(source, broken, new PassThrough().resume(), (error) => { seen.push(error.message); resolve(); }));
      await new Promise((resolve) => setTimeout(resolve, 5));
      print([...seen, source.destroyed, broken.destroyed]);
    `);
    expect(seen).toEqual(['b', true, true]);
  });
});
