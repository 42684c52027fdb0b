/**
 * What every page of a region is used for, as web/live/live.cpp tells it: run by run, into arrays
 * with an entry a page.
 *
 *   kinds   OWN OWN SLAB+3 RUN REST REST FREE FREE UNTOUCHED ...
 *   used     0   0   117    0   0    0    0    0       0           cells of a slab handed out
 */

/** The module's own data and what it notes of the pages; first of all. */
export const OWN = 0;
/** Never handed out: known to be zero, and no memory. */
export const UNTOUCHED = 1;
/** Handed out before. */
export const FREE = 2;
/** The first page of a block of whole pages, and the others. */
export const RUN = 3;
export const REST = 4;
/** And the size class: a page of cells. */
export const SLAB = 5;

// As in live.cpp.
const KIND_MASK = 3;
const KIND_BITS = 2;
const CLASS_MASK = 63;
const CLASS_BITS = 6;
const [OF_FREE, OF_RUN, OF_SLAB] = [1, 2, 3];

/**
 * @typedef {object} PageMap
 * @property {Uint8Array} kinds
 * @property {Uint16Array} used
 *
 * @typedef {object} PageSource what a region's instance exports
 * @property {() => number} live_page_count
 * @property {(page: number) => number} live_pages_at
 */

/** @param {number} pages @returns {PageMap} */
export const makePageMap = (pages) => ({
  kinds: new Uint8Array(pages),
  used: new Uint16Array(pages),
});

/**
 * Writes a region into a map.
 * @param {PageSource} region
 * @param {PageMap} map
 * @param {number} from where the region begins in it
 * @param {number} pages of the region, its own ones among them
 */
export function readPages(region, { kinds, used }, from, pages) {
  const first = from + pages - region.live_page_count();
  const end = from + pages;
  kinds.fill(OWN, from, first);
  used.fill(0, from, end);
  for (let at = first; at < end; ) {
    const word = region.live_pages_at(at - first) >>> 0;
    const kind = word & KIND_MASK;
    if (kind === OF_SLAB) {
      kinds[at] = SLAB + ((word >>> KIND_BITS) & CLASS_MASK);
      used[at] = word >>> (KIND_BITS + CLASS_BITS);
      at++;
      continue;
    }
    const count = word >>> KIND_BITS;
    // A run of no page, or past the end, would never end.
    if (count === 0 || count > end - at) throw new RangeError(`a run of ${count} pages at ${at}`);
    kinds.fill(kind === OF_FREE ? FREE : kind === OF_RUN ? REST : UNTOUCHED, at, at + count);
    if (kind === OF_RUN) kinds[at] = RUN;
    at += count;
  }
}

/**
 * @typedef {object} Tally of a region, in pages where not said otherwise
 * @property {number} pages
 * @property {number} own
 * @property {number} untouched
 * @property {number} free
 * @property {number} runs blocks
 * @property {number} inRuns
 * @property {number} slabs
 * @property {number} cells handed out, of all slabs
 * @property {number} longest run of pages that are free or untouched
 */

/**
 * Counts what a map says of a region.
 * @param {PageMap} map
 * @param {number} from
 * @param {number} pages
 * @returns {Tally}
 */
export function tally({ kinds, used }, from, pages) {
  const count = [0, 0, 0, 0, 0, 0];
  let cells = 0;
  let longest = 0;
  let stretch = 0;
  for (let at = from; at < from + pages; at++) {
    const kind = Math.min(kinds[at], SLAB);
    count[kind]++;
    cells += used[at];
    stretch = kind === FREE || kind === UNTOUCHED ? stretch + 1 : 0;
    if (stretch > longest) longest = stretch;
  }
  return {
    pages,
    own: count[OWN],
    untouched: count[UNTOUCHED],
    free: count[FREE],
    runs: count[RUN],
    inRuns: count[RUN] + count[REST],
    slabs: count[SLAB],
    cells,
    longest,
  };
}

/**
 * The share of the pages that are there to be had which one large block could not get: how far they
 * are scattered, within their regions. 0: each region's are all in one piece; or there are none.
 * @param {Tally[]} tallies
 */
export function fragmentation(tallies) {
  let available = 0;
  let longest = 0;
  for (const region of tallies) {
    available += region.free + region.untouched;
    longest += region.longest;
  }
  return available === 0 ? 0 : 1 - longest / available;
}
