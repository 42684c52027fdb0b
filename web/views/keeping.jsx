import { useSignal } from '@preact/signals';
import { download, load } from '../state/files.js';
import { markdownOf } from '../state/markdown.js';
import { TITLES } from '../state/reports.js';
import { Comparing } from './comparing.jsx';

/** @import { makeHistory, Entry } from '../state/history.js' */
/** @import { Name, Reports } from '../state/reports.js' */

/** @typedef {ReturnType<typeof makeHistory>} History */

/** @param {Entry} entry */
export const entryTitle = ({ started, engine, complete, quick, variants }) =>
  `${new Date(started).toLocaleString()}, ${engine}, ${quick ? 'quick, ' : ''}${variants} variants${complete ? '' : ', ended early'}`;

/** @param {{ reports: Reports, history: History }} props */
export function Keeping({ reports, history }) {
  const problem = useSignal('');
  const told = useSignal('');

  /** Says what went wrong, and what went well. @param {() => Promise<string>} action */
  const attempt = async (action) => {
    problem.value = '';
    told.value = '';
    try {
      told.value = await action();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };

  const shown = reports.shown.value;
  return (
    <section id="keeping" aria-labelledby="keeping-title">
      <h2 id="keeping-title">Keep and compare</h2>
      <p>
        Files are those of <code>npm run bench -- --json</code>: runs of Node and of browsers can be
        laid side by side. The address holds all settings, the seed of the last run too: whoever
        opens it runs the same.
      </p>
      <div class="row">
        {shown.map((name) => (
          <Saving key={name} reports={reports} name={name} attempt={attempt} />
        ))}
      </div>
      <div class="row">
        <label class="file-label">
          Load results…
          <input
            class="hidden-visually"
            type="file"
            accept=".json,application/json"
            onChange={async ({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file === undefined) return;
              await attempt(async () => {
                await reports.load(await load(file), file.name);
                return `${file.name} is shown beside the others.`;
              });
              // The same file can be chosen again.
              currentTarget.value = '';
            }}
          />
        </label>
        {shown.includes('loaded') && (
          <button type="button" onClick={() => reports.unload()}>
            Put away {reports.reports.loaded.value?.file ?? 'what was loaded'}
          </button>
        )}
        <Engines reports={reports} />
      </div>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <p class="small" role="status">
        {told.value}
      </p>
      {history.problem.value !== undefined && (
        <p class="notice">Runs are not kept here: {history.problem.value}.</p>
      )}
      <Comparing reports={reports} history={history} />
      <h3>Earlier runs in this browser</h3>
      {history.list.value.length === 0 ? (
        <p class="muted">None yet. They are kept on this device only.</p>
      ) : (
        <>
          <ul class="history">
            {history.list.value.map((entry) => (
              <li key={entry.id}>
                <span>{entryTitle(entry)}</span>
                <button
                  type="button"
                  class="small"
                  aria-label={`Open: ${entryTitle(entry)}`}
                  onClick={() =>
                    attempt(async () => {
                      await reports.load(await history.open(entry.id), entryTitle(entry));
                      return 'The earlier run is shown beside the others.';
                    })
                  }
                >
                  Open
                </button>
              </li>
            ))}
          </ul>
          <button type="button" onClick={() => history.clear()}>
            Clear the history
          </button>
        </>
      )}
    </section>
  );
}

/**
 * @param {{ reports: Reports, name: Name, attempt: (action: () => Promise<string>) => void }} props
 */
function Saving({ reports, name, attempt }) {
  const report = reports.reports[name].value;
  if (report === undefined) return null;
  const title = TITLES[name];
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="row">
        <button
          type="button"
          data-download={name}
          aria-label={`Download JSON: ${title}`}
          onClick={() =>
            attempt(async () => {
              download(await report.whole());
              return 'Downloaded.';
            })
          }
        >
          Download JSON
        </button>
        <button
          type="button"
          data-copy={name}
          aria-label={`Copy as Markdown: ${title}`}
          onClick={() =>
            attempt(async () => {
              const address = name === 'run' ? location.href : undefined;
              await copy(markdownOf(report, address));
              return 'Copied as Markdown.';
            })
          }
        >
          Copy as Markdown
        </button>
      </div>
    </fieldset>
  );
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a permission, or over plain http.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'hidden-visually';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    if (!isCopied) throw new Error('This browser does not let the page copy.');
  }
}

/** Of files that hold several. @param {{ reports: Reports }} props */
const Engines = ({ reports }) =>
  reports.shown.value.map((name) => {
    const all = Object.keys(reports.reports[name].value?.about.engines ?? {});
    if (all.length < 2) return null;
    return (
      <label class="field" key={name}>
        engine of {TITLES[name]}
        <select
          value={reports.engineOf(name)}
          onChange={({ currentTarget }) => {
            reports.engines.value = { ...reports.engines.value, [name]: currentTarget.value };
          }}
        >
          {all.map((engine) => (
            <option key={engine} value={engine}>
              {engine}
            </option>
          ))}
        </select>
      </label>
    );
  });
