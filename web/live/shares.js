/**
 * The shares that the live view shows, each by its definition. All from 0 to 1; of nothing, 0.
 */

import { fragmentation } from './page-map.js';

/** @import { Figures } from './session.js' */
/** @import { Tally } from './page-map.js' */

/** @param {number} part @param {number} whole */
const share = (part, whole) => (whole > 0 ? part / whole : 0);

/**
 * @typedef {object} Shares
 * @property {number} occupancy
 * @property {number} useful
 * @property {number} overhead
 * @property {number} fragmentation
 */

/** In words, as the page has them. @type {{ name: keyof Shares, title: string, about: string }[]} */
export const SHARES = [
  {
    name: 'occupancy',
    title: 'Occupancy',
    about: 'Bytes in cells and runs that the program holds, of the bytes in all pages in use.',
  },
  {
    name: 'useful',
    title: 'Useful',
    about:
      'Bytes that the workload asked for and holds, of the bytes in all pages ever touched, the module’s own among them.',
  },
  {
    name: 'overhead',
    title: 'Overhead',
    about:
      'Of the bytes held, those past what the workload asked for and holds: cells and pages are larger than requests, C++ has blocks of its own, and what was dropped counts until it is found.',
  },
  {
    name: 'fragmentation',
    title: 'Fragmentation',
    about:
      'Of the pages not in use, those outside of their region’s longest stretch: what one large buffer could not get.',
  },
];

/**
 * @param {Figures} figures
 * @param {Tally[]} tallies of the regions
 * @returns {Shares}
 */
export const sharesOf = ({ live, inUse, asked, touched }, tallies) => ({
  occupancy: share(live, inUse),
  useful: share(asked, touched),
  overhead: Math.max(0, share(live - asked, live)),
  fragmentation: fragmentation(tallies),
});
