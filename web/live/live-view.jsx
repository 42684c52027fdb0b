import { useEffect, useMemo } from 'preact/hooks';
import { settings } from '../state/settings.js';
import { ClassTable } from './class-table.jsx';
import { watchColours } from './colours.js';
import { Controls } from './controls.jsx';
import { EventLog } from './event-log.jsx';
import { Figures } from './figures.jsx';
import { makeLive } from './live.js';
import { MemoryMap } from './memory-map.jsx';
import { readOptions, unusual, usualOptions } from './options.js';
import { Report } from './report.jsx';
import { inBytes, percent, whole } from './text.js';
import { BYTE_STEPS, COUNT_STEPS, Timeline } from './timeline.jsx';

/** @import { Live } from './live.js' */
/** @import { LiveOptions } from './options.js' */

/** What changes a heap, rather than what is done on it. @type {(keyof LiveOptions)[]} */
const NEW_HEAP = ['workload', 'region', 'most', 'full', 'seed'];

/** A heap at work, in a worker of its own, which starts when the visitor starts it. */
export function LiveView() {
  const live = useMemo(() => makeLive(), []);
  const { options } = readOptions(settings.value.live);
  // Of the address that somebody came by: what is set here is right.
  const wrong = useMemo(() => readOptions(settings.value.live).wrong, []);

  useEffect(() => {
    const unwatch = watchColours();
    const motion = matchMedia('(prefers-reduced-motion: reduce)');
    const onMotion = () => live.reduce(motion.matches);
    onMotion();
    motion.addEventListener('change', onMotion);
    // Nobody looks: it goes on when somebody does.
    let wasRunning = false;
    const onVisible = () => {
      if (document.hidden) {
        wasRunning = live.phase.value === 'running';
        if (wasRunning) live.run(false);
      } else if (wasRunning) {
        wasRunning = false;
        live.run(true);
      }
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      unwatch();
      motion.removeEventListener('change', onMotion);
      document.removeEventListener('visibilitychange', onVisible);
      live.close();
    };
  }, []);

  /** @param {Partial<LiveOptions>} changed */
  const change = (changed) => {
    // Another workload has another pace.
    const next = changed.workload
      ? {
          ...options,
          ...usualOptions(changed.workload),
          region: options.region,
          most: options.most,
          full: options.full,
          seed: options.seed,
        }
      : { ...options, ...changed };
    settings.value = { ...settings.value, live: unusual(next) };
    if (live.phase.value === 'off' || live.phase.value === 'failed') return;
    if (NEW_HEAP.some((name) => name in changed)) live.open(next);
    else if (changed.rate !== undefined) live.setRate(next.rate);
    else live.resize(next.size);
  };

  const { phase, error } = live;
  return (
    <div class="live" data-phase={phase.value} data-sequence={live.calm.value?.snapshot.sequence}>
      <Controls live={live} options={options} onChange={change} />
      {wrong.length > 0 && (
        <p class="notice small">
          In the address, {wrong.map((name) => `live.${name}`).join(', ')}: not known or out of
          range, and left out.
        </p>
      )}
      <p role="status" class="small">
        {
          {
            off: 'Nothing runs yet.',
            running: 'Running.',
            paused: 'Paused.',
            failed: 'It has ended.',
          }[phase.value]
        }
      </p>
      {phase.value === 'failed' && (
        <p class="problem" role="alert">
          {error.value}
        </p>
      )}
      {live.latest.value !== undefined && <Shown live={live} />}
    </div>
  );
}

/** Once there is something to show. @param {{ live: Live }} props */
const Shown = ({ live }) => (
  <>
    <Figures live={live} />
    <MemoryMap live={live} />
    <div class="live-timelines">
      <Timeline
        live={live}
        id="memory"
        title="Memory"
        text={inBytes}
        steps={BYTE_STEPS}
        lines={[
          { name: 'reserved', title: 'reserved' },
          { name: 'touched', title: 'touched' },
          { name: 'inUse', title: 'in use' },
          { name: 'live', title: 'held' },
          { name: 'cached', title: 'cached' },
        ]}
      />
      <Timeline
        live={live}
        id="shares"
        title="Shares"
        text={percent}
        steps={[0.25, 0.5, 1]}
        most={1}
        lines={[
          { name: 'occupancy', title: 'occupancy' },
          { name: 'useful', title: 'useful' },
          { name: 'fragmentation', title: 'fragmentation' },
        ]}
      />
      <Timeline
        live={live}
        id="ticks"
        title="Ticks queued"
        text={whole}
        steps={COUNT_STEPS}
        lines={[{ name: 'mostTicks', title: 'the most since the last picture' }]}
      />
      <Timeline
        live={live}
        id="segments"
        title="Segments of the ring"
        text={whole}
        steps={COUNT_STEPS}
        lines={[{ name: 'segments', title: 'linked, of 2,048 slots each' }]}
      />
      <Timeline
        live={live}
        id="ids"
        title="Async ids"
        text={whole}
        steps={COUNT_STEPS}
        lines={[
          { name: 'depth', title: 'pairs pushed' },
          { name: 'capacity', title: 'room before the stack moves' },
        ]}
      />
    </div>
    <ClassTable live={live} />
    <EventLog live={live} />
    <Report live={live} />
  </>
);
