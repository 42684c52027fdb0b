import { originOf } from '../model/text.js';
import { TITLES } from '../state/reports.js';

/** @import { Name, Reports } from '../state/reports.js' */

/** As in the charts. @param {{ name: Name }} props */
export const Mark = ({ name }) => (
  <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true" class={`mark mark-${name}`}>
    {
      {
        reference: <circle r="4" />,
        run: <path d="M0 -5.5L4 0L0 5.5L-4 0Z" />,
        loaded: <path d="M0 -5L5 4H-5Z" />,
      }[name]
    }
  </svg>
);

/** What the marks stand for. @param {{ reports: Reports }} props */
export const Key = ({ reports }) => (
  <ul class="key">
    {reports.shown.value.map((name) => {
      const about = reports.reports[name].value?.about;
      return (
        <li key={name}>
          <Mark name={name} />
          <span>
            <b>{TITLES[name]}</b>
            {about && <span class="muted">: {originOf(about, reports.engineOf(name))}</span>}
          </span>
        </li>
      );
    })}
  </ul>
);
