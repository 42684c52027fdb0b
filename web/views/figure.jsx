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
 * A chart that is drawn while it is near, and again when its data or its width change; the table of
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
  const latest = useRef(chart);
  const update = useRef(() => {});
  latest.current = chart;

  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (place.current);
    let width = 0;
    /** @type {C | undefined} */
    let drawn;
    let isNear = false;
    let isGone = false;
    let cancel = () => {};
    const draw = async () => {
      const drawing = await load();
      cancel();
      if (isGone) return;
      cancel = queueTask(() => {
        width = element.clientWidth;
        if (width === 0) return;
        drawn = latest.current;
        element.replaceChildren(drawing(drawn, width));
        delete element.dataset.stale;
      });
    };
    update.current = () => {
      if (drawn === latest.current) return;
      if (isNear) draw();
      else if (drawn !== undefined) element.dataset.stale = '';
    };
    const intersection = new IntersectionObserver(
      (entries) => {
        isNear = entries[entries.length - 1].isIntersecting;
        update.current();
      },
      { rootMargin: '400px' },
    );
    intersection.observe(element);
    const size = new ResizeObserver(() => {
      if (drawn !== undefined && Math.abs(element.clientWidth - width) > SLACK) draw();
    });
    size.observe(element);
    return () => {
      isGone = true;
      cancel();
      intersection.disconnect();
      size.disconnect();
    };
  }, []);

  useEffect(() => update.current(), [chart]);

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
