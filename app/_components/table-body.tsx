"use client";

import { type CellLook, type CellsOfRow, TableRows } from "./table-rows";

/**
 * The rows of a table whose cells may hold anything. A client component so that the framework's data hold what stands in
 * the cells and not the cells: a server component is written twice, as data and as HTML, and rows and cells are half of a
 * long page's elements.
 */
export function TableBody({
  className,
  columns,
  rows,
}: {
  className: string;
  columns: readonly CellLook[];
  rows: readonly CellsOfRow[];
}) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: the role is lost with display: block
    <tbody role="rowgroup" className={className}>
      <TableRows columns={columns} rows={rows} boxed />
    </tbody>
  );
}
