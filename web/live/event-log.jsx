import { Scrolling } from './scrolling.jsx';
import { seconds, whole } from './text.js';

/** @import { Live } from './live.js' */

/**
 * What happened, newest first.
 * @param {{ live: Live }} props
 */
export const EventLog = ({ live }) => (
  <div class="live-events">
    <h3>Events</h3>
    <Scrolling class="live-log" label="Events, newest first">
      {live.log.value.length === 0 && <p class="muted small">None yet.</p>}
      <ol reversed>
        {live.log.value.map(({ number, time, kind, text, count }) => (
          <li key={number} data-event={kind}>
            <span class="muted number">{seconds(time)}</span>{' '}
            <strong class={kind === 'exhausted' ? 'live-bad' : ''}>{kind}</strong>
            {count > 1 && <span class="number"> ×{whole(count)}</span>}: {text}
          </li>
        ))}
      </ol>
    </Scrolling>
  </div>
);
