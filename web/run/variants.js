/** What a page can run, made when the page is built: it cannot look into folders. */

import { variantsOf } from '../../bench/harness/case.js';
import { groupOf, seedOfCase } from '../model/groups.js';

/** @import { Case, Parameters } from '../../bench/harness/case.js' */

/**
 * @typedef {object} PageVariant
 * @property {string} id
 * @property {string} caseName
 * @property {string} about
 * @property {string} group the key of one
 * @property {number} [seed] the change to Node that it is about
 * @property {Parameters} parameters
 * @property {string[]} parts
 * @property {number} longer samples last so many times as long
 * @property {boolean} quick whether it is part of the quick set
 *
 * @typedef {object} Catalogue
 * @property {PageVariant[]} variants
 * @property {string[]} quickIds
 */

/** Each technique beside the one before it, and the rivals that most would take instead. */
export const QUICK_IDS = [
  'views size=10',
  'zeroed-blocks size=100000000 use=kept',
  'contents size=64',
  'arena-alloc size=24',
  'async-ids',
  'ticks shape=depth',
  'ticks shape=breadth',
  'buffer-creation operation=alloc size=10 end=freed',
  'buffer-creation operation=alloc size=1024 end=freed',
  'buffer-creation operation=allocUnsafe size=10 end=freed',
  'control work=buffers',
];

/**
 * @param {Case[]} cases
 * @returns {Catalogue}
 */
export function catalogueOf(cases) {
  const variants = cases.flatMap((benchmark) =>
    variantsOf(benchmark, { host: 'page' })
      // Nobody can give a page's engine flags.
      .filter(({ parameters }) => !benchmark.flags?.(parameters).length)
      .map(({ id, parameters, parts }) => ({
        id,
        caseName: benchmark.name,
        about: benchmark.about,
        group: groupOf(benchmark.name).key,
        seed: seedOfCase(benchmark.name),
        parameters,
        parts,
        longer: benchmark.longer?.(parameters) ?? 1,
        quick: QUICK_IDS.includes(id),
      })),
  );
  const missing = QUICK_IDS.find((id) => !variants.some((variant) => variant.id === id));
  if (missing !== undefined) throw new Error(`the quick set has "${missing}", and no case has it`);
  return { variants, quickIds: QUICK_IDS };
}
