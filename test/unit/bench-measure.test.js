/** The sampler with a clock of the test's own. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { analyse, verdictOf } from '../../bench/harness/analysis.js';
import { calibrate, clockStep, measure } from '../../bench/harness/measure.js';
import { randomFrom, seedOf, shuffle } from '../../bench/harness/random.js';
import { makeResults, rowOf, samplesOf } from '../../bench/harness/results.js';
import { observations, ratioOf } from '../../bench/harness/statistics.js';
import { warningsOf } from '../../bench/harness/warnings.js';
import { FakeClock } from '../support/fake-clock.js';

const ABOUT = {
  started: '2026-01-01T00:00:00.000Z',
  options: { quick: false, processes: 5, samples: 30, milliseconds: 10, seed: 1 },
  context: { cpu: 'test', cores: 1, system: 'test', build: 'release', packages: {} },
};

describe('the clock', () => {
  test('its step is measured', () => {
    expect(clockStep(new FakeClock(0.005).now)).toBeCloseTo(0.005, 9);
    expect(clockStep(new FakeClock(1).now)).toBeCloseTo(1, 9);
  });

  test('a sample takes at least 100 of its steps', async () => {
    const clock = new FakeClock(0.1);
    const durations = [];
    const { run } = clock.work(() => 1000);
    const timed = {
      run(n) {
        durations.push((n * 1000) / 1e6);
        return run(n);
      },
    };
    await measure({ slabring: timed }, { now: clock.now, milliseconds: 1, samples: 3 });
    for (const duration of durations.slice(-3)) expect(duration).toBeGreaterThanOrEqual(10);
  });
});

describe('calibration', () => {
  test('finds a count that takes as long as wanted, and not ten times that', async () => {
    const cost = fc.double({ min: 0.1, max: 1e6, noNaN: true });
    await fc.assert(
      fc.asyncProperty(cost, fc.constantFrom(1, 7, 1000), async (nanoseconds, batch) => {
        const time = async (n) => (n * nanoseconds) / 1e6;
        const n = await calibrate(time, { wanted: 10, batch });
        expect(n % batch).toBe(0);
        expect((n * nanoseconds) / 1e6).toBeGreaterThanOrEqual(10);
        const least = (batch * nanoseconds) / 1e6;
        expect((n * nanoseconds) / 1e6).toBeLessThan(Math.max(2 * least, 20));
      }),
    );
  });

  test('goes on while code is still growing faster', async () => {
    let runs = 0;
    const time = async (n) => (n * (++runs < 8 ? 1000 : 10)) / 1e6;
    const n = await calibrate(time, { wanted: 10, warmup: 100 });
    expect((n * 10) / 1e6).toBeGreaterThanOrEqual(10);
  });
});

describe('the order', () => {
  const orderOf = async (seed) => {
    const clock = new FakeClock();
    const order = [];
    const named = (name) => {
      const { run } = clock.work(() => 100);
      return {
        run(n) {
          order.push(name);
          return run(n);
        },
      };
    };
    const names = ['slabring', 'b', 'c'];
    const implementations = Object.fromEntries(names.map((name) => [name, named(name)]));
    await measure(implementations, { now: clock.now, n: 1000, samples: 20, seed });
    return order.slice(-60);
  };

  test('is that of the seed', async () => {
    expect(await orderOf(7)).toEqual(await orderOf(7));
    expect(await orderOf(7)).not.toEqual(await orderOf(8));
  });

  test('takes one sample of each, again and again, and not always in the same order', async () => {
    const order = await orderOf(7);
    const turns = Array.from({ length: 20 }, (_, i) => order.slice(3 * i, 3 * i + 3));
    for (const turn of turns) expect([...turn].sort()).toEqual(['b', 'c', 'slabring']);
    expect(new Set(turns.map(String)).size).toBeGreaterThan(3);
  });

  test('shuffling keeps all, and each comes to each place', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const sorted = (list) => [...list].sort((a, b) => a - b);
        expect(sorted(shuffle([...items], randomFrom(seed)))).toEqual(sorted(items));
      }),
    );
    const random = randomFrom(1);
    const firsts = Array.from({ length: 3000 }, () => shuffle(['a', 'b', 'c'], random)[0]);
    for (const item of 'abc') {
      const share = firsts.filter((first) => first === item).length / 3000;
      expect(Math.abs(share - 1 / 3)).toBeLessThan(0.04);
    }
  });

  test('seeds of neighbouring processes are all different', () => {
    const seeds = Array.from({ length: 10_000 }, (_, part) => seedOf(1, part));
    expect(new Set(seeds).size).toBe(10_000);
    expect(seeds).not.toContain(0);
  });
});

describe('a sample', () => {
  test('is checked each time, and a wrong one ends the run', async () => {
    const clock = new FakeClock();
    let runs = 0;
    const { run } = clock.work(() => 100);
    const wrongLater = { run: (n) => (++runs > 20 ? -run(n) : run(n)) };
    const verify = (result, n, name) => {
      if (result !== n) throw new Error(`${name}: ${result}`);
    };
    await expect(
      measure({ slabring: wrongLater }, { now: clock.now, n: 1000, verify }),
    ).rejects.toThrow('slabring: -1000');
    expect(runs).toBe(21);
  });

  test('includes the time until a promise is settled', async () => {
    const clock = new FakeClock();
    const later = {
      run: (n) =>
        Promise.resolve().then(() => {
          clock.time += n / 1000;
          return n;
        }),
    };
    const { samples } = await measure({ slabring: later }, { now: clock.now, n: 1000, samples: 5 });
    for (const sample of samples.slabring) expect(sample).toBeCloseTo(1000, 0);
  });

  test('comes after a collection of garbage, warming up does not', async () => {
    const clock = new FakeClock();
    const order = [];
    const { run } = clock.work(() => 100);
    const implementation = {
      run(n) {
        order.push('run');
        return run(n);
      },
    };
    const options = { now: clock.now, n: 1000, samples: 3, gc: () => order.push('gc') };
    const { gc } = await measure({ slabring: implementation }, options);
    expect(gc).toBe(true);
    expect(order.slice(-6)).toEqual(['gc', 'run', 'gc', 'run', 'gc', 'run']);
    expect(order.slice(0, -6)).not.toContain('gc');
    const without = await measure({ slabring: implementation }, { ...options, gc: undefined });
    expect(without.gc).toBe(false);
  });

  test('all are kept, those far off too', async () => {
    const clock = new FakeClock();
    let runs = 0;
    const spiky = clock.work(() => (++runs % 10 === 0 ? 1e6 : 100));
    const { samples } = await measure(
      { slabring: spiky },
      { now: clock.now, n: 1000, samples: 30 },
    );
    expect(samples.slabring).toHaveLength(30);
    expect(samples.slabring.filter((sample) => sample > 9e5)).toHaveLength(3);
  });
});

/**
 * A run on a machine where each process has a speed of its own, each implementation some luck in it,
 * and each sample noise, now and then much.
 * @param {(name: string) => number} costOf
 */
async function simulated(seed, costOf) {
  const random = randomFrom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const results = makeResults(structuredClone(ABOUT));
  results.engines.fake = { flags: [] };
  const row = rowOf(results, { id: 'control', case: 'control', parameters: {}, engine: 'fake' });
  for (let process = 0; process < 5; process++) {
    const clock = new FakeClock();
    const machine = Math.exp(0.1 * normal());
    const implementation = (name) => {
      const luck = machine * Math.exp(0.02 * normal());
      const noise = () => Math.exp(0.05 * normal()) * (random() < 0.03 ? 3 : 1);
      return clock.work(() => costOf(name) * luck * noise());
    };
    const names = ['slabring', 'slabring again'];
    const { samples: ns, ...rest } = await measure(
      Object.fromEntries(names.map((name) => [name, implementation(name)])),
      { now: clock.now, milliseconds: 0.1, warmup: 0, seed: seedOf(seed, process) },
    );
    row.repetitions.push({ seed, metrics: { ns }, ...rest });
  }
  return results;
}

const verdictIn = ({ rows: [row] }) => {
  const [ours, theirs] = Object.values(samplesOf(row).ns).map(observations);
  return verdictOf(ratioOf(ours, theirs, { paired: true }), 'ns');
};

describe('verdicts of whole runs', () => {
  test('the same code measured twice: no difference shown in 95 of 100 runs, or more', async () => {
    let same = 0;
    for (let run = 1; run <= 200; run++) {
      const verdict = verdictIn(await simulated(run, () => 100));
      if (verdict === 'no difference shown') same++;
    }
    expect(same / 200).toBeGreaterThanOrEqual(0.95);
    // And not because the interval holds everything.
    let different = 0;
    for (let run = 1; run <= 40; run++) {
      const results = await simulated(run, (name) => (name === 'slabring' ? 100 : 115));
      if (/as fast/.test(verdictIn(results))) different++;
    }
    expect(different / 40).toBeGreaterThanOrEqual(0.9);
  }, 60_000);

  test('a control that differs is told', async () => {
    const warnings = (results) => warningsOf(results, analyse(results)).join();
    expect(warnings(await simulated(3, () => 100))).not.toMatch(/not a quiet machine/);
    const differing = await simulated(3, (name) => (name === 'slabring' ? 100 : 150));
    expect(warnings(differing)).toMatch(/not a quiet machine/);
  });
});
