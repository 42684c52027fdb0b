/** The settings of this page: a change is in its address at once. */

import { effect, signal } from '@preact/signals';
import { isChosen } from '../../bench/harness/case.js';
import { catalogue } from '../run/catalogue.js';
import { optionsOf, searchOf, settingsFrom } from './address.js';

/** @import { Signal } from '@preact/signals' */
/** @import { Options } from '../../bench/harness/results.js' */
/** @import { Settings } from './address.js' */

const ids = new Set(catalogue.variants.map(({ id }) => id));
const read = settingsFrom(location.search, (id) => ids.has(id));

/** @type {Signal<Settings>} */
export const settings = signal(read.settings);

/** What of the address was of no use, in words. */
export const problems = read.problems;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
// The first run of the effect is no change: whoever came by an address keeps it.
let shown = searchOf(read.settings);
effect(() => {
  const search = searchOf(settings.value);
  if (search === shown) return;
  shown = search;
  // Browsers refuse when it comes too often, as from a slider: the last one counts.
  clearTimeout(timer);
  timer = setTimeout(() => {
    history.replaceState(history.state, '', `${location.pathname}${search}${location.hash}`);
  }, 100);
});

/** @param {Settings} value @returns {string[]} ids of the variants that a run would measure */
export function idsOf({ cases, sizes }) {
  const named = new Set(cases === 'quick' ? catalogue.quickIds : cases);
  return catalogue.variants
    .filter((variant) => (cases === 'all' || named.has(variant.id)) && isChosen(variant, { sizes }))
    .map(({ id }) => id);
}

/**
 * What the runner is started with. The seed stays in the address: the link does it again.
 * @returns {{ ids: string[], options: Options }}
 */
export function chosenRun() {
  const options = optionsOf(settings.value, 1 + Math.floor(Math.random() * 1e6));
  settings.value = { ...settings.value, seed: options.seed };
  return { ids: idsOf(settings.value), options };
}
