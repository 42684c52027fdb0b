import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Disclosure } from '../views/disclosure.jsx';
import { changes, coloursOf } from './colours.js';
import { describe, draw, GROUPS, layout, pageAt } from './map-drawing.js';
import { Figure, Table } from './table.jsx';
import { counted, inBytes, percent, whole } from './text.js';

/** @import { Live, Moment } from './live.js' */

const KEYS = [
  ['own', 'the module’s own'],
  ['untouched', 'never touched'],
  ['free', 'free'],
  ['run', 'blocks of whole pages'],
  ...[...GROUPS, 32_768].map((most, i) => [
    `slab-${i}`,
    `slabs: cells of ${i === 0 ? '16' : whole(GROUPS[i - 1] + 1)} to ${whole(most)} bytes`,
  ]),
];

/** @param {Moment} moment */
function summary({ snapshot, tallies }) {
  const sum = (/** @type {keyof typeof tallies[0]} */ name) =>
    tallies.reduce((total, region) => total + region[name], 0);
  return [
    counted(tallies.length, 'region|regions'),
    counted(sum('pages'), 'page|pages'),
    counted(sum('slabs'), 'slab|slabs'),
    `${counted(sum('runs'), 'block|blocks')} of ${counted(sum('inRuns'), 'page|pages')}`,
    `${whole(sum('free'))} free`,
    `${whole(sum('untouched'))} never touched`,
    `${inBytes(snapshot.figures.live)} held`,
  ].join(', ');
}

/**
 * Each region's pages: what they are used for, and how full.
 * @param {{ live: Live }} props
 */
export function MemoryMap({ live }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const legend = useRef(/** @type {HTMLUListElement | null} */ (null));
  const width = useSignal(0);
  /** The page that is looked at. */
  const marked = useSignal(0);
  /** It never gets lower while a heap lives: what is below shall not jump. */
  const tallest = useRef({ heap: 0, height: 0 });

  useEffect(() => {
    const element = /** @type {HTMLCanvasElement} */ (canvas.current);
    const observer = new ResizeObserver(([{ contentRect }]) => {
      width.value = Math.floor(contentRect.width);
    });
    observer.observe(/** @type {Element} */ (element.parentElement));
    return () => observer.disconnect();
  }, []);

  useSignalEffect(() => {
    const moment = live.latest.value;
    const across = width.value;
    void changes.value;
    const element = canvas.current;
    const key = legend.current;
    if (moment === undefined || across === 0 || element === null || key === null) return;
    const { snapshot } = moment;
    const { blocks, height: needed } = layout(snapshot.regionPages, across);
    const before = tallest.current;
    const kept = before.heap === snapshot.heap && before.height > needed ? before.height : needed;
    tallest.current = { heap: snapshot.heap, height: kept };
    const scale = globalThis.devicePixelRatio || 1;
    const [w, h] = [Math.round(across * scale), Math.round(kept * scale)];
    if (element.width !== w || element.height !== h) {
      element.width = w;
      element.height = h;
      element.style.height = `${kept}px`;
    }
    const context = /** @type {CanvasRenderingContext2D} */ (element.getContext('2d'));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, across, kept);
    draw(context, snapshot, blocks, coloursOf(key), marked.value);
  });

  /** @param {PointerEvent} event */
  const look = ({ offsetX, offsetY }) => {
    const moment = live.latest.value;
    if (moment === undefined) return;
    const page = pageAt(layout(moment.snapshot.regionPages, width.value).blocks, offsetX, offsetY);
    if (page >= 0) marked.value = page;
  };

  const moment = live.calm.value;
  const pages = moment?.snapshot.map.kinds.length ?? 1;
  const page = Math.min(marked.value, pages - 1);
  const words = useComputed(() => {
    const now = live.calm.value;
    if (now === undefined) return '';
    return describe(now.snapshot, Math.min(marked.value, now.snapshot.map.kinds.length - 1));
  });

  return (
    <div class="live-map">
      <h3>Memory map</h3>
      <p class="muted small">
        A square is a page of 64 KiB. A slab’s fills from below as its cells are handed out.
      </p>
      <div class="live-canvas">
        <canvas
          ref={canvas}
          role="img"
          aria-label={moment === undefined ? 'Memory map' : `Memory map: ${summary(moment)}`}
          onPointerMove={look}
          onPointerDown={look}
        />
      </div>
      <ul class="live-keys" ref={legend}>
        {KEYS.map(([name, text]) => (
          <li key={name}>
            <span class={`live-key live-${name}`} data-colour={name} aria-hidden="true" /> {text}
          </li>
        ))}
      </ul>
      <p class="live-look">
        <label for="live-page">Look at a page</label>
        <input
          id="live-page"
          type="range"
          min="0"
          max={String(pages - 1)}
          value={String(page)}
          aria-valuetext={words}
          onInput={({ currentTarget }) => {
            marked.value = Number(currentTarget.value);
          }}
        />
        <span class="small">{words}</span>
      </p>
      <Disclosure summary="The regions as a table">
        {() => moment && <RegionTable moment={moment} />}
      </Disclosure>
    </div>
  );
}

/** @param {{ moment: Moment }} props */
const RegionTable = ({ moment: { snapshot, tallies } }) => (
  <Table
    name="regions"
    caption="Pages of each region"
    sequence={snapshot.sequence}
    head={[
      'Region',
      'Pages',
      'Own',
      'In slabs',
      'Cells held or cached',
      'Blocks',
      'In blocks',
      'Free',
      'Never touched',
      'Longest stretch to be had',
      'In use',
    ]}
    rows={tallies.map((region, i) => [
      i === 0 ? '1, home' : String(i + 1),
      ...[
        region.pages,
        region.own,
        region.slabs,
        region.cells,
        region.runs,
        region.inRuns,
        region.free,
        region.untouched,
        region.longest,
      ].map((value, j) => <Figure key={j} value={value} text={whole(value)} />),
      percent((region.slabs + region.inRuns) / (region.pages - region.own)),
    ])}
  />
);
