import { useEffect } from 'preact/hooks';
import { Disclosure } from '../views/disclosure.jsx';
import { Scrolling } from './scrolling.jsx';

/** @import { Live } from './live.js' */

/**
 * What the heap itself says, at the instant that the figures show.
 * @param {{ live: Live }} props
 */
export const Report = ({ live }) => (
  <Disclosure summary="heap.stats() and heap.check() at this instant">
    {() => <Said live={live} />}
  </Disclosure>
);

/** It is asked for as long as somebody looks. @param {{ live: Live }} props */
function Said({ live }) {
  useEffect(() => {
    live.setReport(true);
    return () => live.setReport(false);
  }, []);
  const said = live.report.value;
  if (said === undefined) return null;
  return (
    <>
      <p data-check={said.check.length}>
        {said.check.length === 0
          ? 'check() counted everything again, and found nothing wrong.'
          : `check() found: ${said.check.join('; ')}`}
      </p>
      <Scrolling class="live-stats" label="heap.stats()">
        <pre data-stats={said.sequence}>{inLines(said.stats)}</pre>
      </Scrolling>
    </>
  );
}

/** As JSON, a size class in a line. @param {unknown} stats */
const inLines = (stats) =>
  JSON.stringify(stats, undefined, 2).replace(
    /\{\s+("cellSize"[^}]*?)\s+\}/g,
    (_, inner) => `{ ${inner.replace(/\s+/g, ' ')} }`,
  );
