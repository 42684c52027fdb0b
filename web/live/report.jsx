import { useEffect } from 'preact/hooks';
import { Scrolling } from './scrolling.jsx';

/** @import { Live } from './live.js' */

/**
 * What the heap itself says, at the instant that the figures show.
 * @param {{ live: Live }} props
 */
export function Report({ live }) {
  const said = live.report.value;
  useEffect(() => () => live.setReport(false), []);
  return (
    <details
      class="live-report"
      onToggle={({ currentTarget }) => live.setReport(currentTarget.open)}
    >
      <summary>heap.stats() and heap.check() at this instant</summary>
      {said !== undefined && (
        <>
          <p data-check={said.check.length}>
            {said.check.length === 0
              ? 'check() counted everything again, and found nothing wrong.'
              : `check() found: ${said.check.join('; ')}`}
          </p>
          <Scrolling label="heap.stats()">
            <pre data-stats={live.calm.value?.snapshot.sequence}>
              {JSON.stringify(said.stats, undefined, 2)}
            </pre>
          </Scrolling>
        </>
      )}
    </details>
  );
}
