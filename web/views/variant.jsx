import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { distributionsOf, distributionTable, figureTable, verdictTable } from '../model/tables.js';
import { TITLES } from '../state/reports.js';
import { DataTable } from './data-table.jsx';
import { Figure } from './figure.jsx';
import { inOrder, loadRatioChart, pointsOf } from './points.js';
import { useStable } from './stable.js';

/** @import { Distribution } from '../model/tables.js' */
/** @import { Name } from '../state/reports.js' */
/** @import { Page } from './cases.jsx' */

const loadDistributionChart = () =>
  import('../charts/distribution-chart.js').then(({ distributionChart }) => distributionChart);

/**
 * All rivals of one variant, and all its samples.
 * @param {{ page: Page, id: string, withChart: boolean }} props withChart: where none is above it
 */
export function VariantBody({ page, id, withChart }) {
  const { reports, absolute } = page;
  const sides = useComputed(() =>
    reports.shown.value
      .map((name) => ({ name, title: TITLES[name], findings: reports.of(name, id).value }))
      .filter(({ findings }) => findings.length > 0),
  );
  const chart = useStable(() => ({
    label: `${id}: ratios to all rivals`,
    points: inOrder(sides.value.flatMap(({ name, findings }) => pointsOf(name, findings))),
  }));
  const hasRivals = chart.value.points.length > 0;
  return (
    <div class="body">
      {hasRivals && (
        <>
          {withChart && <Figure chart={chart.value} load={loadRatioChart} />}
          <DataTable
            table={verdictTable(`${id}: ratios and verdicts`, sides.value, {
              withAbsolute: false,
            })}
          />
        </>
      )}
      {(!hasRivals || absolute.value) && (
        <DataTable table={figureTable(`${id}: absolute figures`, sides.value)} />
      )}
      {sides.value.map(({ name }) => (
        <Samples key={name} page={page} name={name} id={id} />
      ))}
    </div>
  );
}

/** @param {{ page: Page, name: Name, id: string }} props */
function Samples({ page: { reports }, name, id }) {
  const all = useSignal(/** @type {Distribution[] | undefined} */ (undefined));
  const problem = useSignal(/** @type {string | undefined} */ (undefined));
  // The same objects until there are other samples: a chart is drawn again only then.
  const byMetric = useComputed(() =>
    [...new Set(all.value?.map(({ metric }) => metric))].map((metric) => ({
      metric,
      distributions: all.value?.filter((one) => one.metric === metric) ?? [],
    })),
  );
  const report = reports.reports[name].value;
  const engine = reports.engineOf(name);
  useEffect(() => {
    let isGone = false;
    report?.whole().then(
      (results) => {
        if (!isGone) all.value = distributionsOf(results, id, engine);
      },
      (/** @type {Error} */ error) => {
        problem.value = error.message;
      },
    );
    return () => {
      isGone = true;
    };
  }, [report, engine, id]);
  if (problem.value !== undefined) {
    return <p class="problem">The samples could not be loaded: {problem.value}</p>;
  }
  if (all.value === undefined) return <p class="muted small">Loading the samples.</p>;
  return byMetric.value.map(({ metric, distributions }) => (
    <Distributions
      key={metric}
      title={`${id}: every sample in ${metric}, ${TITLES[name]}`}
      distributions={distributions}
    />
  ));
}

/** @param {{ title: string, distributions: Distribution[] }} props */
function Distributions({ title, distributions }) {
  const chart = useMemo(() => ({ label: title, distributions }), [title, distributions]);
  return (
    <Figure
      chart={chart}
      load={loadDistributionChart}
      caption={`${title}. A line for each process, its median in colour.`}
      table={distributionTable(title, distributions)}
    />
  );
}
