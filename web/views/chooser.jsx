import { GROUPS, labelOf } from '../model/groups.js';
import { catalogue } from '../run/catalogue.js';
import { MOST, withCases } from '../state/address.js';
import { idsOf, settings } from '../state/settings.js';

/** @import { Settings } from '../state/address.js' */

/** @param {Settings['cases']} cases */
const choose = (cases) => {
  settings.value = withCases(settings.value, cases);
};

/** @param {string[]} ids @param {boolean} on */
function include(ids, on) {
  const chosen = new Set(idsOf({ ...settings.value, sizes: [] }));
  for (const id of ids) {
    if (on) chosen.add(id);
    else chosen.delete(id);
  }
  choose(catalogue.variants.map(({ id }) => id).filter((id) => chosen.has(id)));
}

/** @type {[key: 'processes' | 'samples' | 'milliseconds', title: string][]} */
const COUNTS = [
  ['processes', 'workers for each variant'],
  ['samples', 'samples in each'],
  ['milliseconds', 'milliseconds a sample'],
];

/** What is run, and how. All of it is in the address. @param {{ disabled: boolean }} props */
export function Chooser({ disabled }) {
  const { cases, seed, sizes } = settings.value;
  const chosen = new Set(idsOf({ ...settings.value, sizes: [] }));
  /** @param {'processes' | 'samples' | 'milliseconds' | 'seed'} key @param {string} text */
  const set = (key, text) => {
    if (key === 'seed' && text === '') settings.value = { ...settings.value, seed: undefined };
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > MOST[key]) return;
    settings.value = { ...settings.value, [key]: value };
  };
  const sets = /** @type {const} */ (['quick', 'all']);
  return (
    <fieldset disabled={disabled}>
      <legend>
        What runs: {idsOf(settings.value).length} of {catalogue.variants.length} variants
      </legend>
      <div class="row">
        {sets.map((one) => (
          <button
            key={one}
            type="button"
            class="small"
            aria-pressed={cases === one}
            onClick={() => choose(one)}
          >
            {one === 'quick' ? 'the quick set' : 'all'}
          </button>
        ))}
        <button type="button" class="small" onClick={() => choose([])}>
          none
        </button>
      </div>
      <div class="row">
        {COUNTS.map(([key, title]) => (
          <label class="field" key={key}>
            {title}
            <input
              type="number"
              min="1"
              max={MOST[key]}
              value={settings.value[key]}
              onChange={({ currentTarget }) => {
                set(key, currentTarget.value);
                currentTarget.value = String(settings.value[key]);
              }}
            />
          </label>
        ))}
        <label class="field">
          seed of the order; empty: another each time
          <input
            type="number"
            min="1"
            max={MOST.seed}
            value={seed ?? ''}
            onChange={({ currentTarget }) => {
              set('seed', currentTarget.value);
              currentTarget.value = String(settings.value.seed ?? '');
            }}
          />
        </label>
      </div>
      {sizes.length > 0 && (
        <p class="notice small">
          Of these, only sizes {sizes.join(', ')}.{' '}
          <button
            type="button"
            class="small"
            onClick={() => {
              settings.value = { ...settings.value, sizes: [] };
            }}
          >
            All sizes
          </button>
        </p>
      )}
      {GROUPS.map(({ key, title }) => {
        const variants = catalogue.variants.filter(({ group }) => group === key);
        if (variants.length === 0) return null;
        const ids = variants.map(({ id }) => id);
        const count = ids.filter((id) => chosen.has(id)).length;
        return (
          <fieldset key={key}>
            <legend>
              <label class="check">
                <input
                  type="checkbox"
                  checked={count === ids.length}
                  indeterminate={count > 0 && count < ids.length}
                  onChange={({ currentTarget }) => include(ids, currentTarget.checked)}
                />
                {title}
              </label>
            </legend>
            <div class="choices small">
              {variants.map(({ id, caseName }) => (
                <label class="check" key={id}>
                  <input
                    type="checkbox"
                    checked={chosen.has(id)}
                    onChange={({ currentTarget }) => include([id], currentTarget.checked)}
                  />
                  <span>{[caseName, labelOf(id)].filter(Boolean).join(': ')}</span>
                </label>
              ))}
            </div>
          </fieldset>
        );
      })}
    </fieldset>
  );
}
