import { useEffect, useRef } from 'preact/hooks';
import { duration } from '../model/text.js';
import { chosenRun, idsOf, settings } from '../state/settings.js';
import { Chooser } from './chooser.jsx';
import { Disclosure } from './disclosure.jsx';

/** @import { makeRunner } from '../run/runner.js' */
/** @import { Phase, RunState } from '../run/runner.js' */

/** @typedef {ReturnType<typeof makeRunner>} Runner */

/** Of the first button while a run is under way. @type {Partial<Record<Phase, string>>} */
const LABELS = { running: 'Pause', pausing: 'Pausing…', paused: 'Resume' };

const UNDER_WAY = ['running', 'pausing', 'paused'];

/** @param {{ runner: Runner }} props */
export function RunControls({ runner }) {
  const { phase, flags } = runner.state.value;
  const isUnderWay = UNDER_WAY.includes(phase);
  const main = useRef(/** @type {HTMLButtonElement | null} */ (null));

  useEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      // In an open list Escape closes the list.
      if (event.key === 'Escape' && !(event.target instanceof HTMLSelectElement)) runner.stop();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const count = idsOf(settings.value).length;
  const { cases } = settings.value;
  return (
    <section class="run" id="run" aria-label="Run" data-phase={phase}>
      <div class="row">
        {/* One button all along: whoever pressed it has not lost their place. */}
        <button
          type="button"
          ref={main}
          class={phase === 'running' || phase === 'pausing' ? '' : 'primary'}
          aria-disabled={phase === 'pausing'}
          disabled={!isUnderWay && count === 0}
          onClick={() => {
            if (phase === 'running') runner.pause();
            else if (phase === 'paused') runner.resume();
            else if (!isUnderWay) runner.start(chosenRun());
          }}
        >
          {LABELS[phase] ??
            (cases === 'quick' ? 'Run the quick set here' : `Run ${count} variants here`)}
        </button>
        {isUnderWay && (
          <button
            type="button"
            onClick={() => {
              runner.stop();
              main.current?.focus();
            }}
          >
            Stop <span class="muted small">Esc</span>
          </button>
        )}
        {!isUnderWay && cases === 'quick' && (
          <span class="muted small">less than a minute; results appear beside the reference</span>
        )}
      </div>
      {phase === 'idle' && !globalThis.crossOriginIsolated && (
        <p class="notice small">
          This page is not cross-origin isolated: its clock is coarser, so samples last longer.{' '}
          <a href="#environment">What it costs</a>
        </p>
      )}
      {phase !== 'idle' && <Progress state={runner.state.value} />}
      {flags.length > 0 && (
        <ul class="notice small" aria-label="What to know of this run">
          {flags.map((flag) => (
            <li key={flag}>{flag}</li>
          ))}
        </ul>
      )}
      <Disclosure summary="Choose cases and settings" class="chooser">
        {() => <Chooser disabled={isUnderWay} />}
      </Disclosure>
    </section>
  );
}

/** What a screen reader is told: phases, and every so often how far it is. @param {RunState} state */
function announcement({ phase, done, of, left }) {
  switch (phase) {
    case 'running': {
      const quarter = of === 0 ? 0 : Math.floor((4 * done) / of);
      return quarter === 0
        ? 'Running.'
        : `Running: ${25 * quarter} % done${left === undefined ? '' : `, about ${duration(left)} left at that point`}.`;
    }
    case 'pausing':
      return 'Pausing after the repetition that runs.';
    case 'paused':
      return 'Paused.';
    case 'stopped':
      return 'Stopped. What was measured stays.';
    case 'done':
      return 'Done.';
    default:
      return '';
  }
}

/** The same words until the next phase or quarter. @param {RunState} state */
function useAnnouncement(state) {
  const said = useRef({ at: '', text: '' });
  const { phase, done, of } = state;
  const at = `${phase} ${of && Math.floor((4 * done) / of)}`;
  if (at !== said.current.at) said.current = { at, text: announcement(state) };
  return said.current.text;
}

/** @param {{ state: RunState }} props */
function Progress({ state }) {
  const { phase, done, of, left, what, errors } = state;
  const failed = Object.keys(errors).length;
  const announced = useAnnouncement(state);
  return (
    <div class="progress">
      <progress aria-label="Repetitions done" value={done} max={Math.max(1, of)} />
      <p class="small number">
        {done} of {of} repetitions
        {phase === 'running' && left !== undefined && `, about ${duration(left)} left`}
        {failed > 0 && `, ${failed} failed`}
        {what !== '' && (
          <>
            : <span class="muted">{what}</span>
          </>
        )}
      </p>
      <p class="small" role="status">
        {announced}
      </p>
    </div>
  );
}
