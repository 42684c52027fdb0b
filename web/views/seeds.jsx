import { useComputed } from '@preact/signals';
import published from '../../bench/published.json';
import { caseOf, labelOf, SEEDS } from '../model/groups.js';
import { verdictTable } from '../model/tables.js';
import { rivalOf } from '../model/text.js';
import { IDEAS } from '../seeds.jsx';
import { NAMES, TITLES } from '../state/reports.js';
import { DataTable } from './data-table.jsx';
import { Figure } from './figure.jsx';
import { Key } from './key.jsx';
import { inOrder, loadRatioChart, pointsOf } from './points.js';

/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Reports } from '../state/reports.js' */
/** @import { Seed } from '../seeds.jsx' */

/** @param {{ reports: Reports }} props */
export const Seeds = ({ reports }) => (
  <section id="seeds" aria-labelledby="seeds-title">
    <h2 id="seeds-title">Five ideas from Node</h2>
    <p>
      Each began as a change to Node. Measured here is the technique alone, beside the one before
      it, on the same memory. The published figures are of Node as it was then, of whole operations:
      they say whether the direction is the same, no more.
    </p>
    <Key reports={reports} />
    <div class="seeds">
      {IDEAS.map((seed) => (
        <SeedCard key={seed.number} seed={seed} reports={reports} />
      ))}
    </div>
  </section>
);

/** @param {Finding} finding */
const lineOf = (finding) =>
  `${[caseOf(finding.id), labelOf(finding.id)].filter(Boolean).join(' ')}${finding.metric === 'ns' ? '' : `, ${finding.metric}`}`;

/** Before beside ours. @param {Finding[]} findings */
const pairOnly = (findings) =>
  findings.filter(({ name }) => name === 'slabring' || name.startsWith('before'));

/** @param {{ seed: Seed, reports: Reports }} props */
function SeedCard({ seed: { number, title, idea, drawing: Drawing }, reports }) {
  const cases = SEEDS.find((seed) => seed.number === number)?.cases ?? [];
  const sides = useComputed(() =>
    reports.shown.value.map((name) => ({
      name,
      title: TITLES[name],
      findings: [...reports.byId[name].value.values()]
        .flat()
        .filter(({ id }) => cases.includes(caseOf(id)))
        .flatMap((finding) => pairOnly([finding])),
    })),
  );
  const chart = useComputed(() => ({
    label: `${title}: the technique before it, in times of what it takes now`,
    points: inOrder(sides.value.flatMap(({ name, findings }) => pointsOf(name, findings, lineOf))),
  }));
  const ids = new Set(sides.value.flatMap(({ findings }) => findings.map(({ id }) => id)));
  const figures = Object.entries(/** @type {Record<string, string>} */ (published)).filter(([id]) =>
    cases.includes(caseOf(id)),
  );
  return (
    <article class="seed" data-seed={number}>
      <h3>{title}</h3>
      <p class="muted small">
        <a href={`https://github.com/nodejs/node/pull/${number}`} rel="noreferrer">
          nodejs/node#{number}
        </a>
      </p>
      <Drawing />
      <p>{idea}</p>
      {ids.size > 0 ? (
        <>
          <Figure chart={chart.value} load={loadRatioChart} />
          <DataTable
            table={verdictTable(`${title}: ${beforeOf(sides.value)}`, sides.value, {
              withAbsolute: true,
              label: lineOf,
            })}
          />
        </>
      ) : (
        <p class="muted">Not measured yet.</p>
      )}
      {NAMES.filter(
        (name) =>
          reports.reports[name].value &&
          sides.value.find((side) => side.name === name)?.findings.length === 0,
      ).map((name) => (
        <p class="muted small" key={name}>
          {TITLES[name]}: not measured.
        </p>
      ))}
      <h4>Published</h4>
      <ul class="small">
        {[...new Set(figures.map(([, text]) => text))].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </article>
  );
}

/** What they are compared with. @param {{ findings: Finding[] }[]} sides */
const beforeOf = (sides) =>
  [
    ...new Set(
      sides.flatMap(({ findings }) =>
        findings.filter(({ name }) => name !== 'slabring').map(({ name }) => name),
      ),
    ),
  ].join(', ') || rivalOf(/** @type {Finding} */ ({ name: 'before', metric: 'ns' }));
