import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { Timestamp } from "@/app/_components/timestamp";
import type { OddCandleRow } from "@/db/queries/odd-candles";

/** Stored candles that may be wrong: bad ticks, and splits of a share. */
export function OddCandleTable({ candles }: { candles: readonly OddCandleRow[] }) {
  return (
    <DataTable
      caption="Odd candles, newest first"
      columns={COLUMNS}
      rows={candles}
      rowKey={(row) => `${row.symbol}/${row.timeframe}/${row.ts.getTime()}`}
    />
  );
}

const COLUMNS: Column<OddCandleRow>[] = [
  {
    key: "candle",
    header: "Candle",
    primary: true,
    cell: (row) => (
      <>
        {row.symbol} {row.timeframe}, <Timestamp at={row.ts} />
      </>
    ),
  },
  {
    key: "kind",
    header: "What",
    cell: (row) =>
      row.kind === "split"
        ? `split, new price ${formatNumber(row.size, 3)} of the old`
        : `bad tick, ${formatNumber(100 * row.size, 1)} % off`,
  },
  { key: "found", header: "Found", cell: (row) => <Timestamp at={row.foundAt} /> },
];
