import { Figure, Table } from './table.jsx';
import { percent, whole } from './text.js';

/** @import { Live } from './live.js' */

const PAGE = 65536;

/**
 * What there is of each size class.
 * @param {{ live: Live }} props
 */
export function ClassTable({ live }) {
  const moment = live.calm.value;
  if (moment === undefined) return null;
  const { classes, sequence } = moment.snapshot;
  const all = Array.from({ length: classes.length / 3 }, (_, i) => ({
    cellSize: classes[i * 3],
    slabs: classes[i * 3 + 1],
    held: classes[i * 3 + 2],
  }));
  const used = all.filter(({ slabs }) => slabs > 0);
  return (
    <div class="live-classes">
      <h3>Size classes</h3>
      <p class="muted small">
        {whole(used.length)} of {whole(all.length)} sizes of cells have slabs. Cells count as handed
        out while they are held, and while they are kept for quick use.
      </p>
      {used.length > 0 && (
        <Table
          name="classes"
          caption="Slabs and cells by size class"
          sequence={sequence}
          head={['Cell', 'Slabs', 'Cells handed out', 'Of', 'Occupancy']}
          rows={used.map(({ cellSize, slabs, held }) => {
            const cells = slabs * Math.floor(PAGE / cellSize);
            return [
              <Figure key="size" value={cellSize} text={`${whole(cellSize)} B`} />,
              <Figure key="slabs" value={slabs} text={whole(slabs)} />,
              <Figure key="held" value={held} text={whole(held)} />,
              <Figure key="cells" value={cells} text={whole(cells)} />,
              <span key="bar" class="live-bar">
                <meter
                  min="0"
                  max="1"
                  value={held / cells}
                  aria-label={`Occupancy of cells of ${whole(cellSize)} bytes`}
                />
                <span>{percent(held / cells)}</span>
              </span>,
            ];
          })}
        />
      )}
    </div>
  );
}
