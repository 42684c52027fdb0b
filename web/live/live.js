/** The page's side of the live view: starts the worker, keeps what it tells, and when to show it. */

import { batch, signal } from '@preact/signals';
import { History } from './history.js';
import { tally } from './page-map.js';
import { sharesOf } from './shares.js';

/** @import { LiveOptions } from './options.js' */
/** @import { Tally } from './page-map.js' */
/** @import { LiveEvent, Snapshot } from './session.js' */
/** @import { Shares } from './shares.js' */
/** @import { Command } from './worker.js' */

/** @typedef {'off' | 'running' | 'paused' | 'failed'} LivePhase */

/**
 * @typedef {object} Moment a snapshot and what follows from it
 * @property {Snapshot} snapshot
 * @property {Tally[]} tallies of each region
 * @property {Shares} shares
 * @property {number} time seconds since the heap was made, while it ran
 *
 * @typedef {object} Report what the heap itself says, at the instant of a snapshot
 * @property {number} sequence of the snapshot
 * @property {unknown} stats
 * @property {string[]} check
 *
 * @typedef {LiveEvent & { number: number, time: number }} Entry
 */

const MIB = 2 ** 20;

/** Seconds that lines show. */
export const SPAN = 60;

/** Milliseconds between two pictures, and between two numbers, which somebody wants to read. */
const PICTURES = 50;
const NUMBERS = 500;
/** And between two reports, which are long. */
const REPORTS = 2000;
/** Pictures and numbers, where motion shall be reduced. */
const REDUCED = 500;

const MOST_ENTRIES = 100;

/** What History keeps of a moment, in this order. */
export const COLUMNS = /** @type {const} */ ([
  'reserved',
  'touched',
  'inUse',
  'live',
  'cached',
  'occupancy',
  'useful',
  'fragmentation',
  'mostTicks',
  'segments',
  'depth',
  'capacity',
]);

const pageWorker = () =>
  new Worker(new URL('live/worker.js', document.baseURI), { type: 'module' });

/**
 * @param {object} [options]
 * @param {() => Worker} [options.createWorker]
 */
export function makeLive({ createWorker = pageWorker } = {}) {
  const phase = signal(/** @type {LivePhase} */ ('off'));
  /** The newest, for pictures. */
  const latest = signal(/** @type {Moment | undefined} */ (undefined));
  /** One that stands for a while, for numbers and tables; while nothing runs it is the newest. */
  const calm = signal(/** @type {Moment | undefined} */ (undefined));
  const log = signal(/** @type {Entry[]} */ ([]));
  const error = signal('');
  const report = signal(/** @type {Report | undefined} */ (undefined));
  const history = new History(COLUMNS.length, SPAN, (SPAN * 1000) / PICTURES);

  /** @type {Worker | undefined} */
  let worker;
  let isReduced = false;
  let calmAt = -Infinity;
  let reportedAt = -Infinity;
  let entries = 0;
  /** Seconds that it ran, up to when the clock was last looked at. */
  let ran = 0;
  let lookedAt = 0;

  /** @param {Command} command */
  const send = (command) => worker?.postMessage(command);

  function elapsed() {
    const now = performance.now();
    if (phase.value === 'running') ran += (now - lookedAt) / 1000;
    lookedAt = now;
    return ran;
  }

  /** @param {string} message */
  function fail(message) {
    worker?.terminate();
    worker = undefined;
    phase.value = 'failed';
    error.value = message;
  }

  /** @param {Snapshot} snapshot @param {any} said */
  function take(snapshot, said) {
    const { regionPages, map, figures } = snapshot;
    let from = 0;
    const tallies = Array.from(regionPages, (pages) => {
      const region = tally(map, from, pages);
      from += pages;
      return region;
    });
    const time = elapsed();
    const shares = sharesOf(figures, tallies);
    const moment = { snapshot, tallies, shares, time };
    if (snapshot.heap !== latest.value?.snapshot.heap) history.clear();
    history.add(
      time,
      COLUMNS.map((name) =>
        name in shares
          ? shares[/** @type {'useful'} */ (name)]
          : figures[/** @type {'live'} */ (name)],
      ),
    );
    const now = performance.now();
    batch(() => {
      latest.value = moment;
      note(snapshot.events, time);
      if (phase.value === 'running' && now - calmAt < NUMBERS) return;
      calmAt = now;
      calm.value = moment;
      if (said === undefined) return;
      if (phase.value === 'running' && now - reportedAt < REPORTS) return;
      reportedAt = now;
      report.value = { sequence: snapshot.sequence, ...said };
    });
  }

  /** @param {LiveEvent[]} events @param {number} time */
  function note(events, time) {
    if (events.length === 0) return;
    const list = [...log.value];
    for (const event of events) {
      const last = list[0];
      if (last?.kind === event.kind) {
        list[0] = { ...event, number: last.number, time, count: last.count + event.count };
      } else {
        list.unshift({ ...event, number: ++entries, time });
      }
    }
    log.value = list.slice(0, MOST_ENTRIES);
  }

  function started() {
    if (worker !== undefined) return worker;
    const made = createWorker();
    made.onmessage = ({ data }) => {
      if (worker !== made) return;
      if (data.type === 'error') {
        fail(data.message);
        return;
      }
      take(data.snapshot, data.report);
      // A page that nobody sees draws no frames, and asks for nothing to draw.
      requestAnimationFrame(() => send({ type: 'drawn' }));
    };
    made.onerror = (event) => {
      event.preventDefault();
      fail(event.message || 'The worker could not be loaded.');
    };
    worker = made;
    return made;
  }

  const every = () => (isReduced ? REDUCED : PICTURES);

  return {
    phase,
    latest,
    calm,
    log,
    error,
    report,
    history,

    /** A new heap, and nothing of the one before. @param {LiveOptions} options */
    open({ workload, rate, size, region, most, full, seed }) {
      started();
      const options = {
        workload,
        size,
        regionSize: region * MIB,
        maxBytes: most * MIB,
        onExhausted: full,
        seed,
      };
      ran = 0;
      lookedAt = performance.now();
      error.value = '';
      log.value = [];
      send({ type: 'open', options, rate, every: every() });
      if (phase.value === 'running') send({ type: 'run', on: true });
      else phase.value = 'paused';
    },

    /** @param {boolean} on */
    run(on) {
      if (worker === undefined) return;
      elapsed();
      phase.value = on ? 'running' : 'paused';
      send({ type: 'run', on });
    },

    /** @param {number} steps @param {number} seconds that they would have taken */
    step(steps, seconds) {
      ran += seconds;
      send({ type: 'step', steps });
    },
    /** @param {number} rate */
    setRate: (rate) => send({ type: 'rate', rate }),
    /** @param {number} size */
    resize: (size) => send({ type: 'size', size }),
    trim: () => send({ type: 'trim' }),
    freeAll: () => send({ type: 'freeAll' }),
    /** Whether the heap's own words shall come with the numbers. @param {boolean} on */
    setReport: (on) => send({ type: 'report', on }),

    /** @param {boolean} on whether motion shall be reduced */
    reduce(on) {
      isReduced = on;
      send({ type: 'every', every: every() });
    },

    /** Ends the worker, and its heap. */
    close() {
      worker?.terminate();
      worker = undefined;
      phase.value = 'off';
    },
  };
}

/** @typedef {ReturnType<typeof makeLive>} Live */
