/**
 * Counts the lines of a text file and computes its CRC-32 in C++, on the bytes where `fs` put them:
 * in a buffer of the heap, which is the kernel's own memory. Beside it the usual way: read into a
 * Buffer, copy that into a WebAssembly heap, call.
 *
 *   node examples/text/text.js [file]
 */

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { createHeap } from 'slabring';
import { measure } from '../../bench/harness/measure.js';
import { median } from '../../bench/harness/statistics.js';

/** @import { Implementation } from '../../bench/harness/measure.js' */

/** The module with this example's kernels, text.cpp, and the allocator. */
const wasm = readFileSync(new URL('../../build/wasm-release/text.wasm', import.meta.url));

/** Files are worked on in pieces of this size. */
const PIECE = 16 * 2 ** 20;
const RUNS = 15;

/** Several megabytes of text that every checkout has. */
const someFile = () => createRequire(import.meta.url).resolve('typescript/lib/typescript.js');

/**
 * @typedef {object} Result
 * @property {number} lines
 * @property {number} crc
 * @property {number} copied bytes from one memory to another
 */

/**
 * Reads a file piece by piece into `buffer` and hands on each piece.
 * @param {string} path
 * @param {Uint8Array} buffer
 * @param {(length: number) => void} use the first `length` bytes
 */
function readPieces(path, buffer, use) {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const length = readSync(file, buffer, 0, buffer.length, null);
      if (length === 0) return;
      use(length);
    }
  } finally {
    closeSync(file);
  }
}

/** @param {number} size of the file */
const pieceOf = (size) => Math.max(1, Math.min(size, PIECE));

/** @type {Record<string, (path: string, size: number) => Promise<() => Result>>} */
const ways = {
  async slabring(path, size) {
    const heap = await createHeap({ wasm });
    return () => {
      const buffer = heap.allocUnsafe(pieceOf(size));
      const { count_lines, crc32: crc32OfBytes } = heap.exportsOf(buffer);
      let lines = 0;
      let crc = 0;
      readPieces(path, buffer, (length) => {
        lines += count_lines(buffer.byteOffset, length);
        crc = crc32OfBytes(buffer.byteOffset, length, crc);
      });
      buffer.free();
      return { lines, crc: crc >>> 0, copied: 0 };
    };
  },

  async 'read, copy, call'(path, size) {
    const memory = new WebAssembly.Memory({ initial: 4096, maximum: 4096 });
    const module = await WebAssembly.compile(wasm);
    // The kernels alone: what Embind would register is of no use to them.
    const env = Object.fromEntries(
      WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]),
    );
    const { exports } = await WebAssembly.instantiate(module, { env: { ...env, memory } });
    const {
      __wasm_call_ctors,
      malloc,
      free,
      count_lines,
      crc32: crc32OfBytes,
    } = /** @type {any} */ (exports);
    __wasm_call_ctors();
    return () => {
      const buffer = Buffer.allocUnsafe(pieceOf(size));
      const pointer = malloc(buffer.length) >>> 0;
      let lines = 0;
      let crc = 0;
      let copied = 0;
      readPieces(path, buffer, (length) => {
        new Uint8Array(memory.buffer).set(buffer.subarray(0, length), pointer);
        copied += length;
        lines += count_lines(pointer, length);
        crc = crc32OfBytes(pointer, length, crc);
      });
      free(pointer);
      return { lines, crc: crc >>> 0, copied };
    };
  },
};

/**
 * The same in plain JavaScript and zlib, to compare with.
 * @param {string} path
 * @returns {{ lines: number, crc: number }}
 */
function expected(path) {
  const buffer = Buffer.allocUnsafe(PIECE);
  let lines = 0;
  let crc = 0;
  readPieces(path, buffer, (length) => {
    const piece = buffer.subarray(0, length);
    for (const byte of piece) if (byte === 10) lines++;
    crc = crc32(piece, crc);
  });
  return { lines, crc };
}

/** @param {number} bytes */
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/**
 * One way, in a process of its own: what it keeps resident is its own doing.
 * @param {string} name
 * @param {string} path
 */
async function child(name, path) {
  const before = process.memoryUsage.rss();
  const { size } = statSync(path);
  const work = await ways[name](path, size);
  const result = work();
  const resident = process.memoryUsage.rss() - before;
  const times = [];
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  process.stdout.write(JSON.stringify({ ...result, resident, time: median(times) }));
}

/** @param {string[][]} rows the first is the head */
function printTable(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const row of rows) {
    console.log(
      `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('   ')}`,
    );
  }
}

/** @param {string} path */
function compareWays(path) {
  const { size } = statSync(path);
  const should = expected(path);
  console.log(`\n${path}: ${mib(size)}, ${should.lines.toLocaleString('en')} lines`);
  const rows = [['', 'throughput', 'bytes copied', 'resident memory', 'lines', 'CRC-32']];
  for (const name of Object.keys(ways)) {
    const args = [fileURLToPath(import.meta.url), '--way', name, path];
    const result = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    const right = result.lines === should.lines && result.crc === should.crc;
    if (!right) throw new Error(`${name}: ${result.lines} lines, CRC-32 ${result.crc}: wrong`);
    rows.push([
      name,
      `${(size / 1e6 / result.time).toFixed(2)} GB/s`,
      result.copied.toLocaleString('en'),
      `+${mib(result.resident)}`,
      result.lines.toLocaleString('en'),
      result.crc.toString(16).padStart(8, '0'),
    ]);
  }
  printTable(rows);
  console.log('  both as counted by JavaScript and by zlib');
}

/** Allocation against Node's Buffer, so many bytes at a time. */
async function compareAllocations() {
  const { alloc, allocUnsafe, free } = await createHeap();
  /** @type {Buffer | undefined} Keeps the engine from leaving the allocation out. */
  let last;
  // A loop each: one for all would be slowed down by whatever else the engine saw pass through it.
  /** @type {Record<string, (size: number) => Record<string, Implementation>>} */
  const cases = {
    alloc: (size) => ({
      ours: {
        run(n) {
          for (let i = 0; i < n; i++) free(alloc(size));
        },
      },
      theirs: {
        run(n) {
          for (let i = 0; i < n; i++) last = Buffer.alloc(size);
        },
      },
    }),
    allocUnsafe: (size) => ({
      ours: {
        run(n) {
          for (let i = 0; i < n; i++) free(allocUnsafe(size));
        },
      },
      theirs: {
        run(n) {
          for (let i = 0; i < n; i++) last = Buffer.allocUnsafe(size);
        },
      },
    }),
  };
  const rows = [['ns each', 'slabring, freed', 'Buffer', 'times quicker']];
  for (const size of [10, 1024, 8192]) {
    for (const [name, implementations] of Object.entries(cases)) {
      const { samples: times } = await measure(implementations(size), {
        samples: 9,
        milliseconds: 20,
      });
      const ours = median(times.ours);
      const theirs = median(times.theirs);
      rows.push([
        `${name}(${size})`,
        ours.toFixed(1),
        theirs.toFixed(1),
        `${(theirs / ours).toFixed(1)}x`,
      ]);
    }
  }
  console.log('\nAllocation, quick look (npm run bench measures it properly)');
  printTable(rows);
  return last;
}

const [first, second, third] = process.argv.slice(2);
if (first === '--way') {
  await child(second, third);
} else {
  try {
    compareWays(resolve(first ?? someFile()));
    await compareAllocations();
  } catch (error) {
    console.error(`text: ${/** @type {Error} */ (error).message}`);
    process.exitCode = 1;
  }
}
