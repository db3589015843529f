"use client";

import type { ReactNode } from "react";

/** Properties shared by the cells of a column. */
export type CellStyle = {
  /** The column's name, shown before the value in a card on a phone. */
  label?: string | undefined;
  phone?: "upper" | "lower" | undefined;
  /** Whether the cell is the row header. */
  isName?: boolean | undefined;
  className: string | undefined;
};

/** A row: its React key, then the content of its cells. */
export type CellsOfRow = readonly [key: string | number, ...cells: ReactNode[]];

/**
 * The rows of a table. A client component, because Next sends a server component twice, as data and as HTML, and rows are
 * half of a long page's elements.
 */
export function TableBody({
  className,
  columns,
  rows,
}: {
  className: string;
  columns: readonly CellStyle[];
  rows: readonly CellsOfRow[];
}) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: the role is lost with display: block
    <tbody role="rowgroup" className={className}>
      {rows.map(([key, ...cells]) => (
        // biome-ignore lint/a11y/noRedundantRoles: see above
        <tr key={key} role="row" className="hover:bg-sunken/60">
          {columns.map(({ label, phone, isName, className: cellClass }, index) => {
            const cell = { "data-phone": phone, "data-label": label, className: cellClass };
            // In a card the cell is a flex row, which would separate words and links without a wrapper.
            return isName ? (
              // biome-ignore lint/a11y/noRedundantRoles: see above
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no name but its place
              <th key={index} role="rowheader" scope="row" data-primary="" {...cell}>
                <div className="min-w-0">{cells[index]}</div>
              </th>
            ) : (
              // biome-ignore lint/a11y/noRedundantRoles: see above
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <td key={index} role="cell" {...cell}>
                <div className="min-w-0">{cells[index]}</div>
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  );
}
