import { useEffect, useRef } from 'preact/hooks';
import { DataTable } from './data-table.jsx';
import { Disclosure } from './disclosure.jsx';
import { queueTask } from './queue.js';

/** @import { ComponentChildren } from 'preact' */
/** @import { Table } from '../model/tables.js' */

/**
 * @typedef {object} Chart
 * @property {string} label what it shows, for who cannot see it
 */

/** A change of the width by less than this is none: a scroll bar came or went. */
const SLACK = 20;

/**
 * A chart that is drawn when it comes near, and again when its data or its width change; the table of
 * the same is there at once.
 * @template {Chart} C
 * @param {object} props
 * @param {C} props.chart a new object where something is new
 * @param {() => Promise<(chart: C, width: number) => Element>} props.load gives what draws it
 * @param {ComponentChildren} [props.caption]
 * @param {Table} [props.table] where none is shown beside it
 */
export function Figure({ chart, load, caption, table }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const isNear = useRef(false);
  const latest = useRef(chart);
  const redraw = useRef(() => {});
  latest.current = chart;

  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (place.current);
    let width = 0;
    let cancel = () => {};
    let isGone = false;
    const draw = async () => {
      const drawn = await load();
      cancel();
      if (isGone) return;
      cancel = queueTask(() => {
        width = element.clientWidth;
        if (width > 0) element.replaceChildren(drawn(latest.current, width));
      });
    };
    redraw.current = () => {
      if (isNear.current) draw();
    };
    const intersection = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        intersection.disconnect();
        isNear.current = true;
        draw();
      },
      { rootMargin: '400px' },
    );
    intersection.observe(element);
    const size = new ResizeObserver(() => {
      if (isNear.current && Math.abs(element.clientWidth - width) > SLACK) draw();
    });
    size.observe(element);
    return () => {
      isGone = true;
      cancel();
      intersection.disconnect();
      size.disconnect();
    };
  }, []);

  useEffect(() => redraw.current(), [chart]);

  return (
    <figure>
      {caption && <figcaption>{caption}</figcaption>}
      <div class="canvas" ref={place} />
      {table && (
        <Disclosure summary="The same as a table" class="small">
          {() => <DataTable table={table} />}
        </Disclosure>
      )}
    </figure>
  );
}
