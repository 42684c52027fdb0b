import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Disclosure } from '../views/disclosure.jsx';
import { changes, coloursOf } from './colours.js';
import { COLUMNS, SPAN } from './live.js';
import { plotLibrary } from './plot-library.js';
import { Figure, Table } from './table.jsx';
import { seconds } from './text.js';

/** @import { Live } from './live.js' */

/** Milliseconds between two pictures: lines move slowly. */
const REDRAW = 100;
const HEIGHT = 150;
/** Seconds between two rows of the table. */
const ROW = 5;

/**
 * @typedef {object} Line
 * @property {typeof COLUMNS[number]} name
 * @property {string} title
 *
 * @typedef {object} TimelineProps
 * @property {Live} live
 * @property {string} id
 * @property {string} title
 * @property {Line[]} lines
 * @property {(value: number) => string} text of a value
 * @property {number[]} steps that are good from mark to mark
 * @property {number} [most] of the scale; by default, that of the values
 */

/** Of bytes; of what is counted. */
export const BYTE_STEPS = Array.from({ length: 33 }, (_, power) => 2 ** power);
export const COUNT_STEPS = Array.from({ length: 10 }, (_, power) => 10 ** power).flatMap((unit) =>
  [1, 2, 5].map((digit) => digit * unit),
);

/** @param {TimelineProps} props */
export function Timeline({ live, id, title, lines, text, steps, most }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const legend = useRef(/** @type {HTMLUListElement | null} */ (null));
  const plot = useRef(/** @type {import('uplot') | undefined} */ (undefined));
  const drawnAt = useRef(-Infinity);
  const columns = lines.map(({ name }) => COLUMNS.indexOf(name));

  const data = () => /** @type {import('uplot').AlignedData} */ (live.history.lists(columns));

  /** @param {typeof import('uplot')} Plot */
  function make(Plot) {
    plot.current?.destroy();
    const element = /** @type {HTMLDivElement} */ (place.current);
    const colours = coloursOf(/** @type {Element} */ (legend.current));
    const axis = {
      stroke: colours.text,
      grid: { stroke: colours.grid, width: 1 },
      ticks: { show: false },
    };
    plot.current = new Plot(
      {
        width: Math.max(100, element.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: {
            time: false,
            range: (_, _least, last) => [
              Math.max(0, (last ?? 0) - SPAN),
              Math.max(SPAN, last ?? 0),
            ],
          },
          y: { range: (_, _least, top) => [0, most ?? Math.max(1, (top ?? 0) * 1.05)] },
        },
        axes: [
          { ...axis, size: 26, values: (_, marks) => marks.map((mark) => `${mark} s`) },
          {
            ...axis,
            size: 62,
            incrs: steps,
            values: (_, marks) => marks.map((mark) => text(mark)),
          },
        ],
        series: [
          {},
          ...lines.map(({ name, title: label }) => ({
            label,
            stroke: colours[name],
            width: 1.5,
            points: { show: false },
          })),
        ],
      },
      data(),
      element,
    );
  }

  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (place.current);
    const observer = new ResizeObserver(() => {
      plot.current?.setSize({ width: Math.max(100, element.clientWidth), height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, []);

  // Its colours are a plot's from its start. Each in a task of its own: one takes up to 20 ms.
  useSignalEffect(() => {
    void changes.value;
    let isOver = false;
    plotLibrary().then((Plot) => {
      setTimeout(() => {
        if (!isOver) make(Plot);
      });
    });
    return () => {
      isOver = true;
    };
  });

  useSignalEffect(() => {
    if (live.latest.value === undefined || plot.current === undefined) return;
    const now = performance.now();
    if (live.phase.value === 'running' && now - drawnAt.current < REDRAW) return;
    drawnAt.current = now;
    plot.current.setData(data());
  });

  return (
    <div class="live-timeline" data-timeline={id}>
      <h3>{title}</h3>
      <div
        ref={place}
        class="live-plot"
        role="img"
        aria-label={`${title}, the last ${SPAN} seconds`}
      />
      <ul class="live-keys" ref={legend}>
        {lines.map(({ name, title: label }) => (
          <li key={name}>
            <span class={`live-key live-${name}`} data-colour={name} aria-hidden="true" /> {label}
          </li>
        ))}
        <li class="live-grid" data-colour="grid" aria-hidden="true" />
      </ul>
      <Disclosure summary={`${title} as a table`}>
        {() => (
          <TimeTable
            live={live}
            id={id}
            title={title}
            lines={lines}
            text={text}
            columns={columns}
          />
        )}
      </Disclosure>
    </div>
  );
}

/** @param {Pick<TimelineProps, 'live' | 'id' | 'title' | 'lines' | 'text'> & { columns: number[] }} props */
function TimeTable({ live, id, title, lines, text, columns }) {
  const moment = live.calm.value;
  if (moment === undefined) return null;
  return (
    <Table
      name={id}
      caption={`${title}: the last value of every ${ROW} seconds, newest first`}
      sequence={moment.snapshot.sequence}
      head={['Time', ...lines.map(({ title: label }) => label)]}
      rows={live.history
        .rows(ROW)
        .map(({ time, row }) => [
          seconds(time),
          ...columns.map((column) => (
            <Figure key={column} value={row[column]} text={text(row[column])} />
          )),
        ])}
    />
  );
}
