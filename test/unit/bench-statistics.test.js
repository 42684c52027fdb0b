/** The statistics against answers published elsewhere, and against what they promise. */

import { describe, expect, test } from '@jest/globals';
import ttest from '@stdlib/stats-ttest';
import welch from '@stdlib/stats-ttest2';
import fc from 'fast-check';
import { randomFrom } from '../../bench/harness/random.js';
import {
  differenceInterval,
  excludesOne,
  holm,
  isNoisy,
  medianInterval,
  observations,
  rankSumP,
  ratioOf,
  welchP,
} from '../../bench/harness/statistics.js';
import { farther, meanTest, welchTest, within } from '../../bench/harness/student.js';

// R's data set `sleep`: hours of sleep gained by ten patients with each of two drugs.
const DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
const DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

describe("R's t.test(extra ~ group, data = sleep)", () => {
  test('p = 0.07939', () => {
    expect(welchP(DRUG_1, DRUG_2)).toBeCloseTo(0.07939, 5);
  });

  test('95 percent confidence interval -3.3654832 0.2054832', () => {
    const [low, high] = differenceInterval(DRUG_1, DRUG_2, 0.95);
    expect(low).toBeCloseTo(-3.3654832, 7);
    expect(high).toBeCloseTo(0.2054832, 7);
  });

  test('paired: mean -1.58, interval -2.4598858 -0.7001142', () => {
    const exp = (values) => values.map(Math.exp);
    const ratio = ratioOf(exp(DRUG_2), exp(DRUG_1), { paired: true, confidence: 0.95 });
    expect(Math.log(ratio.value)).toBeCloseTo(-1.58, 10);
    expect(Math.log(ratio.interval[0])).toBeCloseTo(-2.4598858, 7);
    expect(Math.log(ratio.interval[1])).toBeCloseTo(-0.7001142, 7);
  });

  test('t.test(1:10, y = c(7:20)): p = 1.855e-05; with 200 among them 0.1245', () => {
    const x = Array.from({ length: 10 }, (_, i) => i + 1);
    const y = Array.from({ length: 14 }, (_, i) => i + 7);
    expect(welchP(x, y)).toBeCloseTo(1.855e-5, 8);
    expect(welchP(x, [...y, 200])).toBeCloseTo(0.1245, 4);
  });
});

describe("Student's t", () => {
  // Two-sided, as tabled.
  test.each([
    [1, 0.95, 12.7062],
    [4, 0.99, 4.604095],
    [10, 0.999, 4.586894],
    [120, 0.95, 1.97993],
  ])('%p degrees of freedom: %p of all within %p', (freedom, confidence, t) => {
    expect(within(confidence, freedom)).toBeCloseTo(t, 4);
    expect(farther(t, freedom)).toBeCloseTo(1 - confidence, 6);
  });

  test('0 is the nearest, infinity the farthest', () => {
    expect(farther(0, 3)).toBe(1);
    expect(farther(Infinity, 3)).toBe(0);
    // Of one degree it is Cauchy's distribution.
    expect(farther(1, 1)).toBeCloseTo(0.5, 14);
  });

  const samples = fc
    .array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 12 })
    .filter((values) => Math.max(...values) - Math.min(...values) > 1e-3);
  const confidences = fc.constantFrom(0.5, 0.95, 0.99, 0.999);

  /** Equal but for rounding. */
  const expectSame = (ours, theirs) => {
    expect(ours.p).toBeCloseTo(theirs.pValue, 8);
    const scale = Math.max(...theirs.ci.map(Math.abs));
    ours.ci.forEach((end, i) => {
      expect(Math.abs(end - theirs.ci[i])).toBeLessThan(1e-6 * scale);
    });
  };

  test('both tests answer as those of @stdlib', () => {
    fc.assert(
      fc.property(samples, samples, confidences, (a, b, confidence) => {
        const alpha = 1 - confidence;
        const two = welchTest(a, b);
        expectSame(
          { p: two.p, ci: two.interval(confidence) },
          welch(a, b, { variance: 'unequal', alpha }),
        );
        const one = meanTest(a);
        expectSame({ p: one.p, ci: one.interval(confidence) }, ttest(a, { alpha }));
      }),
    );
  });
});

describe('the exact rank-sum test', () => {
  // Two-sided probabilities of U = 0, 1, 2, 3 for five against five, as tabled.
  test.each([
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252],
    [[1, 2, 3, 4, 6], [5, 7, 8, 9, 10], 4 / 252],
    [[1, 2, 3, 4, 7], [5, 6, 8, 9, 10], 8 / 252],
    [[1, 2, 3, 4, 8], [5, 6, 7, 9, 10], 14 / 252],
    [[1, 2, 3], [4, 5, 6], 0.1],
    [[1, 2, 3, 4], [5, 6, 7, 8], 2 / 70],
  ])('%j %j', (a, b, p) => {
    expect(rankSumP(a, b)).toBeCloseTo(p, 12);
    expect(rankSumP(b, a)).toBeCloseTo(p, 12);
  });

  test("R's wilcox.test example: W = 35, one-sided 0.1272", () => {
    const x = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    const y = [1.15, 0.88, 0.9, 0.74, 1.21];
    expect(rankSumP(x, y)).toBeCloseTo(2 * 0.1272, 3);
  });

  test('of many processes the normal distribution says the same, nearly', () => {
    const random = randomFrom(11);
    for (const shift of [0, 0.1, 0.2, 0.4]) {
      const draw = (n, by) => Array.from({ length: n }, () => Math.round((random() + by) * 50));
      const [a, b] = [draw(20, 0), draw(20, shift)];
      const exact = rankSumP(a, b);
      // One process more, in the middle of all.
      const near = rankSumP([...a, 25 + 25 * shift], b);
      expect(Math.abs(near - exact)).toBeLessThan(0.06);
    }
    const far = Array.from({ length: 1000 }, (_, i) => i);
    expect(rankSumP(far, far)).toBe(1);
    expect(
      rankSumP(
        far,
        far.map((value) => value + 1000),
      ),
    ).toBeLessThan(1e-100);
  });

  test('equal values share their rank: nothing but ties is no difference', () => {
    expect(rankSumP([1, 1, 1], [1, 1, 1])).toBe(1);
  });
});

describe('the bootstrap of the median', () => {
  test('of a normal distribution: as wide as theory says', () => {
    // The standard error of a median is 1.2533 sd / sqrt(n).
    const random = randomFrom(5);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const processes = Array.from({ length: 400 }, () => [100 + normal()]);
    const [low, high] = medianInterval(processes, { seed: 3 });
    const width = 2 * 1.96 * (1.2533 / Math.sqrt(400));
    expect((high - low) / width).toBeGreaterThan(0.7);
    expect((high - low) / width).toBeLessThan(1.4);
    expect(low).toBeLessThan(100.1);
    expect(high).toBeGreaterThan(99.9);
  });

  test('of five equal processes: no width; the same seed gives the same', () => {
    expect(medianInterval([[7, 7], [7], [7], [7], [7]])).toEqual([7, 7]);
    const processes = [[1, 2, 3], [2, 3, 9], [4], [5, 5], [6, 1]];
    expect(medianInterval(processes, { seed: 9 })).toEqual(medianInterval(processes, { seed: 9 }));
  });

  test('five processes: what was seen at the least and at the most', () => {
    const processes = [[10], [11], [12], [13], [14]];
    const [low, high] = medianInterval(processes);
    expect(low).toBeGreaterThanOrEqual(10);
    expect(low).toBeLessThan(12);
    expect(high).toBeLessThanOrEqual(14);
    expect(high).toBeGreaterThan(12);
  });
});

describe('ratios', () => {
  test('the same factor in each process has no width, whatever the processes differ', () => {
    const { value, interval } = ratioOf([1, 20, 300], [2, 40, 600], { paired: true });
    expect(value).toBeCloseTo(2, 12);
    expect(interval[0]).toBeCloseTo(2, 12);
    expect(interval[1]).toBeCloseTo(2, 12);
    const unpaired = ratioOf([1, 20, 300], [2, 40, 600], { paired: false });
    expect(excludesOne(unpaired.interval)).toBe(false);
  });

  test('with one process there is no interval, and so no difference', () => {
    const { value, interval } = ratioOf([10], [30], { paired: true });
    expect(value).toBeCloseTo(3, 12);
    expect(interval).toBeUndefined();
    expect(excludesOne(interval)).toBe(false);
  });

  test('none of what may be zero or less, as resident memory', () => {
    expect(ratioOf([0, 1], [1, 2], { paired: false })).toBeUndefined();
    expect(ratioOf([1, 2], [-1, 2], { paired: false })).toBeUndefined();
  });

  test('swapping the sides inverts ratio and interval', () => {
    const sides = fc.integer({ min: 2, max: 8 }).chain((n) =>
      fc.tuple(
        ...[0, 1].map(() =>
          fc.array(fc.double({ min: 0.1, max: 1e6, noNaN: true }), {
            minLength: n,
            maxLength: n,
          }),
        ),
      ),
    );
    fc.assert(
      fc.property(sides, fc.boolean(), ([a, b], paired) => {
        const one = ratioOf(a, b, { paired });
        const other = ratioOf(b, a, { paired });
        expect(Math.log(one.value) + Math.log(other.value)).toBeCloseTo(0, 6);
        const [low, high] = one.interval.map(Math.log);
        expect(low).toBeLessThanOrEqual(Math.log(one.value) + 1e-9);
        expect(high).toBeGreaterThanOrEqual(Math.log(one.value) - 1e-9);
        if (Number.isFinite(high)) expect(-Math.log(other.interval[0])).toBeCloseTo(high, 4);
      }),
    );
  });
});

describe("Holm's correction", () => {
  test('the example of his method', () => {
    const corrected = holm([0.01, 0.04, 0.03, 0.005]);
    [0.03, 0.06, 0.06, 0.02].forEach((p, i) => {
      expect(corrected[i]).toBeCloseTo(p, 12);
    });
  });

  test('never less than p or more than Bonferroni or 1, and in the same order', () => {
    const p = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(p), (ps) => {
        const corrected = holm(ps);
        ps.forEach((before, i) => {
          expect(corrected[i]).toBeGreaterThanOrEqual(before);
          expect(corrected[i]).toBeLessThanOrEqual(Math.min(1, ps.length * before) + 1e-12);
          ps.forEach((other, j) => {
            if (other < before) expect(corrected[j]).toBeLessThanOrEqual(corrected[i]);
          });
        });
      }),
    );
  });
});

test('a process is one observation: the median of its samples, none dropped', () => {
  expect(
    observations([
      [1, 2, 1000],
      [4, 6],
    ]),
  ).toEqual([2, 5]);
});

test('noisy is more than 5 % between processes', () => {
  expect(isNoisy([100, 104, 96, 102, 98])).toBe(false);
  expect(isNoisy([100, 112, 96, 102, 90])).toBe(true);
  expect(isNoisy([100])).toBe(false);
});
