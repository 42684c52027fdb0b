import { useComputed } from '@preact/signals';
import published from '../../bench/published.json';
import { caseOf, labelOf, SEEDS } from '../model/groups.js';
import { seedTable } from '../model/tables.js';
import { rivalsOf } from '../model/text.js';
import { IDEAS } from '../seeds.jsx';
import { TITLES } from '../state/reports.js';
import { DataTable } from './data-table.jsx';
import { Figure } from './figure.jsx';
import { Key } from './key.jsx';
import { Later } from './later.jsx';
import { inOrder, loadRatioChart, pointsOf } from './points.js';
import { useStable } from './stable.js';

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
        <Later key={seed.number}>{() => <SeedCard seed={seed} reports={reports} />}</Later>
      ))}
    </div>
  </section>
);

/**
 * As short as tells it from its neighbours.
 * @param {string[]} cases of the seed
 * @returns {(finding: Finding) => string}
 */
const lineOf = (cases) => (finding) => {
  const { id, metric } = finding;
  const words = labelOf(id);
  const name = cases.length > 1 || words === '' ? `${caseOf(id)} ${words}`.trim() : words;
  return metric === 'ns' ? name : `${name}, ${metric}`;
};

/** Before beside ours. @param {Finding[]} findings */
const pairOnly = (findings) =>
  findings.filter(({ name }) => name === 'slabring' || name.startsWith('before'));

/**
 * Each text once, with the variants that it is about where there are several texts.
 * @param {string[]} cases
 * @returns {{ text: string, of: string }[]}
 */
function publishedOf(cases) {
  /** @type {Map<string, string[]>} */
  const texts = new Map();
  for (const [id, text] of Object.entries(/** @type {Record<string, string>} */ (published))) {
    if (cases.includes(caseOf(id))) texts.set(text, [...(texts.get(text) ?? []), labelOf(id)]);
  }
  return [...texts].map(([text, labels]) => ({
    text,
    of: texts.size > 1 ? `${labels.join('; ')}: ` : '',
  }));
}

/** @param {{ seed: Seed, reports: Reports }} props */
function SeedCard({ seed: { number, title, idea, drawing: Drawing }, reports }) {
  const cases = SEEDS.find((seed) => seed.number === number)?.cases ?? [];
  const line = lineOf(cases);
  const sides = useComputed(() =>
    reports.shown.value.map((name) => ({
      name,
      title: TITLES[name],
      findings: pairOnly(
        [...reports.byId[name].value.values()]
          .flat()
          .filter(({ id }) => cases.includes(caseOf(id)))
          .toSorted((a, b) => cases.indexOf(caseOf(a.id)) - cases.indexOf(caseOf(b.id))),
      ),
    })),
  );
  const chart = useStable(() => ({
    label: `${title}: the technique before, in times of what it takes now`,
    points: inOrder(sides.value.flatMap(({ name, findings }) => pointsOf(name, findings, line))),
  }));
  const befores = new Set(
    sides.value.flatMap(({ findings }) => rivalsOf(findings).map(({ name }) => name)),
  );
  return (
    <article class="seed" data-seed={number}>
      <div>
        <h3>{title}</h3>
        <p class="small">
          <a href={`https://github.com/nodejs/node/pull/${number}`} rel="noreferrer">
            nodejs/node#{number}
          </a>
        </p>
        <Drawing />
        <p>{idea}</p>
        <h4>Published</h4>
        <ul class="small">
          {publishedOf(cases).map(({ text, of }) => (
            <li key={text}>
              {of}
              {text}
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h4>Measured</h4>
        {befores.size > 0 && (
          <>
            <Figure chart={chart.value} load={loadRatioChart} />
            <DataTable
              table={seedTable(`${title}: ${[...befores].join(', ')}`, sides.value, line)}
            />
          </>
        )}
        {sides.value
          .filter(({ findings }) => findings.length === 0)
          .map(({ name }) => (
            <p class="muted small" key={name}>
              {TITLES[name]}: not measured.
            </p>
          ))}
        {befores.size === 0 && <p class="muted">Not measured yet.</p>}
      </div>
    </article>
  );
}
