import { newer } from '../state/offline.js';
import { problems, settings } from '../state/settings.js';
import { RunControls } from './run-controls.jsx';

/** @import { Theme } from '../state/address.js' */
/** @import { Runner } from './run-controls.jsx' */

/** The words are those of index.html, so nothing jumps. @param {{ runner: Runner }} props */
export const Masthead = ({ runner }) => (
  <header class="masthead">
    <div class="title-row">
      <h1>slabring</h1>
      <ThemeChoice />
    </div>
    <p class="lead">
      Buffers and ticks in WebAssembly linear memory, seen by JavaScript and C++ alike without a
      copy.
    </p>
    <ul class="facts">
      <li>This page measures it in your own browser, against what engines and npm have.</li>
      <li>Every repetition runs in a fresh worker, implementations in turns, every sample kept.</li>
      <li>Nothing is loaded from elsewhere, and nothing leaves this browser.</li>
    </ul>
    {problems.map((problem) => (
      <p class="notice" key={problem}>
        {problem}
      </p>
    ))}
    {newer.value && (
      <p class="notice">
        A newer version of this page is here: close this one, in every tab, and open it again.
      </p>
    )}
    <RunControls runner={runner} />
  </header>
);

const ThemeChoice = () => (
  <label class="row small">
    Colours
    <select
      value={settings.value.theme}
      onChange={({ currentTarget }) => {
        settings.value = {
          ...settings.value,
          theme: /** @type {Theme} */ (currentTarget.value),
        };
      }}
    >
      <option value="system">as the system’s</option>
      <option value="light">light</option>
      <option value="dark">dark</option>
    </select>
  </label>
);
