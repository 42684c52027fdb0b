/**
 * The heap as in a browser: the package is imported where there is no Node to be seen, and compared
 * with Node's Buffer all the same.
 */

import { execFileSync } from 'node:child_process';

const root = new URL('../../', import.meta.url);

const prelude = `
  const node = globalThis.process;
  globalThis.process = undefined;
  const { createHeap, HeapBuffer } = await import('slabring');
  globalThis.process = node;
  const heap = await createHeap({ regionSize: 2 ** 24 });
  const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  const outcome = (work) => {
    try {
      return hex(work());
    } catch ({ name, code, message }) {
      return [name, code ?? '', message];
    }
  };
  const differences = [];
  const same = (label, ours, theirs) => {
    const [a, b] = [JSON.stringify(outcome(ours)), JSON.stringify(outcome(theirs))];
    if (a !== b) differences.push(label + ': ' + a + ' instead of ' + b);
  };
  const live = () => heap.stats().live.buffers;
`;

/**
 * @param {string} body leaves in `result` what is to be told
 * @returns {any}
 */
function inBrowserLikeHost(body) {
  const source = `${prelude}\n${body}\nconsole.log(JSON.stringify(result));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: root,
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

test('a HeapBuffer is a Uint8Array and no Buffer', () => {
  const result = inBrowserLikeHost(`
    const view = heap.alloc(10);
    const result = [
      view instanceof Uint8Array, Buffer.isBuffer(view), view instanceof HeapBuffer,
      view.subarray(2).constructor.name, view.map((x) => x).constructor.name,
    ];
  `);
  expect(result).toEqual([true, false, true, 'HeapBuffer', 'Uint8Array']);
});

test('from writes what Buffer.from writes, in every encoding', () => {
  const differences = inBrowserLikeHost(`
    const texts = ['', 'a', 'hello', 'naïve ☃ 😀 \\ud800', 'aGk=', 'aG k=\\n', '-_-_', '6869zz', '686', 'ÿ'.repeat(300)];
    const encodings = [undefined, 'utf8', 'UTF-8', 'utf16le', 'ucs2', 'latin1', 'binary', 'ascii', 'hex', 'base64', 'base64url', 'nope', 5, null];
    for (const text of texts) for (const encoding of encodings) {
      same(JSON.stringify([text, encoding]), () => heap.from(text, encoding), () => Buffer.from(text, encoding));
    }
    const result = differences;
  `);
  expect(differences).toEqual([]);
});

test('from copies what Buffer.from takes of arrays, views and ArrayBuffers', () => {
  const differences = inBrowserLikeHost(`
    const memory = Uint8Array.from([...Array(10).keys()]).buffer;
    for (const offset of [undefined, 0, 3, 9.5, 10, 11, '2', NaN, null]) {
      for (const length of [undefined, 0, 4, 10, 11, -1, '3', NaN, null]) {
        const label = JSON.stringify([String(offset), String(length)]);
        same(label, () => heap.from(memory, offset, length), () => Buffer.from(memory, offset, length));
      }
    }
    const sources = {
      array: [1, 2.5, -3, 300, '7', {}], floats: Float64Array.of(1.9, -1, 300), words: Uint16Array.of(1, 500),
      view: new DataView(memory), like: { length: 3, 0: 9 }, json: { type: 'Buffer', data: [1, 2] },
      number: 5, nothing: null, object: {},
    };
    for (const [label, source] of Object.entries(sources)) {
      same(label, () => heap.from(source), () => Buffer.from(source));
    }
    same('bigint', () => heap.from(memory, 5n), () => Buffer.from(memory, 5n));
    const result = differences;
  `);
  expect(differences).toEqual([]);
});

test('alloc fills as Buffer.alloc does', () => {
  const differences = inBrowserLikeHost(`
    const fills = ['', 'a', 'abc', 'é☃', 0, 1, 300, -1, 1.9, true, null, Uint8Array.of(1, 2, 3), new Uint8Array(0), Uint16Array.of(513)];
    const encodings = [undefined, 'utf8', 'hex', 'base64', 'utf16le', 'nope', 7];
    for (const fill of fills) for (const encoding of encodings) for (const size of [0, 0.5, 1, 7, 40]) {
      same(JSON.stringify([fill, encoding, size]), () => heap.alloc(size, fill, encoding), () => Buffer.alloc(size, fill, encoding));
    }
    const result = differences.filter((text) => !text.includes('Received an instance of Uint8Array'));
  `);
  expect(differences).toEqual([]);
});

test('what throws keeps nothing, and buffers are recycled and zeroed', () => {
  const result = inBrowserLikeHost(`
    const before = live();
    outcome(() => heap.alloc(20, 'zz', 'hex'));
    outcome(() => heap.from({ length: 2, get 0() { throw new Error('x'); } }));
    outcome(() => heap.from('x', 'nope'));
    const kept = live() - before;
    const first = heap.alloc(100, 'x');
    first.free();
    const second = heap.alloc(100);
    const result = [kept, first === second, second.every((byte) => byte === 0), heap.check()];
  `);
  expect(result).toEqual([0, true, true, []]);
});
