/** What a page can run, where it runs, and whether it is slowed down. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { engineOf, systemOf } from '../../web/run/engine.js';
import { makeProbe } from '../../web/run/probe.js';
import { catalogueOf, QUICK_IDS } from '../../web/run/variants.js';

const folder = new URL('../../bench/cases/', import.meta.url);
const cases = [];
// One after the other: Jest's modules cannot be linked at the same time.
for (const file of readdirSync(folder)) {
  cases.push((await import(new URL(file, folder).href)).default);
}

describe('the catalogue', () => {
  const { variants, quickIds } = catalogueOf(cases);
  const named = (name) => variants.filter(({ caseName }) => caseName === name);

  test('has every case but those of Node, and those that are measured elsewhere', () => {
    const names = new Set(variants.map(({ caseName }) => caseName));
    for (const { name, host, elsewhere } of cases) {
      expect([name, names.has(name)]).toEqual([name, host !== 'node' && !elsewhere]);
    }
    expect(names).toContain('zeroed-blocks');
    expect(names).toContain('start-up');
    expect(names).toContain('streams-page');
  });

  test('has each variant once, in a group', () => {
    expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
    expect(variants.filter(({ group }) => group === 'other')).toEqual([]);
  });

  test('leaves out what needs flags of the engine, and what a page has not', () => {
    expect(named('live').map(({ id }) => id)).toEqual(['live kind=pointers']);
    for (const { parts } of named('zeroed-blocks')) {
      expect(parts).toEqual(['slabring', 'before: filled with 0', 'new Uint8Array']);
    }
  });

  test('has all five seeds and the main rivals in its quick set', () => {
    const quick = variants.filter(({ quick }) => quick);
    expect(quick.map(({ id }) => id).sort()).toEqual([...quickIds].sort());
    expect(quickIds).toBe(QUICK_IDS);
    const seeds = new Set(quick.map(({ seed }) => seed));
    for (const seed of [8302, 21989, 26301, 18290, 18617]) expect(seeds).toContain(seed);
  });

  test('a quick set of what there is not is refused', () => {
    expect(() => catalogueOf(cases.filter(({ name }) => name !== 'views'))).toThrow(
      'the quick set has "views size=10", and no case has it',
    );
  });
});

describe('the engine by what a browser says', () => {
  const linux = 'Mozilla/5.0 (X11; Linux x86_64';
  test.each([
    [`${linux}; rv:153.0) Gecko/20100101 Firefox/153.0`, 'firefox 153.0', 'X11; Linux x86_64'],
    [
      `${linux}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36`,
      'chromium 156.0',
      'X11; Linux x86_64',
    ],
    [
      `${linux}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`,
      'webkit 26.1',
      'X11; Linux x86_64',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      'webkit 605.1',
      'iPhone; CPU iPhone OS 19_0 like Mac OS X',
    ],
    ['something else', 'unknown', 'unknown'],
    ['', 'unknown', 'unknown'],
  ])('%s', (userAgent, engine, system) => {
    expect(engineOf(userAgent)).toBe(engine);
    expect(systemOf(userAgent)).toBe(system);
  });

  test('Chromium is asked, where it can be', () => {
    const data = {
      fullVersionList: [
        { brand: 'Not;A=Brand', version: '8.0.0.0' },
        { brand: 'Chromium', version: '156.0.7444.59' },
      ],
      platform: 'Linux',
      platformVersion: '6.18.0',
      architecture: 'x86',
    };
    expect(engineOf('Mozilla/5.0 Chrome/100.0.0.0', data)).toBe('chromium 156.0');
    expect(systemOf('', data)).toBe('Linux 6.18.0 x86');
  });
});

describe('whether the page is slowed down', () => {
  /** A machine whose timers are late by so much, and whose work takes so many times as long. */
  function makeMachine() {
    const machine = { time: 0, late: 1, factor: 1 };
    const isSlowed = makeProbe({
      now: () => {
        machine.time += 0.001;
        return machine.time;
      },
      sleep: async (milliseconds) => {
        machine.time += milliseconds + machine.late;
      },
      work: (count) => {
        machine.time += count * 1e-6 * machine.factor;
      },
    });
    return { machine, isSlowed };
  }

  test('a machine as it was is not', async () => {
    const { machine, isSlowed } = makeMachine();
    expect(await isSlowed()).toBe(false);
    machine.factor = 1.4;
    machine.late = 29;
    expect(await isSlowed()).toBe(false);
  });

  test('late timers, or longer work, while it lasts', async () => {
    const { machine, isSlowed } = makeMachine();
    await isSlowed();
    machine.late = 1000;
    expect(await isSlowed()).toBe(true);
    machine.late = 1;
    expect(await isSlowed()).toBe(false);
    machine.factor = 1.7;
    expect(await isSlowed()).toBe(true);
    machine.factor = 1;
    expect(await isSlowed()).toBe(false);
  });

  test('a processor that was slow at first is known once it is quicker', async () => {
    const { machine, isSlowed } = makeMachine();
    machine.factor = 2;
    expect(await isSlowed()).toBe(false);
    machine.factor = 1;
    expect(await isSlowed()).toBe(false);
    machine.factor = 2;
    expect(await isSlowed()).toBe(true);
  });
});

test('the page needs no styles or scripts in its text: the strict policy', () => {
  const html = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf8');
  expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=|https?:\/\//);
});
