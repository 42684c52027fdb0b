/** The page: what runs, what is known of it, and what shows it. */

import { computed, effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.jsx';
import { makeAnalyst } from './run/analyst.js';
import { catalogue } from './run/catalogue.js';
import { environmentOf } from './run/context.js';
import { makeRunner } from './run/runner.js';
import { history } from './state/history.js';
import { keepOffline } from './state/offline.js';
import { makeReports } from './state/reports.js';
import { settings } from './state/settings.js';

// Its clock is looked at once the page has been seen.
const environment = new Promise((resolve) => setTimeout(resolve, 200)).then(environmentOf);
const runner = makeRunner({ catalogue, environment });
const analyst = makeAnalyst();
const reports = makeReports({ run: runner.results, analyst });

effect(() => {
  const { theme } = settings.value;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});

/** What runs may end twice, by a signal that changes for another reason. @type {unknown} */
let kept;
effect(() => {
  const { phase } = runner.state.value;
  const results = runner.results.value;
  if ((phase !== 'done' && phase !== 'stopped') || results === undefined || results === kept)
    return;
  if (!results.rows.some(({ repetitions }) => repetitions.length > 0)) return;
  kept = results;
  history.add(results);
});

render(
  <App
    runner={runner}
    analyst={analyst}
    history={history}
    environment={environment}
    page={{
      reports,
      errors: computed(() => runner.state.value.errors),
      absolute: computed(() => settings.value.absolute),
      setAbsolute(absolute) {
        settings.value = { ...settings.value, absolute };
      },
    }}
  />,
  /** @type {HTMLElement} */ (document.getElementById('app')),
);

keepOffline();
