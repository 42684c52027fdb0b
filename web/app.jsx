import { Analysing } from './views/analysing.js';
import { Cases } from './views/cases.jsx';
import { Environment } from './views/environment.jsx';
import { Keeping } from './views/keeping.jsx';
import { Later } from './views/later.jsx';
import { LiveSection } from './views/live-section.jsx';
import { Masthead } from './views/masthead.jsx';
import { Seeds } from './views/seeds.jsx';
import { Summary } from './views/summary.jsx';

/** @import { makeAnalyst } from './run/analyst.js' */
/** @import { Environment as Here } from './run/context.js' */
/** @import { Page } from './views/cases.jsx' */
/** @import { History } from './views/keeping.jsx' */
/** @import { Runner } from './views/run-controls.jsx' */

const SECTIONS = [
  ['summary', 'Summary'],
  ['seeds', 'Five ideas'],
  ['cases', 'Cases'],
  ['live', 'A heap at work'],
  ['keeping', 'Keep and compare'],
  ['environment', 'Where it is measured'],
];

/**
 * @param {object} props
 * @param {Runner} props.runner
 * @param {ReturnType<typeof makeAnalyst>} props.analyst
 * @param {Page} props.page
 * @param {History} props.history
 * @param {Promise<Here>} props.environment
 */
export const App = ({ runner, analyst, page, history, environment }) => (
  <Analysing.Provider value={analyst}>
    <a class="skip" href="#summary">
      Skip to the results
    </a>
    <Masthead runner={runner} />
    <nav aria-label="Sections">
      <ul class="contents">
        {SECTIONS.map(([id, title]) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
    <main>
      <Summary reports={page.reports} />
      <Seeds reports={page.reports} />
      <Cases page={page} />
      <LiveSection />
      <Later>{() => <Keeping reports={page.reports} history={history} />}</Later>
      <Later>{() => <Environment reports={page.reports} environment={environment} />}</Later>
    </main>
  </Analysing.Provider>
);
