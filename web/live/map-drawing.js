/** The picture of a map of pages: where each of them is, and in which colour. */

import { FREE, OWN, REST, RUN, SLAB, UNTOUCHED } from './page-map.js';

/** @import { Snapshot } from './session.js' */

/** Pixels from page to page, and between regions; a region's name is above it. */
const PITCH = 10;
const GAP = 14;
const NAME = 16;
/** Pages in a row of a region: 2 MiB. */
const ACROSS = 32;

/** What is told apart by colour. Slabs are told apart by their cells, in groups. */
export const COLOURS = /** @type {const} */ ([
  'own',
  'untouched',
  'free',
  'run',
  'slab-0',
  'slab-1',
  'slab-2',
  'slab-3',
  'slab-4',
]);

/** The largest cell of each group but the last, bytes. */
export const GROUPS = [64, 256, 1024, 4096];

/** @param {number} cellSize */
export function groupOf(cellSize) {
  const group = GROUPS.findIndex((most) => cellSize <= most);
  return group < 0 ? GROUPS.length : group;
}

/**
 * @typedef {object} Block of a region's pages
 * @property {number} from first page, of all
 * @property {number} pages
 * @property {number} x
 * @property {number} y of its pages
 * @property {number} across
 */

/**
 * Regions beside each other as far as the width goes, in their order.
 * @param {Uint32Array} regionPages
 * @param {number} width
 * @returns {{ blocks: Block[], height: number }}
 */
export function layout(regionPages, width) {
  const across = Math.max(8, Math.min(ACROSS, Math.floor(width / PITCH)));
  const step = across * PITCH + GAP;
  const beside = Math.max(1, Math.floor((width + GAP) / step));
  /** @type {Block[]} */
  const blocks = [];
  let from = 0;
  let y = NAME;
  let tallest = 0;
  for (const [i, pages] of regionPages.entries()) {
    if (i > 0 && i % beside === 0) {
      y += tallest + GAP / 2 + NAME;
      tallest = 0;
    }
    blocks.push({ from, pages, x: (i % beside) * step, y, across });
    tallest = Math.max(tallest, Math.ceil(pages / across) * PITCH);
    from += pages;
  }
  return { blocks, height: y + tallest };
}

/**
 * The page at a place, or -1.
 * @param {Block[]} blocks
 * @param {number} x
 * @param {number} y
 */
export function pageAt(blocks, x, y) {
  for (const block of blocks) {
    const column = Math.floor((x - block.x) / PITCH);
    const row = Math.floor((y - block.y) / PITCH);
    if (column < 0 || column >= block.across || row < 0) continue;
    const index = row * block.across + column;
    if (index < block.pages) return block.from + index;
  }
  return -1;
}

/**
 * @param {CanvasRenderingContext2D} canvas scaled to pixels of the page, cleared
 * @param {Snapshot} snapshot
 * @param {Block[]} blocks
 * @param {Record<string, string>} colours by name; `text` and `mark`, too
 * @param {number} marked page, or -1
 */
export function draw(canvas, { map, classes }, blocks, colours, marked) {
  const { kinds, used } = map;
  const side = PITCH - 1;
  canvas.font = '11px system-ui, sans-serif';
  for (const [i, { from, pages, x, y, across }] of blocks.entries()) {
    canvas.fillStyle = colours.text;
    canvas.fillText(i === 0 ? 'region 1, home' : `region ${i + 1}`, x, y - 4);
    for (let page = 0; page < pages; page++) {
      const left = x + (page % across) * PITCH;
      const top = y + Math.floor(page / across) * PITCH;
      const kind = kinds[from + page];
      switch (kind) {
        case UNTOUCHED:
          canvas.strokeStyle = colours.untouched;
          canvas.strokeRect(left + 0.5, top + 0.5, side - 1, side - 1);
          break;
        case OWN:
        case FREE:
          canvas.fillStyle = kind === OWN ? colours.own : colours.free;
          canvas.fillRect(left, top, side, side);
          break;
        case RUN:
        case REST: {
          // Pages of one block touch.
          const joined = kinds[from + page + 1] === REST && (page + 1) % across !== 0;
          canvas.fillStyle = colours.run;
          canvas.fillRect(left, top, joined ? PITCH : side, side);
          break;
        }
        default: {
          const cellSize = classes[(kind - SLAB) * 3];
          const share = used[from + page] / Math.floor(65536 / cellSize);
          // A little is seen, and whatever is free is, too.
          const height =
            share === 0 ? 0 : share === 1 ? side : Math.min(side - 1, Math.ceil(share * side));
          canvas.fillStyle = colours[`slab-${groupOf(cellSize)}`];
          canvas.globalAlpha = 0.3;
          canvas.fillRect(left, top, side, side - height);
          canvas.globalAlpha = 1;
          canvas.fillRect(left, top + side - height, side, height);
        }
      }
      if (from + page === marked) {
        canvas.strokeStyle = colours.mark;
        canvas.lineWidth = 2;
        canvas.strokeRect(left, top, side, side);
        canvas.lineWidth = 1;
      }
    }
  }
}

/**
 * What a page is, in words.
 * @param {Snapshot} snapshot
 * @param {number} page of all
 */
export function describe({ map, classes, regionPages }, page) {
  let region = 0;
  let index = page;
  while (region < regionPages.length - 1 && index >= regionPages[region]) {
    index -= regionPages[region++];
  }
  const kind = map.kinds[page];
  return `Region ${region + 1}, page ${index}: ${inWords(kind, map.used[page], classes)}`;
}

/**
 * @param {number} kind
 * @param {number} used
 * @param {Uint32Array} classes
 */
function inWords(kind, used, classes) {
  if (kind === OWN) return 'the module’s own';
  if (kind === UNTOUCHED) return 'never touched, known to be zero';
  if (kind === FREE) return 'free, used before';
  if (kind === RUN) return 'the first of a block of whole pages';
  if (kind === REST) return 'goes on with the block of the page before';
  const cellSize = classes[(kind - SLAB) * 3];
  const cells = Math.floor(65536 / cellSize);
  return `a slab of cells of ${cellSize.toLocaleString('en')} bytes, ${used.toLocaleString('en')} of ${cells.toLocaleString('en')} handed out`;
}
