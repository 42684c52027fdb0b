/** A run in a page, with workers, a page and a clock of the test's own. */

import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../bench/harness/analysis.js';
import { problemOf } from '../../bench/harness/results.js';
import { scheduleOf } from '../../bench/harness/schedule.js';
import { makeRunner } from '../../web/run/runner.js';

const variant = (caseName, parts = ['']) => ({
  id: `${caseName} size=10`,
  caseName,
  about: '',
  group: 'buffers',
  parameters: { size: 10 },
  parts,
  longer: 1,
  quick: true,
});

const variants = [variant('a'), variant('b'), variant('c', ['slabring', 'rival'])];
const catalogue = { variants, quickIds: variants.map(({ id }) => id) };
const ids = catalogue.quickIds;

const environment = {
  engine: 'test 1.0',
  context: { cpu: 'unknown', cores: 2, system: 'test', build: 'release', packages: {} },
};

const options = { quick: true, processes: 3, samples: 2, milliseconds: 1, seed: 7 };

/** What a worker would answer: an even time, with more digits than are stored. */
const answerTo = ({ options: { part, seed } }) => ({
  repetition: part
    ? { seed, metrics: { ms: { [part]: [1.23456789] } } }
    : {
        seed,
        metrics: { ns: { slabring: [10.1234567, 11], rival: [20, 21] } },
        n: { slabring: 5, rival: 5 },
        step: 5000,
        gc: false,
      },
});

/** A page whose visibility is the test's. */
function makePage() {
  const listeners = new Set();
  return {
    visibilityState: 'visible',
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
    show(state) {
      this.visibilityState = state;
      for (const listener of listeners) listener();
    },
    listeners,
  };
}

/**
 * @param {object} [given]
 * @param {(worker: any, job: any, jobs: any[]) => void} [given.onJob] what a worker does; it answers
 *   rightly by default
 */
function setUp({ onJob = (worker, job) => worker.answer(answerTo(job)), ...given } = {}) {
  const jobs = [];
  const workers = [];
  const page = makePage();
  const createWorker = () => {
    const worker = {
      ended: false,
      postMessage(job) {
        jobs.push(job);
        onJob(worker, job, jobs);
      },
      terminate() {
        worker.ended = true;
      },
      answer(data) {
        queueMicrotask(() => {
          if (!worker.ended) worker.onmessage({ data });
        });
      },
    };
    workers.push(worker);
    return worker;
  };
  const never = () => new Promise(() => {});
  const runner = makeRunner({
    catalogue,
    environment,
    createWorker,
    page,
    isSlowed: async () => false,
    sleep: never,
    ...given,
  });
  return { runner, jobs, workers, page };
}

/** All that is due by now. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a run', () => {
  test('is what the command line does: its schedule, its seeds, its form', async () => {
    const { runner, jobs, workers } = setUp();
    await runner.start({ ids, options });
    const works = variants.flatMap(({ caseName, parts }) =>
      parts.map((part) => ({ caseName, part })),
    );
    expect(jobs).toEqual(
      scheduleOf(works, 3, 7).map(({ work: { caseName, part }, seed }) => ({
        name: caseName,
        options: { parameters: { size: 10 }, part, quick: true, samples: 2, milliseconds: 1, seed },
      })),
    );
    const results = runner.results.value;
    expect(problemOf(results)).toBeUndefined();
    expect(results.complete).toBe(true);
    expect(results.options).toEqual(options);
    expect(results.rows.map(({ id }) => id)).toEqual(ids);
    expect(results.rows.map(({ repetitions }) => repetitions.length)).toEqual([3, 3, 6]);
    expect(
      analyse(results).find(({ id, name }) => id === ids[0] && name === 'rival').ratio,
    ).toEqual(expect.objectContaining({ value: expect.any(Number) }));
    expect(workers).toHaveLength(12);
    expect(workers.every(({ ended }) => ended)).toBe(true);
    expect(runner.state.value).toMatchObject({ phase: 'done', done: 12, of: 12, errors: {} });
  });

  test('has what is stored to five digits from the start', async () => {
    const { runner } = setUp();
    await runner.start({ ids: [ids[0]], options });
    const [{ repetitions }] = runner.results.value.rows;
    expect(repetitions[0].metrics.ns.slabring).toEqual([10.123, 11]);
    expect(JSON.parse(JSON.stringify(runner.results.value))).toEqual(runner.results.value);
  });

  test('shows each repetition in new results, and changes none that were seen', async () => {
    const { runner } = setUp();
    const seen = [];
    const copies = [];
    runner.results.subscribe((results) => {
      seen.push(results);
      copies.push(JSON.stringify(results));
    });
    await runner.start({ ids: [ids[0], ids[1]], options });
    expect(new Set(seen).size).toBe(1 + 1 + 6 + 1);
    expect(seen.map((results) => JSON.stringify(results))).toEqual(copies);
    // Rows in which nothing is new are the same, so nobody analyses them again.
    const [, , second, third] = seen;
    expect(second.rows.filter((row) => third.rows.includes(row))).toHaveLength(1);
  });

  test('says where it is', async () => {
    const { runner } = setUp();
    const states = [];
    runner.state.subscribe((state) => states.push(state));
    await runner.start({ ids: [ids[0]], options });
    const running = states.filter(({ what }) => what === ids[0]);
    expect(running.map(({ done }) => done)).toEqual(expect.arrayContaining([0, 1, 2]));
    expect(running[0].left).toBeUndefined();
    expect(running.at(-1).left).toBeGreaterThanOrEqual(0);
  });

  test('is one at a time, of something', async () => {
    const { runner } = setUp({ onJob() {} });
    await expect(runner.start({ ids: ['nothing'], options })).rejects.toThrow('nothing is chosen');
    runner.start({ ids, options });
    await expect(runner.start({ ids, options })).rejects.toThrow('a run is going on');
    runner.stop();
  });

  test('can follow another', async () => {
    const { runner } = setUp();
    await runner.start({ ids, options });
    await runner.start({ ids: [ids[1]], options });
    expect(runner.results.value.rows.map(({ id }) => id)).toEqual([ids[1]]);
    expect(runner.state.value).toMatchObject({ phase: 'done', of: 3 });
  });
});

describe('errors', () => {
  test('are told at their variant, which is left then; the rest goes on', async () => {
    const { runner, jobs } = setUp({
      onJob: (worker, job) =>
        worker.answer(job.name === 'b' ? { error: 'Error: b\nis wrong' } : answerTo(job)),
    });
    await runner.start({ ids, options });
    expect(runner.state.value).toMatchObject({
      phase: 'done',
      done: 12,
      errors: { [ids[1]]: 'Error: b is wrong' },
    });
    expect(jobs.filter(({ name }) => name === 'b')).toHaveLength(1);
    const results = runner.results.value;
    expect(results.rows.map(({ repetitions }) => repetitions.length)).toEqual([3, 0, 6]);
    expect(results.rows[1].error).toBe('Error: b is wrong');
    expect(problemOf(results)).toBeUndefined();
  });

  test('later ones keep what was measured before', async () => {
    const { runner } = setUp({
      onJob: (worker, job, jobs) =>
        worker.answer(jobs.length === 3 ? { error: 'late' } : answerTo(job)),
    });
    await runner.start({ ids: [ids[0]], options });
    const [row] = runner.results.value.rows;
    expect(row).toMatchObject({ error: 'late', repetitions: [{ seed: expect.any(Number) }, {}] });
  });

  test.each([
    ['a worker that cannot be loaded', undefined, 'the worker could not be loaded'],
    ['a worker that throws', 'Uncaught Error: x', 'Uncaught Error: x'],
  ])('%s', async (_, message, shown) => {
    const { runner, workers } = setUp({
      onJob: (worker) => queueMicrotask(() => worker.onerror({ message, preventDefault() {} })),
    });
    await runner.start({ ids: [ids[0]], options });
    expect(runner.state.value.errors).toEqual({ [ids[0]]: shown });
    expect(workers).toHaveLength(1);
    expect(workers[0].ended).toBe(true);
  });

  test('a worker that cannot be made', async () => {
    const createWorker = () => {
      throw new Error('refused');
    };
    const { runner } = setUp({ createWorker });
    await runner.start({ ids: [ids[0], ids[1]], options });
    expect(Object.values(runner.state.value.errors)).toEqual(['refused', 'refused']);
    expect(runner.state.value.phase).toBe('done');
  });

  test('a worker that never answers, once its patience is over', async () => {
    const looks = [];
    const { runner, workers } = setUp({
      onJob: (worker, job) => {
        if (job.name !== 'a') worker.answer(answerTo(job));
      },
      sleep: async (milliseconds) => {
        looks.push(milliseconds);
        // A turn of the event loop, in which the others answer.
        await settle();
      },
    });
    await runner.start({ ids: [ids[0], ids[1]], options });
    expect(runner.state.value.errors).toEqual({
      [ids[0]]: expect.stringMatching(/^no answer within \d+ s$/),
    });
    expect(workers.every(({ ended }) => ended)).toBe(true);
    expect(looks.length).toBeGreaterThanOrEqual(60);
    expect(runner.results.value.rows[1].repetitions).toHaveLength(3);
  });
});

describe('pause, resume and stop', () => {
  /** Workers answer when the test says so. */
  function setUpByHand() {
    const all = setUp({
      onJob(worker, job) {
        worker.job = job;
      },
    });
    const next = async () => {
      const worker = all.workers.at(-1);
      worker.answer(answerTo(worker.job));
      await settle();
    };
    return { ...all, next };
  }

  test('pause comes after the repetition that runs, which counts', async () => {
    const { runner, workers, next } = setUpByHand();
    const ended = runner.start({ ids, options });
    await settle();
    runner.pause();
    expect(runner.state.value.phase).toBe('pausing');
    expect(workers[0].ended).toBe(false);
    await next();
    expect(runner.state.value.phase).toBe('paused');
    expect(workers).toHaveLength(1);
    await settle();
    expect(workers).toHaveLength(1);
    runner.resume();
    expect(runner.state.value.phase).toBe('running');
    await settle();
    expect(workers).toHaveLength(2);
    for (let i = 1; i < 12; i++) await next();
    await ended;
    expect(runner.state.value.phase).toBe('done');
    expect(runner.results.value.rows.map(({ repetitions }) => repetitions.length)).toEqual([
      3, 3, 6,
    ]);
  });

  test('resumed before the repetition ends: no pause', async () => {
    const { runner, workers, next } = setUpByHand();
    runner.start({ ids, options });
    await settle();
    runner.pause();
    runner.resume();
    await next();
    expect(runner.state.value.phase).toBe('running');
    expect(workers).toHaveLength(2);
    runner.stop();
  });

  test('stop ends the worker at once; what there is stays', async () => {
    const { runner, workers, next } = setUpByHand();
    const ended = runner.start({ ids, options });
    await settle();
    await next();
    await next();
    runner.stop();
    await ended;
    expect(workers.every((worker) => worker.ended)).toBe(true);
    expect(runner.state.value).toMatchObject({ phase: 'stopped', what: '', errors: {} });
    const { complete, rows } = runner.results.value;
    expect(complete).toBe(false);
    expect(rows.flatMap(({ repetitions }) => repetitions)).toHaveLength(2);
    expect(problemOf(runner.results.value)).toBeUndefined();
    await settle();
    expect(workers).toHaveLength(3);
  });

  test('stop in a pause, and before the first worker', async () => {
    const { runner, next, workers } = setUpByHand();
    const first = runner.start({ ids, options });
    runner.stop();
    await first;
    expect(workers).toHaveLength(0);
    expect(runner.state.value.phase).toBe('stopped');
    const second = runner.start({ ids, options });
    await settle();
    runner.pause();
    await next();
    runner.stop();
    await second;
    expect(runner.state.value.phase).toBe('stopped');
    expect(runner.results.value.rows.flatMap(({ repetitions }) => repetitions)).toHaveLength(1);
  });

  test('a new run right after a stop is not the old one', async () => {
    const { runner, jobs, workers, next } = setUpByHand();
    const first = runner.start({ ids, options });
    await settle();
    runner.stop();
    const second = runner.start({ ids: [ids[1]], options });
    await first;
    await settle();
    expect(workers).toHaveLength(2);
    expect(jobs[1].name).toBe('b');
    for (let i = 0; i < 3; i++) await next();
    await second;
    expect(runner.state.value.phase).toBe('done');
    expect(runner.results.value.rows).toHaveLength(1);
    expect(runner.results.value.rows[0].repetitions).toHaveLength(3);
  });

  test('nor is it where the old one was stopped between two repetitions', async () => {
    const looks = [];
    const isSlowed = () => new Promise((resolve) => looks.push(() => resolve(false)));
    const { runner, jobs } = setUp({ isSlowed });
    const first = runner.start({ ids: [ids[0]], options });
    await settle();
    looks.shift()();
    await settle();
    expect(jobs).toHaveLength(1);
    runner.stop();
    const second = runner.start({ ids: [ids[1]], options });
    await settle();
    const [afterFirst, ...rest] = looks.splice(0);
    afterFirst();
    await first;
    for (const look of rest) look();
    for (let i = 0; i < 4; i++) {
      await settle();
      looks.shift()?.();
    }
    await second;
    expect(jobs.map(({ name }) => name)).toEqual(['a', 'b', 'b', 'b']);
    expect(runner.results.value.rows.map(({ repetitions }) => repetitions.length)).toEqual([3]);
  });

  test('none of them does anything where there is no run', () => {
    const { runner } = setUp();
    for (const action of ['pause', 'resume', 'stop']) runner[action]();
    expect(runner.state.value.phase).toBe('idle');
  });
});

describe('what the page was like', () => {
  test('hidden at any moment of a repetition: on that one, and told', async () => {
    const { runner, page } = setUp({
      onJob: (worker, job, jobs) => {
        if (jobs.length === 2) {
          page.show('hidden');
          page.show('visible');
        }
        worker.answer(answerTo(job));
      },
    });
    await runner.start({ ids: [ids[0]], options });
    const [{ repetitions }] = runner.results.value.rows;
    expect(repetitions.map(({ hidden }) => hidden)).toEqual([undefined, true, undefined]);
    expect(runner.state.value.flags.join()).toMatch('hidden during 1 repetition:');
    expect(page.listeners.size).toBe(0);
  });

  test('hidden from before', async () => {
    const { runner, page } = setUp();
    page.visibilityState = 'hidden';
    await runner.start({ ids: [ids[0]], options });
    const [{ repetitions }] = runner.results.value.rows;
    expect(repetitions.every(({ hidden }) => hidden)).toBe(true);
  });

  test('slowed down before or after a repetition: on that one, and told', async () => {
    const answers = [false, false, true, false];
    const { runner } = setUp({ isSlowed: async () => answers.shift() });
    await runner.start({ ids: [ids[0]], options });
    const [{ repetitions }] = runner.results.value.rows;
    expect(repetitions.map(({ throttled }) => throttled)).toEqual([undefined, true, true]);
    expect(runner.state.value.flags.join()).toMatch('around 2 repetitions');
  });

  test('not isolated, and a debug build: told from the start', async () => {
    const context = { ...environment.context, build: 'debug', isolated: false, clockStep: 1e5 };
    const { runner } = setUp({ environment: Promise.resolve({ engine: 'test 1.0', context }) });
    await runner.start({ ids: [ids[0]], options });
    const flags = runner.state.value.flags.join('\n');
    expect(flags).toMatch('A debug build');
    expect(flags).toMatch('not cross-origin isolated: its clock steps by 100 us');
    expect(setUp().runner.state.value.flags).toEqual([]);
  });
});
