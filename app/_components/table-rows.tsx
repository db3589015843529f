import type { ReactNode } from "react";

/** What the cells of a column have in common. */
export type CellLook = {
  /** The column's name, before the value in a card on a phone. */
  label?: string | undefined;
  phone?: "upper" | "lower" | undefined;
  /** The cell names its row. */
  isName?: boolean | undefined;
  className: string | undefined;
};

/** A row: its key, then what stands in each cell. */
export type CellsOfRow = readonly [key: string | number, ...cells: ReactNode[]];

/** The rows of a table, in its body. */
export function TableRows({
  columns,
  rows,
  boxed,
}: {
  columns: readonly CellLook[];
  rows: readonly CellsOfRow[];
  /** A box in each cell: in a card the cell is a flex row, which would part its words and links. */
  boxed: boolean;
}) {
  const inBox = (content: ReactNode) => (boxed ? <div className="min-w-0">{content}</div> : content);
  const each = rows.map(([key, ...cells]) => (
    // biome-ignore lint/a11y/noRedundantRoles: the role is lost with display: block
    <tr key={key} role="row" className="hover:bg-sunken/60">
      {columns.map(({ label, phone, isName, className }, index) => {
        const cell = { "data-phone": phone, "data-label": label, className };
        return isName ? (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no name but its place
          <th key={index} role="rowheader" scope="row" data-primary="" {...cell}>
            {inBox(cells[index])}
          </th>
        ) : (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <td key={index} role="cell" {...cell}>
            {inBox(cells[index])}
          </td>
        );
      })}
    </tr>
  ));
  return <>{each}</>;
}
