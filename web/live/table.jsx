import { Scrolling } from './scrolling.jsx';

/**
 * A number as it is, beside its text: what is compared or copied is exact.
 * @param {{ value: number, text: string }} props
 */
export const Figure = ({ value, text }) => <data value={String(value)}>{text}</data>;

/**
 * @param {object} props
 * @param {string} props.caption
 * @param {string[]} props.head of the columns; the first names the rows
 * @param {import('preact').ComponentChildren[][]} props.rows
 * @param {number} [props.sequence] of the snapshot that it shows
 * @param {string} [props.name] for who looks for this table
 */
export const Table = ({ caption, head, rows, sequence, name }) => (
  <Scrolling class="table tall" label={caption} name={name}>
    <table data-sequence={sequence}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((title, i) => (
            <th key={title} scope="col" class={i > 0 ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, ...cells], i) => (
          <tr key={typeof title === 'string' ? title : i}>
            <th scope="row">{title}</th>
            {cells.map((cell, j) => (
              <td key={head[j + 1]} class="number">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scrolling>
);
