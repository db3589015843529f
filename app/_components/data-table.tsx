import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";
import { Hint } from "./hint";
import { ScrollRegion } from "./scroll-region";
import { type CellsOfRow, TableBody } from "./table-body";
import { WithTerms } from "./term";

export type SortDirection = "ascending" | "descending";

export type Column<Row> = {
  key: string;
  header: string;
  /** Written small after the header, so that the cells contain bare numbers. */
  unit?: string;
  /** Explains the column, behind a mark next to its header. */
  hint?: string;
  align?: "left" | "right";
  /** The row header, and the title of the card on a phone. */
  primary?: boolean;
  /**
   * The column's line on a phone in a table with two lines per row: the end of the upper one, or the lower one. In such
   * a table, columns without it are hidden on a phone, except the primary one.
   */
  phone?: "upper" | "lower";
  /** The address that sorts by this column. */
  sortHref?: string;
  sorted?: SortDirection;
  cell: (row: Row) => ReactNode;
};

// In cards on a phone every value is right-aligned next to its name. By default a td is left-aligned and a th centred.
const ALIGN = {
  cards: { name: "font-medium sm:text-left", left: undefined, right: "tabular-nums sm:text-right" },
  columns: { name: "font-medium text-left", left: undefined, right: "tabular-nums text-right" },
} as const;

// Set once on the body, because class names on every cell would be half of a long table's HTML.
const BODY = {
  cards: "sm:[&>tr>*]:h-11 sm:[&>tr>*]:px-3 sm:[&>tr>*:first-child]:pl-6 sm:[&>tr>*:last-child]:pr-6",
  columns:
    "[&>tr>*]:h-11 [&>tr>*]:px-3 [&>tr>*:first-child]:pl-4 [&>tr>*:last-child]:pr-4 sm:[&>tr>*:first-child]:pl-6 sm:[&>tr>*:last-child]:pr-6",
} as const;
const LINES = {
  wrap: "sm:[&>tr>*]:py-2.5 sm:[&>tr>*]:align-top",
  one: "sm:[&>tr>*]:whitespace-nowrap",
} as const;

const SORT_MARK = { ascending: ArrowUp, descending: ArrowDown } as const;

const labelOf = <Row,>({ header, unit }: Column<Row>) => (unit ? `${header}, ${unit}` : header);

function HeaderText<Row>({ column }: { column: Column<Row> }) {
  // A link that sorts must not contain another link.
  const written = (text: string) => (column.sortHref ? text : <WithTerms text={text} />);
  const text = (
    <>
      {written(column.header)}
      {column.unit && " "}
      {column.unit && <span className="font-normal text-faint">{written(column.unit)}</span>}
    </>
  );
  if (!column.sortHref) return text;
  const Mark = column.sorted ? SORT_MARK[column.sorted] : ChevronsUpDown;
  return (
    <a
      href={column.sortHref}
      data-keeps-scroll
      className={classNames(
        "-mx-1.5 inline-flex min-h-6 items-center gap-1 rounded-sm px-1.5 hover:bg-sunken hover:text-ink",
        column.sorted && "text-ink",
      )}
    >
      <span>{text}</span>
      <Mark aria-hidden="true" className={classNames("size-3", !column.sorted && "text-faint")} />
    </a>
  );
}

/**
 * A table whose rows become cards on a phone. Roles are explicit because browsers drop table semantics when CSS changes
 * `display`.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
  footer,
  cards = true,
  wrap = false,
  twoLines = false,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  empty?: ReactNode;
  footer?: ReactNode;
  /** false keeps the columns on a phone and scrolls the table sideways. */
  cards?: boolean;
  /** Cells contain sentences: lines wrap and text is aligned to the top. */
  wrap?: boolean;
  /** On a phone a row has two lines with the columns that set `phone`, instead of a card with all columns. */
  twoLines?: boolean;
}) {
  if (rows.length === 0 && empty) return empty;
  const layout = cards ? "cards" : "columns";
  const body = classNames("divide-y", BODY[layout], LINES[wrap ? "wrap" : "one"]);
  const cellStyles = columns.map((column) => ({
    // Shown only on a phone, in a card.
    label: cards && !twoLines ? labelOf(column) : undefined,
    phone: twoLines ? column.phone : undefined,
    isName: column.primary,
    className: ALIGN[layout][column.primary ? "name" : (column.align ?? "left")],
  }));
  const cells = rows.map((row): CellsOfRow => [rowKey(row), ...columns.map((column) => column.cell(row))]);
  const table = (
    <table
      // biome-ignore lint/a11y/noRedundantRoles: see above, the role is lost with display: block
      role="table"
      className={classNames(
        "w-full border-collapse text-sm",
        cards && (twoLines ? "table-lines" : "table-cards"),
        cards && wrap && "table-cards-text",
      )}
    >
      <caption className="sr-only">{caption}</caption>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <tr role="row" className="border-b">
          {columns.map((column) => (
            <th
              key={column.key}
              // biome-ignore lint/a11y/noRedundantRoles: see above
              role="columnheader"
              scope="col"
              aria-sort={column.sortHref ? (column.sorted ?? "none") : undefined}
              className={classNames(
                "h-10 px-3 text-xs font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6",
                column.align === "right" ? "text-right" : "text-left",
              )}
            >
              <HeaderText column={column} />
              {column.hint && (
                <span className="ml-4 inline-block align-middle">
                  <Hint about={column.header}>{column.hint}</Hint>
                </span>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <TableBody className={body} columns={cellStyles} rows={cells} />
    </table>
  );
  return (
    <>
      <ScrollRegion label={caption}>{table}</ScrollRegion>
      {footer && <div className="border-t px-4 py-3 sm:px-6">{footer}</div>}
    </>
  );
}
