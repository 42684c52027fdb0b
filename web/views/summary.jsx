import { useSignal } from '@preact/signals';
import { GROUPS, KINDS, OTHER } from '../model/groups.js';
import { geometricMeans, pairsOf } from '../model/means.js';
import { short, times } from '../model/text.js';
import { NAMES, TITLES } from '../state/reports.js';
import { Figure } from './figure.jsx';
import { Key } from './key.jsx';
import { loadRatioChart } from './points.js';
import { useStable } from './stable.js';

/** @import { Kind } from '../model/groups.js' */
/** @import { Mean } from '../model/means.js' */
/** @import { Table } from '../model/tables.js' */
/** @import { Name, Reports } from '../state/reports.js' */

/** @typedef {Mean & { source: Name }} Entry */

const KIND_ORDER = /** @type {Kind[]} */ (Object.keys(KINDS));

/** @param {Mean} mean */
const titleOf = ({ group, kind }) =>
  `${[...GROUPS, OTHER].find(({ key }) => key === group)?.title}: ${KINDS[kind]}`;

/** @param {Entry[]} entries in the order of the page @returns {Entry[]} */
function inOrder(entries) {
  const groups = [...GROUPS, OTHER].map(({ key }) => key);
  const rank = (/** @type {Entry} */ { group, kind, source }) =>
    (groups.indexOf(group) * 10 + KIND_ORDER.indexOf(kind)) * 10 + NAMES.indexOf(source);
  return entries.toSorted((a, b) => rank(a) - rank(b));
}

/** @param {Entry[]} entries @returns {Table} */
const tableOf = (entries) => ({
  caption: 'Geometric means of the ratios of times, rivals to slabring',
  columns: [
    { title: 'group and rivals' },
    { title: 'measured' },
    { title: 'mean', number: true },
    { title: 'smallest', number: true },
    { title: 'largest', number: true },
    { title: 'comparisons', number: true },
  ],
  rows: entries.map((entry) => ({
    cells: [
      titleOf(entry),
      TITLES[entry.source],
      times(entry.value),
      times(entry.least),
      times(entry.most),
      String(entry.count),
    ],
    data: { source: entry.source, group: entry.group, kind: entry.kind, mean: String(entry.value) },
  })),
});

/** @param {{ reports: Reports }} props */
export function Summary({ reports }) {
  const onlyShared = useSignal(true);
  const chart = useStable(() => {
    const names = reports.shown.value;
    const findings = names.map((name) => [...reports.byId[name].value.values()].flat());
    const sets = findings.map(pairsOf);
    const includes = (/** @type {string} */ pair) =>
      !onlyShared.value || sets.every((set) => set.size === 0 || set.has(pair));
    const entries = inOrder(
      names.flatMap((source, i) =>
        geometricMeans(findings[i], includes).map((mean) => ({ ...mean, source })),
      ),
    );
    return {
      label: 'Geometric means by group of how many times as much rivals take as slabring',
      table: tableOf(entries),
      points: entries.map((entry) => ({
        label: titleOf(entry),
        source: entry.source,
        value: entry.value,
        interval: /** @type {[number, number]} */ ([entry.least, entry.most]),
        title: `${titleOf(entry)}, ${TITLES[entry.source]}: ${short(entry.value)} times as much, of ${entry.count} comparisons`,
      })),
    };
  });
  const { table, points } = chart.value;
  const several = reports.shown.value.length > 1;
  return (
    <section id="summary" aria-labelledby="summary-title">
      <h2 id="summary-title">Summary</h2>
      <p>
        How many times as long the others take as slabring: the geometric mean over all comparisons
        of a group. Right of 1× slabring is quicker. Lines reach from the smallest ratio to the
        largest.
      </p>
      <Key reports={reports} />
      {several && (
        <label class="check">
          <input
            type="checkbox"
            checked={onlyShared.value}
            onChange={({ currentTarget }) => {
              onlyShared.value = currentTarget.checked;
            }}
          />
          only what all of them measured: means of the same comparisons
        </label>
      )}
      {points.length > 0 ? (
        <Figure chart={chart.value} load={loadRatioChart} table={table} />
      ) : (
        <p class="muted">
          {reports.problems.reference.value ??
            (several ? 'Nothing was measured by all of them.' : 'Nothing to be compared yet.')}
        </p>
      )}
    </section>
  );
}
