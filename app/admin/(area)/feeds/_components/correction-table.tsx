import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { Timestamp } from "@/app/_components/timestamp";
import type { CandleCorrectionRow } from "@/db/queries/feeds";
import { priceDigits } from "@/lib/market/price-digits";

/** Stored candles that were corrected, and feeds that disagreed with a stored candle. */
export function CorrectionTable({ corrections }: { corrections: readonly CandleCorrectionRow[] }) {
  return (
    <DataTable
      caption="Corrections and differences, newest first"
      columns={COLUMNS}
      rows={corrections}
      rowKey={(row) => row.id}
      empty={<EmptyState title="None">No closed candle was corrected, and no feed differs.</EmptyState>}
    />
  );
}

const FIELDS = [
  ["open", "oldOpen", "newOpen"],
  ["high", "oldHigh", "newHigh"],
  ["low", "oldLow", "newLow"],
  ["close", "oldClose", "newClose"],
] as const;

/** Two prices with the digits of the symbol, or with more if they would look equal. */
function priceChange(before: number, after: number, digits: number): string {
  let shown = priceDigits(digits, [before, after]);
  while (shown < 12 && formatNumber(before, shown) === formatNumber(after, shown)) shown++;
  return `${formatNumber(before, shown)} → ${formatNumber(after, shown)}`;
}

function Change({ row }: { row: CandleCorrectionRow }) {
  const prices = FIELDS.filter(([, before, after]) => row[before] !== row[after]);
  return (
    <ul className="text-xs tabular-nums">
      {prices.map(([name, before, after]) => (
        <li key={name}>
          {name} {priceChange(row[before], row[after], row.digits)}
        </li>
      ))}
      {row.oldVolume !== row.newVolume && (
        <li>
          volume {row.oldVolume === null ? "–" : formatNumber(row.oldVolume)} →{" "}
          {row.newVolume === null ? "–" : formatNumber(row.newVolume)}
        </li>
      )}
    </ul>
  );
}

const COLUMNS: Column<CandleCorrectionRow>[] = [
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
  { key: "at", header: "When", cell: (row) => <Timestamp at={row.at} /> },
  { key: "source", header: "By", cell: (row) => <span className="break-all">{row.source}</span> },
  {
    key: "what",
    header: "What",
    cell: (row) => (row.applied ? "corrected" : "differs; not changed"),
  },
  { key: "change", header: "Stored → sent", cell: (row) => <Change row={row} /> },
];
