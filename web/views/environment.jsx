import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { TITLES } from '../state/reports.js';

/** @import { Results } from '../../bench/harness/results.js' */
/** @import { Environment as Here } from '../run/context.js' */
/** @import { Reports } from '../state/reports.js' */

/** @param {number | undefined} nanoseconds */
const stepOf = (nanoseconds) =>
  nanoseconds === undefined ? 'unknown' : `${(nanoseconds / 1000).toLocaleString('en')} µs`;

/** @param {{ reports: Reports, environment: Promise<Here> }} props */
export function Environment({ reports, environment }) {
  const here = useSignal(/** @type {Here | undefined} */ (undefined));
  useEffect(() => {
    environment.then((value) => {
      here.value = value;
    });
  }, []);
  return (
    <section id="environment" aria-labelledby="environment-title">
      <h2 id="environment-title">Where it is measured</h2>
      <div class="columns">
        <div>
          <h3>{TITLES.run}</h3>
          {here.value === undefined ? (
            <p class="muted">Looking.</p>
          ) : (
            <>
              <Facts
                about={{ context: here.value.context, engines: { [here.value.engine]: {} } }}
              />
              <Isolation context={here.value.context} />
            </>
          )}
        </div>
        {reports.shown.value
          .filter((name) => name !== 'run')
          .map((name) => {
            const report = reports.reports[name].value;
            return (
              report && (
                <div key={name} data-environment={name}>
                  <h3>{TITLES[name]}</h3>
                  <Facts about={report.about} options={report.about.options} />
                  <Warnings warnings={report.warnings} />
                </div>
              )
            );
          })}
      </div>
      {reports.reports.run.value && (
        <>
          <h3>The run in this browser</h3>
          <Warnings warnings={reports.reports.run.value.warnings} />
        </>
      )}
    </section>
  );
}

/** @param {{ warnings: string[] }} props */
const Warnings = ({ warnings }) => (
  <ul class="small">
    {warnings.map((warning) => (
      <li key={warning}>{warning}</li>
    ))}
  </ul>
);

/**
 * @param {object} props
 * @param {{ context: Results['context'], engines: Record<string, unknown>, started?: string }} props.about
 * @param {Results['options']} [props.options]
 */
function Facts({ about: { context, engines, started }, options }) {
  const { cpu, cores, system, build, commit, packages } = context;
  return (
    <dl class="environment small">
      <dt>engine</dt>
      <dd>{Object.keys(engines).join(', ') || 'none'}</dd>
      <dt>processor</dt>
      <dd>
        {cpu === 'unknown' ? 'not told to pages' : cpu}, {cores} cores
      </dd>
      <dt>system</dt>
      <dd>{system}</dd>
      <dt>build</dt>
      <dd>
        {build}
        {commit !== undefined && `, commit ${commit.slice(0, 12)}`}
      </dd>
      {options && (
        <>
          <dt>run</dt>
          <dd>
            {options.quick && 'quick, '}
            {options.processes} fresh processes, {options.samples} samples of {options.milliseconds}{' '}
            ms, seed {options.seed}
            {started !== undefined && `, ${started.slice(0, 10)}`}
          </dd>
        </>
      )}
      <dt>versions</dt>
      <dd>
        {Object.entries(packages)
          .map(([name, version]) => `${name} ${version}`)
          .join(', ')}
      </dd>
    </dl>
  );
}

/** What it costs. @param {{ context: Results['context'] }} props */
const Isolation = ({ context: { isolated, clockStep } }) =>
  isolated ? (
    <p class="small" data-isolated="true">
      Cross-origin isolated: the clock steps by {stepOf(clockStep)}.
    </p>
  ) : (
    <p class="notice small" data-isolated="false">
      Not cross-origin isolated: the clock steps by {stepOf(clockStep)}, where an isolated page’s
      would by 5 to 20 µs. Samples last 100 steps at least, so figures stay right to a percent and
      the run takes longer. A host isolates the page by two headers:{' '}
      <code>Cross-Origin-Opener-Policy: same-origin</code> and{' '}
      <code>Cross-Origin-Embedder-Policy: require-corp</code>.
    </p>
  );
