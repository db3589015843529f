import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { LiveTimeAgo } from "@/app/portal/_components/live";
import type { Terminal } from "@/db/queries/terminals";
import { paths } from "@/lib/paths";

const COLUMNS: readonly Column<Terminal>[] = [
  {
    ...{ key: "server", header: "Server", primary: true },
    cell: (row) => `${row.server ?? "Not reported"}${row.account === null ? "" : ` (${row.account})`}`,
  },
  {
    ...{ key: "terminal", header: "Terminal" },
    cell: (row) => <code className="font-mono text-xs">{row.terminal.slice(0, 8)}</code>,
  },
  { key: "seen", header: "Last call", cell: (row) => <LiveTimeAgo at={row.lastSeenAt} /> },
  {
    ...{ key: "open", header: "Open", align: "right" },
    cell: (row) =>
      row.nOpen === 0 ? (
        "0"
      ) : (
        <a
          href={paths.portalExecutionList({ terminal: row.terminal, state: "open", days: 30 })}
          className="link"
        >
          {formatNumber(row.nOpen)}
        </a>
      ),
  },
  {
    ...{ key: "closed", header: "Closed", align: "right" },
    cell: (row) => (
      <a href={paths.portalExecutionList({ terminal: row.terminal, days: 30 })} className="link">
        {formatNumber(row.nClosed)}
      </a>
    ),
  },
  {
    ...{ key: "pnl", header: "P/L", align: "right" },
    cell: (row) =>
      row.pnl === null ? (
        "–"
      ) : (
        <>
          <MoneyText value={Number(row.pnl)} /> <span className="text-xs text-faint">{row.currency}</span>
        </>
      ),
  },
  {
    ...{ key: "not-traded", header: "Not traded", align: "right" },
    cell: (row) => formatNumber(row.nNotTraded),
  },
];

/** The terminals with this key: the last call of each, and its activity in 30 days. */
export function TerminalTable({ rows }: { rows: readonly Terminal[] }) {
  return (
    <DataTable
      caption="Terminals of this key"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ terminal }) => terminal}
    />
  );
}
