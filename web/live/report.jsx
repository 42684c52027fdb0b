import { useEffect } from 'preact/hooks';
import { Scrolling } from './scrolling.jsx';
import { Unfolding } from './unfolding.jsx';

/** @import { Live } from './live.js' */

/**
 * What the heap itself says, at the instant that the figures show.
 * @param {{ live: Live }} props
 */
export function Report({ live }) {
  useEffect(() => () => live.setReport(false), []);
  return (
    <Unfolding
      class="live-report"
      title="heap.stats() and heap.check() at this instant"
      onToggle={live.setReport}
    >
      {() => <Said live={live} />}
    </Unfolding>
  );
}

/** @param {{ live: Live }} props */
function Said({ live }) {
  const said = live.report.value;
  if (said === undefined) return null;
  return (
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
  );
}
