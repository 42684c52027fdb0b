/** @import { Table } from '../model/tables.js' */

/** @param {Record<string, string>} [data] */
const attributes = (data = {}) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [`data-${key}`, value]));

/** A file may hold any number: all of them are in it. */
const MOST = 1000;

/**
 * Scrolls in itself where it is wider than the page; so it must be reached by keys.
 * @param {{ table: Table, tall?: boolean }} props
 */
export const DataTable = ({ table: { caption, columns, rows }, tall }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
  <section class={tall ? 'table tall' : 'table'} tabIndex={0} aria-label={caption}>
    <table>
      <caption>
        {caption}
        {rows.length > MOST && ` (the first ${MOST} of ${rows.length} rows)`}
      </caption>
      <thead>
        <tr>
          {columns.map(({ title, number, kind }) => (
            <th key={title} scope="col" class={number ? 'number' : kind}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MOST).map(({ cells: [head, ...cells], data }, i) => (
          <tr key={i} {...attributes(data)}>
            <th scope="row" class={columns[0].kind}>
              {head}
            </th>
            {cells.map((cell, j) => {
              const { title, number, kind } = columns[j + 1];
              return (
                <td key={title} class={number ? 'number' : kind}>
                  {cell}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
