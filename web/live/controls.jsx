import { LIMITS, marksOf, nearestMark, RATE, REGIONS } from './options.js';
import { counted, whole } from './text.js';
import { workloadOf, workloads } from './workloads.js';

/** @import { Live } from './live.js' */
/** @import { LiveOptions } from './options.js' */
/** @import { Scale } from './workloads.js' */

/** Of a second: what a single step does. */
export const STEP = 0.1;

/** @param {number} rate */
const stepsOf = (rate) => Math.max(1, Math.round(rate * STEP));

/**
 * @param {object} props
 * @param {string} props.id
 * @param {Scale} props.scale
 * @param {number} props.value
 * @param {(value: number) => void} props.onChange
 */
function Slider({ id, scale, value, onChange }) {
  const marks = marksOf(scale);
  const text = counted(value, scale.unit);
  return (
    <span class="field live-slider">
      <label for={id}>{scale.label}</label>
      <input
        id={id}
        type="range"
        min="0"
        max={String(marks.length - 1)}
        value={String(nearestMark(scale, value))}
        aria-valuetext={text}
        onInput={({ currentTarget }) => onChange(marks[Number(currentTarget.value)])}
      />
      <output for={id} class="number">
        {text}
      </output>
    </span>
  );
}

/**
 * @template {string | number} T
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.label
 * @param {T} props.value
 * @param {[value: T, text: string][]} props.choices
 * @param {(value: T) => void} props.onChange
 */
const Choice = ({ id, label, value, choices, onChange }) => (
  <span class="field">
    <label for={id}>{label}</label>
    <select
      id={id}
      value={String(value)}
      onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex][0])}
    >
      {choices.map(([choice, text]) => (
        <option key={String(choice)} value={String(choice)} selected={choice === value}>
          {text}
        </option>
      ))}
    </select>
  </span>
);

/**
 * @param {object} props
 * @param {Live} props.live
 * @param {LiveOptions} props.options
 * @param {(changed: Partial<LiveOptions>) => void} props.onChange
 */
export function Controls({ live, options, onChange }) {
  const { phase } = live;
  const workload = workloadOf(options.workload);
  const isOpen = phase.value === 'running' || phase.value === 'paused';

  const start = () => {
    if (!isOpen) live.open(options);
    live.run(true);
  };
  const step = () => {
    if (!isOpen) live.open(options);
    live.step(stepsOf(options.rate), STEP);
  };

  return (
    <div class="live-controls">
      <Choice
        id="live-workload"
        label="Workload"
        value={options.workload}
        choices={workloads.map(({ id, title }) => [id, title])}
        onChange={(id) => onChange({ workload: id })}
      />
      <p id="live-about" class="live-about">
        {workload.about}
      </p>
      <div class="row">
        <Slider
          id="live-rate"
          scale={RATE}
          value={options.rate}
          onChange={(rate) => onChange({ rate })}
        />
        <Slider
          id="live-size"
          scale={workload.size}
          value={options.size}
          onChange={(size) => onChange({ size })}
        />
        <Choice
          id="live-region"
          label="A region"
          value={options.region}
          choices={REGIONS.map((size) => [size, `${size} MiB`])}
          onChange={(region) => onChange({ region })}
        />
        <Choice
          id="live-most"
          label="All regions"
          value={options.most}
          choices={LIMITS.map((size) => [size, `${size} MiB`])}
          onChange={(most) => onChange({ most })}
        />
        <Choice
          id="live-full"
          label="When full"
          value={options.full}
          choices={[
            ['throw', 'throw ERR_HEAP_EXHAUSTED'],
            ['fallback', 'buffers from outside'],
          ]}
          onChange={(full) => onChange({ full })}
        />
      </div>
      <fieldset class="row live-buttons">
        <legend class="hidden-visually">The heap</legend>
        {phase.value === 'running' ? (
          <button type="button" class="primary" data-action="pause" onClick={() => live.run(false)}>
            Pause
          </button>
        ) : (
          <button type="button" class="primary" data-action="start" onClick={start}>
            {phase.value === 'paused' ? 'Go on' : 'Start'}
          </button>
        )}
        <button
          type="button"
          data-action="step"
          disabled={phase.value === 'running'}
          onClick={step}
        >
          Step <span class="muted small">{whole(stepsOf(options.rate))}</span>
        </button>
        <button
          type="button"
          data-action="reset"
          disabled={!isOpen}
          onClick={() => live.open(options)}
        >
          Reset
        </button>
        <button type="button" data-action="freeAll" disabled={!isOpen} onClick={live.freeAll}>
          Free all
        </button>
        <button type="button" data-action="trim" disabled={!isOpen} onClick={live.trim}>
          trim()
        </button>
      </fieldset>
    </div>
  );
}
