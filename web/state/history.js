/**
 * The runs of this browser, kept on this device. Where a browser keeps nothing, as in some private
 * windows, all else works: what was in the way is told in `problem`.
 */

import { signal } from '@preact/signals';
import { parseResults } from '../../bench/harness/results.js';
import { textOf } from './files.js';

/** @import { Signal } from '@preact/signals' */
/** @import { Results } from '../../bench/harness/results.js' */

/**
 * @typedef {object} Entry
 * @property {number} id
 * @property {string} started
 * @property {string} engine
 * @property {boolean} complete
 * @property {boolean} quick
 * @property {number} variants
 * @property {number} bytes
 */

/** The oldest go first. */
export const MOST_RUNS = 20;

const NAME = 'slabring';
const VERSION = 1;
const ENTRIES = 'entries';
const TEXTS = 'texts';

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const answered = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {IDBTransaction} transaction */
const completed = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(undefined);
    transaction.onabort = () => reject(transaction.error);
  });

/** @param {IDBFactory} factory @returns {Promise<IDBDatabase>} */
const openDatabase = async (factory) => {
  const request = factory.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(ENTRIES, { keyPath: 'id', autoIncrement: true });
    request.result.createObjectStore(TEXTS);
  };
  return answered(request);
};

/** @param {Results} results @returns {Omit<Entry, 'id' | 'bytes'>} */
const about = ({ started, engines, complete, options, rows }) => ({
  started,
  engine: Object.keys(engines).join(', '),
  complete,
  quick: options.quick,
  variants: rows.length,
});

/** @param {{ factory?: IDBFactory }} [options] */
export function makeHistory({ factory = globalThis.indexedDB } = {}) {
  /** Newest first. @type {Signal<Entry[]>} */
  const list = signal([]);
  /** @type {Signal<string | undefined>} */
  const problem = signal(undefined);
  /** @type {Promise<IDBDatabase> | undefined} */
  let database;

  /**
   * @template T
   * @param {(database: IDBDatabase) => Promise<T>} action
   * @returns {Promise<T | undefined>} undefined where it failed, which is told
   */
  async function attempt(action) {
    try {
      if (!factory) throw new Error('this browser keeps nothing for this page');
      database ??= openDatabase(factory);
      const value = await action(await database);
      problem.value = undefined;
      return value;
    } catch (error) {
      database = undefined;
      const { name, message } = /** @type {Error} */ (error ?? new Error('refused'));
      problem.value =
        name === 'QuotaExceededError' ? 'no room is left for this page' : message || name;
      return undefined;
    }
  }

  /** @param {IDBDatabase} from */
  async function refresh(from) {
    const all = await answered(from.transaction(ENTRIES).objectStore(ENTRIES).getAll());
    list.value = all.reverse();
  }

  attempt(refresh);

  return {
    list,
    problem,

    /**
     * @param {Results} results
     * @returns {Promise<number | undefined>} its id, where there was room for it
     */
    add: (results) =>
      attempt(async (to) => {
        const text = textOf(results);
        const transaction = to.transaction([ENTRIES, TEXTS], 'readwrite');
        const [entries, texts] = [transaction.objectStore(ENTRIES), transaction.objectStore(TEXTS)];
        const done = completed(transaction);
        const id = /** @type {number} */ (
          await answered(entries.add({ ...about(results), bytes: text.length }))
        );
        texts.put(text, id);
        const ids = await answered(entries.getAllKeys());
        for (const old of ids.slice(0, -MOST_RUNS)) {
          entries.delete(old);
          texts.delete(old);
        }
        await done;
        await refresh(to);
        return id;
      }),

    /**
     * @param {number} id
     * @returns {Promise<Results>}
     */
    async open(id) {
      const text = await attempt((from) =>
        answered(from.transaction(TEXTS).objectStore(TEXTS).get(id)),
      );
      if (text === undefined) throw new Error(problem.value ?? 'this run is no longer kept');
      return parseResults(text);
    },

    /** All of it. */
    clear: () =>
      attempt(async (of) => {
        const transaction = of.transaction([ENTRIES, TEXTS], 'readwrite');
        for (const store of [ENTRIES, TEXTS]) transaction.objectStore(store).clear();
        await completed(transaction);
        list.value = [];
      }),
  };
}

export const history = makeHistory();
