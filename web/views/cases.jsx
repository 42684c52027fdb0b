import { useComputed } from '@preact/signals';
import { RATIO_INTERVAL } from '../../bench/harness/judging.js';
import { caseOf, GROUPS, groupOf, labelOf, OTHER, principal } from '../model/groups.js';
import { verdictTable } from '../model/tables.js';
import { absolute, range, rivalOf, rivalsOf } from '../model/text.js';
import { NAMES, TITLES } from '../state/reports.js';
import { Disclosure } from './disclosure.jsx';
import { Figure } from './figure.jsx';
import { Key, Mark } from './key.jsx';
import { Later } from './later.jsx';
import { inOrder, loadRatioChart, pointsOf } from './points.js';
import { useStable } from './stable.js';
import { VariantBody } from './variant.jsx';

/** @import { ReadonlySignal } from '@preact/signals' */
/** @import { Group } from '../model/groups.js' */
/** @import { Finding } from '../../bench/harness/analysis.js' */
/** @import { Reports } from '../state/reports.js' */

/**
 * @typedef {object} Page
 * @property {Reports} reports
 * @property {ReadonlySignal<Record<string, string>>} errors of the run, by id
 * @property {ReadonlySignal<boolean>} absolute whether absolute figures are shown
 * @property {(value: boolean) => void} setAbsolute
 */

/** All variants, by the group and case; those that are not in the reference behind it. @param {Reports} reports */
function useOrder(reports) {
  const ids = useComputed(() =>
    JSON.stringify([...new Set(NAMES.flatMap((name) => reports.reports[name].value?.ids ?? []))]),
  );
  return useComputed(() => {
    /** @type {Map<string, string[]>} */
    const byCase = new Map();
    for (const id of JSON.parse(ids.value)) {
      const name = caseOf(id);
      const list = byCase.get(name);
      if (list) list.push(id);
      else byCase.set(name, [id]);
    }
    return [...GROUPS, OTHER]
      .map((group) => ({
        group,
        cases: [...byCase].filter(([name]) => groupOf(name) === group),
      }))
      .filter(({ cases }) => cases.length > 0);
  });
}

/** @param {{ page: Page }} props */
export function Cases({ page }) {
  const order = useOrder(page.reports);
  return (
    <section id="cases" aria-labelledby="cases-title">
      <h2 id="cases-title">Cases</h2>
      <p>
        Ratios with their {RATIO_INTERVAL}s: how many times as much a rival takes. An interval that
        holds 1× shows no difference. <span class="number">~</span> marks what is noisy: processes
        differ by more than 5 %. A variant opens to all its rivals and to every sample.
      </p>
      <Key reports={page.reports} />
      <label class="check">
        <input
          type="checkbox"
          checked={page.absolute.value}
          onChange={({ currentTarget }) => page.setAbsolute(currentTarget.checked)}
        />
        absolute figures, too
      </label>
      {order.value.length > 1 && (
        <nav aria-label="Groups of cases">
          <ul class="contents">
            {order.value.map(({ group }) => (
              <li key={group.key}>
                <a href={`#group-${group.key}`}>{group.title}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {order.value.map(({ group, cases }) => (
        <GroupOfCases key={group.key} page={page} group={group} cases={cases} />
      ))}
    </section>
  );
}

/** @param {{ page: Page, group: Group, cases: [name: string, ids: string[]][] }} props */
function GroupOfCases({ page, group, cases }) {
  return (
    <section class="group" aria-labelledby={`group-${group.key}`}>
      <h3 id={`group-${group.key}`} tabIndex={-1}>
        {group.title}
      </h3>
      {cases.map(([name, ids]) => (
        <div class="case" key={name} data-case={name}>
          <h4>{name}</h4>
          {Object.hasOwn(page.reports.cases.value, name) && (
            <p class="muted">{page.reports.cases.value[name]}</p>
          )}
          <Later>
            {() => (
              <>
                <Overview key={ids.join('\n')} page={page} name={name} ids={ids} />
                {ids.map((id) => (
                  <Variant key={id} page={page} id={id} isOnly={ids.length === 1} />
                ))}
              </>
            )}
          </Later>
        </div>
      ))}
    </section>
  );
}

/** A rival that is left to be shown where only one can be, and its metric. @param {Finding[]} findings */
const headOf = (findings) => {
  const rivals = rivalsOf(findings).filter(({ ratio }) => ratio !== undefined);
  return rivals.length > 0 ? principal(rivals) : undefined;
};

/** @param {Finding} finding */
const lineOf = (finding) => [labelOf(finding.id), rivalOf(finding)].filter(Boolean).join(' · ');

/** Each variant beside the one rival that matters most; a single one beside all. @param {{ page: Page, name: string, ids: string[] }} props */
function Overview({ page, name, ids }) {
  const { reports } = page;
  const chart = useStable(() => {
    const sides = reports.shown.value.map((source) => ({
      name: source,
      title: TITLES[source],
      findings: ids.flatMap((id) => reports.of(source, id).value),
    }));
    const points = ids.flatMap((id) =>
      sides.flatMap(({ name: source, findings }) => {
        const own = findings.filter((finding) => finding.id === id);
        if (ids.length === 1) return pointsOf(source, own);
        const head = headOf(own);
        return head ? pointsOf(source, [head], lineOf) : [];
      }),
    );
    return {
      label: `${name}: ratios to ${ids.length === 1 ? 'all rivals' : 'one rival of each variant'}`,
      points: inOrder(points),
    };
  });
  if (chart.value.points.length === 0) return null;
  const table = verdictTable(
    `${name}: all variants and rivals`,
    reports.shown.value.map((source) => ({
      name: source,
      title: TITLES[source],
      findings: ids.flatMap((id) => reports.of(source, id).value),
    })),
    { withAbsolute: page.absolute.value, ...(ids.length > 1 && { label: lineOf }) },
  );
  return <Figure chart={chart.value} load={loadRatioChart} table={table} />;
}

/** @param {{ page: Page, id: string, isOnly: boolean }} props */
function Variant({ page, id, isOnly }) {
  const { reports, errors } = page;
  /** @type {[title: string, message: string | undefined][]} */
  const failures = NAMES.map((name) => [
    TITLES[name],
    // A run tells it before it is analysed.
    (name === 'run' ? errors.value[id] : undefined) ?? reports.reports[name].value?.errors[id],
  ]);
  return (
    <div data-variant={id}>
      <Disclosure
        class="variant"
        summary={
          <>
            <span>{labelOf(id) || caseOf(id)}</span>
            <Verdicts reports={reports} id={id} />
          </>
        }
      >
        {() => <VariantBody page={page} id={id} withChart={!isOnly} />}
      </Disclosure>
      {failures.map(
        ([title, message]) =>
          message !== undefined && (
            <p class="problem" key={title}>
              {title}, failed: {message}
            </p>
          ),
      )}
    </div>
  );
}

/** Figures without a rival that a line has room for. */
const TOLD = 3;

/** In words, of the rival that matters most. @param {{ reports: Reports, id: string }} props */
const Verdicts = ({ reports, id }) => (
  <span class="verdicts">
    {reports.shown.value.map((name) => {
      const findings = reports.of(name, id).value;
      const head = headOf(findings);
      if (findings.length === 0) return null;
      return (
        <span key={name}>
          <Mark name={name} /> <span class="hidden-visually">{TITLES[name]}: </span>
          {head ? (
            <>
              {head.verdict}
              {head.noisy && ' ~'}{' '}
              <span class="muted">
                against {rivalOf(head)}
                {head.ratio?.interval && ` (${range(head.ratio.interval, '×')})`}
              </span>
            </>
          ) : (
            findings.slice(0, TOLD).map(absolute).join(', ')
          )}
        </span>
      );
    })}
  </span>
);
