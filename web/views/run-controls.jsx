import { useEffect, useRef } from 'preact/hooks';
import { duration } from '../model/text.js';
import { chosenRun, idsOf, settings } from '../state/settings.js';
import { Chooser } from './chooser.jsx';
import { Disclosure } from './disclosure.jsx';

/** @import { makeRunner } from '../run/runner.js' */
/** @import { RunState } from '../run/runner.js' */

/** @typedef {ReturnType<typeof makeRunner>} Runner */

const UNDER_WAY = ['running', 'pausing', 'paused'];

/** @param {{ runner: Runner }} props */
export function RunControls({ runner }) {
  const { phase, flags } = runner.state.value;
  const isUnderWay = UNDER_WAY.includes(phase);

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
        {isUnderWay ? (
          <>
            {phase === 'paused' ? (
              <button type="button" class="primary" onClick={() => runner.resume()}>
                Resume
              </button>
            ) : (
              <button type="button" disabled={phase === 'pausing'} onClick={() => runner.pause()}>
                {phase === 'pausing' ? 'Pausing…' : 'Pause'}
              </button>
            )}
            <button type="button" onClick={() => runner.stop()}>
              Stop <span class="muted small">Esc</span>
            </button>
          </>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={count === 0}
            onClick={() => runner.start(chosenRun())}
          >
            {cases === 'quick' ? 'Run the quick set here' : `Run ${count} variants here`}
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
