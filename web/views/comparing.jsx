import { useSignal } from '@preact/signals';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { starsOf } from '../../bench/harness/compare.js';
import { comparisonTable } from '../model/tables.js';
import { TITLES } from '../state/reports.js';
import { settings } from '../state/settings.js';
import { Analysing } from './analysing.js';
import { DataTable } from './data-table.jsx';
import { Figure } from './figure.jsx';
import { entryTitle } from './keeping.jsx';

/** @import { Comparison } from '../../bench/harness/compare.js' */
/** @import { Name, Reports } from '../state/reports.js' */
/** @import { History } from './keeping.jsx' */

const loadChart = () =>
  import('../charts/comparison-chart.js').then(({ comparisonChart }) => comparisonChart);

const HISTORY = 'history-';

/** More lines would be no chart. */
const DRAWN = 120;

/** @param {{ reports: Reports, history: History }} props */
export function Comparing({ reports, history }) {
  const analyst = useContext(Analysing);
  const all = useSignal(false);
  const found = useSignal(/** @type {Comparison[] | undefined} */ (undefined));
  const problem = useSignal('');
  const { before = '', after = '' } = settings.value.compare ?? {};
  const chosen = useSignal({ before, after });

  /** @type {[name: string, title: string][]} */
  const choices = [
    ...reports.shown.value.map((name) => /** @type {[string, string]} */ ([name, TITLES[name]])),
    ...history.list.value.map(
      (entry) => /** @type {[string, string]} */ ([`${HISTORY}${entry.id}`, entryTitle(entry)]),
    ),
  ];
  const names = choices.map(([name]) => name);
  const isReady = names.includes(chosen.value.before) && names.includes(chosen.value.after);

  /** @param {string} name */
  const wholeOf = (name) =>
    name.startsWith(HISTORY)
      ? history.open(Number(name.slice(HISTORY.length)))
      : reports.reports[/** @type {Name} */ (name)].value?.whole();

  const versions = reports.shown.value.map((name) => reports.reports[name].value);
  useEffect(() => {
    if (!isReady) return;
    let isOld = false;
    const run = async () => {
      try {
        const sides = await Promise.all([
          wholeOf(chosen.value.before),
          wholeOf(chosen.value.after),
        ]);
        const [old, recent] = sides;
        if (isOld || old === undefined || recent === undefined) return;
        const comparisons = await analyst.compare(old, recent, { all: all.value });
        if (isOld) return;
        found.value = comparisons;
        problem.value = '';
      } catch (error) {
        problem.value = /** @type {Error} */ (error).message;
      }
    };
    run();
    return () => {
      isOld = true;
    };
  }, [chosen.value, all.value, isReady, ...versions.slice(0, 3)]);

  /** @param {'before' | 'after'} side @param {string} name */
  const choose = (side, name) => {
    const next = { ...chosen.value, [side]: name };
    chosen.value = next;
    found.value = undefined;
    settings.value = {
      ...settings.value,
      compare: next.before !== '' && next.after !== '' ? next : undefined,
    };
  };

  return (
    <>
      <h3>Compare two results</h3>
      <div class="row">
        {
          /** @type {const} */ (['before', 'after']).map((side) => (
            <label class="field" key={side}>
              {side}
              <select
                name={side}
                value={names.includes(chosen.value[side]) ? chosen.value[side] : ''}
                onChange={({ currentTarget }) => choose(side, currentTarget.value)}
              >
                <option value="">choose</option>
                {choices.map(([name, title]) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          ))
        }
        <label class="check">
          <input
            type="checkbox"
            checked={all.value}
            onChange={({ currentTarget }) => {
              all.value = currentTarget.checked;
            }}
          />
          rivals, too: they should not have changed
        </label>
      </div>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {isReady && found.value !== undefined && <Compared comparisons={found.value} />}
    </>
  );
}

/** @param {{ comparisons: Comparison[] }} props */
function Compared({ comparisons }) {
  const chart = useMemo(
    () => ({
      label: 'Improvements of the rate, per cent, from before to after',
      comparisons: comparisons.slice(0, DRAWN),
    }),
    [comparisons],
  );
  if (comparisons.length === 0) return <p class="muted">They have no variant in common.</p>;
  const count = comparisons.filter(({ p }) => p !== undefined).length;
  return (
    <div data-compared={comparisons.length}>
      <p class="small muted">
        How much the rate improved, with 95 % intervals; stars for p below 5, 1 and 0.1 %. Of{' '}
        {count} comparisons {(count * 0.05).toFixed(1)} are expected to look like a difference at 5
        % by chance.
        {comparisons.length > DRAWN && ` The chart shows the first ${DRAWN}, the table all.`}
      </p>
      <Figure chart={chart} load={loadChart} />
      <DataTable tall table={comparisonTable('Improvements of the rate', comparisons, starsOf)} />
    </div>
  );
}
