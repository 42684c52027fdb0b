/**
 * The native fuzz targets: libFuzzer's process is run on a batch of inputs again and again, until so
 * many operations were compared with the model. The same seed and number make the same runs.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from './failure.js';
import { makeRandom } from './random.js';

/** As test/native/fuzz.hpp has it. */
const BYTES_A_STEP = 5;

const MAX_LENGTH = 2000 * BYTES_A_STEP;
const MOST_INPUTS = 5000;
const FIRST_INPUTS = 200;
/** Inputs to begin with, of steps of all kinds alike: libFuzzer's own begin with one byte. */
const GIVEN = 100;

const SHORTENING_SECONDS = 60;
const SECONDS_A_CASE = 10;

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {string} output
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {number} [seconds]
 * @returns {Promise<Ended>}
 */
function runToEnd(command, args, seconds) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const timer = seconds && setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/**
 * The steps of a failing input that it needs to fail: pieces are left out, ever smaller, while that
 * helps and there is time.
 * @param {Buffer} input
 * @param {(input: Buffer) => Promise<boolean>} fails
 */
async function shorten(input, fails) {
  const end = performance.now() + SHORTENING_SECONDS * 1000;
  let shortest = input;
  for (let before = -1; before !== shortest.length; ) {
    before = shortest.length;
    let piece = Math.ceil(before / BYTES_A_STEP / 2);
    for (; piece > 0; piece = piece === 1 ? 0 : Math.ceil(piece / 2)) {
      const size = piece * BYTES_A_STEP;
      for (let from = 0; from < shortest.length; ) {
        if (performance.now() > end) return shortest;
        const without = Buffer.concat([shortest.subarray(0, from), shortest.subarray(from + size)]);
        if (await fails(without)) shortest = without;
        else from += size;
      }
    }
  }
  return shortest;
}

/** What a target said of a failure: the step and its neighbours, or the sanitizer's first lines. */
const wordsOf = (/** @type {string} */ output) => {
  const lines = output.split('\n');
  const first = lines.findIndex((line) =>
    /^step \d+:|ERROR: \w*Sanitizer|runtime error:/.test(line),
  );
  return lines
    .slice(Math.max(first, 0))
    .filter((line) => !/^operations |^\s+#\d+ .*(libc|libFuzzer|fuzzer::|_start)/.test(line))
    .slice(0, 40)
    .join('\n');
};

/** One libFuzzer target. */
export class NativeTarget {
  /** How many operations of each kind were compared. @type {Map<string, number>} */
  kinds = new Map();
  operations = 0;
  inputs = 0;
  /** Places in the code of the core that were reached, and how many there are. */
  #coverage = { reached: 0, all: 0 };
  /** Inputs kept because each reached something new. */
  #corpus = 0;
  #program;
  #seed;
  #folder;
  #batch = 0;

  /**
   * @param {string} name
   * @param {number} seed
   */
  constructor(name, seed) {
    this.name = name;
    this.#program = `build/native-fuzz/fuzz_${name}`;
    this.#seed = seed;
    this.#folder = mkdtempSync(join(tmpdir(), `fuzz-${name}-`));
    const corpus = join(this.#folder, 'corpus');
    mkdirSync(corpus);
    const random = makeRandom(seed);
    for (let i = 0; i < GIVEN; i++) {
      const steps = 1 + random(MAX_LENGTH / BYTES_A_STEP);
      const input = Buffer.from(Array.from({ length: steps * BYTES_A_STEP }, () => random(256)));
      writeFileSync(join(corpus, `given-${i}`), input);
    }
  }

  /**
   * Another batch of inputs, of about so many operations at most.
   * @param {number} most
   * @throws Failure
   */
  async runBatch(most) {
    const average = this.inputs === 0 ? most / FIRST_INPUTS : this.operations / this.inputs;
    const inputs = Math.max(1, Math.min(MOST_INPUTS, Math.ceil(most / average)));
    const { code, output } = await runToEnd(this.#program, [
      join(this.#folder, 'corpus'),
      `-artifact_prefix=${this.#folder}/`,
      `-seed=${this.#seed * 1000 + ++this.#batch}`,
      // The corpus is run first, and counted.
      `-runs=${inputs + this.#corpus + GIVEN}`,
      `-max_len=${MAX_LENGTH}`,
      // Long inputs from the start: a dozen operations find little.
      '-len_control=0',
      '-timeout=60',
      '-print_funcs=0',
    ]);
    if (code !== 0) await this.#fail(output);
    for (const [, kind, count] of output.matchAll(/^operations (\w+) (\d+)$/gm)) {
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + Number(count));
      this.operations += Number(count);
    }
    const [, ran, reached, corpus] =
      /^#(\d+)\s+DONE\s+cov: (\d+).* corp: (\d+)/m.exec(output) ?? [];
    this.inputs += Number(ran);
    this.#coverage.reached = Number(reached);
    this.#coverage.all = Number(/\((\d+) inline 8-bit counters\)/.exec(output)?.[1]);
    this.#corpus = Number(corpus);
  }

  get reached() {
    const { reached, all } = this.#coverage;
    return `; ${reached} of the core's ${all} edges reached, a corpus of ${this.#corpus}`;
  }

  /** Removes what it had written down. */
  end() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * @param {string} output
   * @returns {Promise<never>}
   */
  async #fail(output) {
    const file = readdirSync(this.#folder).find((name) => /^(crash|timeout|oom|leak)-/.test(name));
    if (file === undefined)
      throw new Failure(`${this.#program} ended early:\n${output.slice(-2000)}`);
    const tried = join(this.#folder, 'tried');
    const outputOf = async (/** @type {Buffer} */ input) => {
      writeFileSync(tried, input);
      return runToEnd(this.#program, [tried, '-print_funcs=0'], SECONDS_A_CASE);
    };
    const shortest = await shorten(readFileSync(join(this.#folder, file)), async (input) => {
      return (await outputOf(input)).code !== 0;
    });
    const words = wordsOf((await outputOf(shortest)).output || output);
    const kept = `build/fuzz-${this.name}.case`;
    writeFileSync(kept, shortest);
    throw new Failure(
      `${this.name}, seed ${this.#seed}: ${words}\nonce more: ${this.#program} ${kept}`,
    );
  }
}
