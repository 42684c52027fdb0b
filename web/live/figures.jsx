import { Disclosure } from '../views/disclosure.jsx';
import { SHARES } from './shares.js';
import { Figure } from './table.jsx';
import { inBytes, percent, whole } from './text.js';

/** @import { Live } from './live.js' */
/** @import { Figures as Values } from './session.js' */

/** @type {{ name: keyof Values, title: string, text: (value: number) => string, about: string }[]} */
const FIGURES = [
  {
    name: 'live',
    title: 'Held',
    text: inBytes,
    about: 'Bytes in cells and runs that the program holds, each with its whole size.',
  },
  {
    name: 'asked',
    title: 'Asked for',
    text: inBytes,
    about: 'Bytes that the workload asked for, in what it holds now.',
  },
  {
    name: 'cached',
    title: 'Cached',
    text: inBytes,
    about: 'Freed buffers and cells that are kept for quick use.',
  },
  { name: 'inUse', title: 'In use', text: inBytes, about: 'Pages in slabs and runs.' },
  {
    name: 'touched',
    title: 'Touched',
    text: inBytes,
    about:
      'Pages that were ever handed out, and the module’s own: as much can be in memory, no more.',
  },
  {
    name: 'reserved',
    title: 'Reserved',
    text: inBytes,
    about: 'Address space of all regions.',
  },
  {
    name: 'buffers',
    title: 'Buffers',
    text: whole,
    about: 'Blocks that are held, C++’s included.',
  },
  {
    name: 'fallbacks',
    title: 'From outside',
    text: whole,
    about: 'Buffers that a full heap gave from outside, ever.',
  },
  { name: 'refused', title: 'Refused', text: whole, about: 'Steps that found no room.' },
];

/**
 * The figures of one instant.
 * @param {{ live: Live }} props
 */
export function Figures({ live }) {
  const moment = live.calm.value;
  if (moment === undefined) return null;
  const { snapshot, shares } = moment;
  return (
    <>
      <dl class="live-figures">
        <div data-figure="steps">
          <dt>Steps</dt>
          <dd>
            <Figure value={snapshot.steps} text={whole(snapshot.steps)} />
          </dd>
        </div>
        {FIGURES.map(({ name, title, text }) => (
          <div key={name} data-figure={name}>
            <dt>{title}</dt>
            <dd>
              <Figure value={snapshot.figures[name]} text={text(snapshot.figures[name])} />
            </dd>
          </div>
        ))}
        {SHARES.map(({ name, title }) => (
          <div key={name} data-figure={name} class="live-share">
            <dt>{title}</dt>
            <dd>
              <Figure value={shares[name]} text={percent(shares[name])} />
            </dd>
          </div>
        ))}
      </dl>
      <Disclosure summary="What each of these is">
        {() => (
          <dl class="live-words">
            {[...FIGURES, ...SHARES].map(({ title, about }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        )}
      </Disclosure>
    </>
  );
}
