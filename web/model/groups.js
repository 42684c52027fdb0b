/** How cases, rivals and seeds are ordered for readers. */

/** @import { Finding } from '../../bench/harness/analysis.js' */

/**
 * @typedef {object} Group
 * @property {string} key
 * @property {string} title
 * @property {string[]} cases in this order
 */

/** @type {Group[]} */
export const GROUPS = [
  {
    key: 'buffers',
    title: 'Buffers',
    cases: ['buffer-creation', 'buffers-browser', 'views', 'churn', 'live'],
  },
  { key: 'zeroing', title: 'Zeroing', cases: ['zeroed-blocks'] },
  {
    key: 'arenas',
    title: 'Arenas and allocators',
    cases: [
      'arena-alloc',
      'arena-vec3',
      'contents',
      'pointers',
      'pointers-growth',
      'pointers-mixed-hour',
    ],
  },
  { key: 'async-ids', title: 'Async ids', cases: ['async-ids', 'async-variable'] },
  {
    key: 'ticks',
    title: 'Ticks',
    cases: ['ticks', 'ticks-queue', 'ticks-burst', 'ticks-host-context'],
  },
  { key: 'streams', title: 'Streams', cases: ['streams', 'streams-page', 'streams-browser'] },
  { key: 'start-up', title: 'Start-up', cases: ['start-up'] },
  { key: 'control', title: 'Control', cases: ['control'] },
];

/** Of cases that this page does not know: a file may come from another version. */
export const OTHER = { key: 'other', title: 'Other', cases: [] };

const groupsByCase = new Map(GROUPS.flatMap((group) => group.cases.map((name) => [name, group])));

/** @param {string} caseName @returns {Group} */
export const groupOf = (caseName) => groupsByCase.get(caseName) ?? OTHER;

/** The case of an id such as `views size=10`. @param {string} id */
export const caseOf = (id) => id.split(' ', 1)[0];

/**
 * The changes to Node that began each technique, and where it is measured alone. The headline comes
 * first.
 * @type {{ number: number, cases: string[] }[]}
 */
export const SEEDS = [
  { number: 8302, cases: ['views'] },
  { number: 21989, cases: ['zeroed-blocks'] },
  { number: 26301, cases: ['contents', 'arena-alloc'] },
  { number: 18290, cases: ['async-ids'] },
  { number: 18617, cases: ['ticks'] },
];

/** @param {string} caseName @returns {number | undefined} */
export const seedOfCase = (caseName) => SEEDS.find(({ cases }) => cases.includes(caseName))?.number;

/** @typedef {'before' | 'builtin' | 'library' | 'control'} Kind of a rival */

/** What comes with Node or the engine. */
const BUILT_IN = new Set([
  'Buffer',
  'new Uint8Array',
  'new Float64Array',
  'process.nextTick',
  'queueMicrotask',
  'AsyncLocalStorage',
  'setImmediate',
  'MessageChannel',
]);

/** @param {string} name of an implementation @returns {Kind} */
export function kindOf(name) {
  if (name.startsWith('before')) return 'before';
  if (name.startsWith('slabring')) return 'control';
  return BUILT_IN.has(name) ? 'builtin' : 'library';
}

/** @type {Record<Kind, string>} */
export const KINDS = {
  builtin: 'built-ins',
  before: 'technique before',
  library: 'libraries',
  control: 'itself',
};

const ORDER = /** @type {Kind[]} */ (['before', 'builtin', 'library', 'control']);

/** The one rival to be shown where there is room for one. @param {Finding[]} rivals of one row */
export const principal = (rivals) =>
  rivals.toSorted((a, b) => ORDER.indexOf(kindOf(a.name)) - ORDER.indexOf(kindOf(b.name)))[0];

/** Whether less of it is quicker. @param {string} metric */
export const isTime = (metric) => /^(ns|ms)\b/.test(metric);

/** Digits in threes, where there are many. @param {string} text */
const grouped = (text) =>
  text.replace(/\b\d{5,}\b/g, (digits) => Number(digits).toLocaleString('en'));

/** @type {[bytes: number, name: string][]} */
const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
];

/** Whole millions of bytes are read at a glance. @param {string} part of a variant's name */
const inUnits = (part) =>
  part.replace(/^size=(\d+)$/, (same, digits) => {
    const bytes = Number(digits);
    const unit = UNITS.find(([least]) => bytes >= least && bytes % least === 0);
    return unit ? `${bytes / unit[0]} ${unit[1]}` : same;
  });

/**
 * A variant's parameters, in as few words as tell it from its neighbours.
 * @param {string} id
 */
export const labelOf = (id) =>
  id
    .slice(caseOf(id).length + 1)
    // Values may hold spaces: `operation=alloc fill 0 size=10`.
    .split(/ (?=[\w-]+=)/)
    .map(inUnits)
    .map((part) => part.replace(/^(size|live|engine)=/, '$1 ').replace(/^[\w-]+=/, ''))
    .map(grouped)
    .join(', ');
