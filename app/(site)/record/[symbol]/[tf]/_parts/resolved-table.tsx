import type { ReactNode } from "react";
import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { formatDateTimeOn, formatIsoSeconds } from "@/app/_components/times";
import { exitLabel } from "@/app/(site)/_record/exit-label";
import { UTC_CLOCK } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { paths } from "@/lib/paths";
import type { Direction } from "@/lib/vocabulary";
import type { ResolvedSignal } from "@/lib/wire/contracts/record";

// Directions have no icon here: the page has many rows and is rendered again for every filter.
const DIRECTIONS: Record<Direction, { word: string; className: string }> = {
  BUY: { word: "BUY", className: "font-semibold text-up" },
  SELL: { word: "SELL", className: "font-semibold text-down" },
  NO_TRADE: { word: "NO TRADE", className: "text-muted" },
};
const DirectionWord = ({ direction }: { direction: Direction }) => (
  <span className={DIRECTIONS[direction].className}>{DIRECTIONS[direction].word}</span>
);

function Moment({ at }: { at: Date | null }) {
  if (at === null) return <span className="text-faint">–</span>;
  const iso = formatIsoSeconds(at);
  return (
    <time dateTime={iso} title={iso} className="whitespace-nowrap">
      {formatDateTimeOn(UTC_CLOCK, at)}
    </time>
  );
}

/** A price with a note below it, such as the reason of the exit. */
function Price({ value, digits, note }: { value: number | null; digits: number; note?: string | undefined }) {
  if (value === null) return <span className="text-faint">–</span>;
  return (
    <span className="block leading-tight">
      <span className="block">{formatNumber(value, priceDigits(digits, [value]))}</span>
      {note && <span className="block text-xs text-faint">{note}</span>}
    </span>
  );
}

function columnsOf(digits: number): Column<ResolvedSignal>[] {
  return [
    { key: "ts", header: "Candle", unit: "UTC", primary: true, cell: (row) => <Moment at={row.ts} /> },
    {
      key: "signal",
      header: "Signal",
      phone: "lower",
      cell: (row) => (
        <span className="inline-flex flex-wrap items-center gap-x-2">
          <DirectionWord direction={row.signal} />
          <span className="text-xs text-faint tabular-nums">{formatShare(row.confidence, 1)}</span>
          {row.entered_later && !row.simulated && <span className="text-xs text-warn">entered later</span>}
          {row.simulated && <span className="text-xs text-warn">simulated</span>}
        </span>
      ),
    },
    {
      key: "label",
      header: "Outcome",
      phone: "lower",
      cell: (row) =>
        row.label === null ? (
          <span className="text-faint">no outcome</span>
        ) : (
          <>
            <span className="sm:hidden">outcome </span>
            <DirectionWord direction={row.label} />
          </>
        ),
    },
    {
      key: "entry",
      header: "Entry",
      align: "right",
      cell: (row) => (
        <Price
          value={row.entry_price}
          digits={digits}
          note={
            row.barrier_distance === null
              ? undefined
              : `1 R = ${formatNumber(row.barrier_distance, priceDigits(digits, [row.entry_price]))}${row.rule ? `, rule ${row.rule}` : ""}`
          }
        />
      ),
    },
    {
      key: "exit",
      header: "Exit",
      align: "right",
      cell: (row) => (
        <Price
          value={row.exit_price}
          digits={digits}
          note={row.exit_reason === null ? undefined : exitLabel(row.exit_reason, row.horizon_candles)}
        />
      ),
    },
    { key: "ended", header: "Ended", unit: "UTC", cell: (row) => <Moment at={row.ended_at} /> },
    {
      key: "result",
      header: "Result",
      unit: "R",
      align: "right",
      phone: "upper",
      cell: (row) => (
        <>
          <MoneyText value={row.result_r} digits={3} mark={false} />
          {row.result_r !== null && <span className="text-xs text-muted sm:hidden"> R</span>}
        </>
      ),
    },
    { key: "model", header: "Model", cell: (row) => <span className="text-xs">{row.model_v}</span> },
    {
      key: "ledger",
      header: "Check",
      align: "right",
      phone: "lower",
      cell: (row) => (
        <a href={paths.verifySignal(row.entries)} className="link">
          <span className="sm:hidden">check </span>
          <span className="sr-only">signal </span>
          {row.seq}
        </a>
      ),
    },
  ];
}

/** Resolved signals of a slot with their prices and times, newest first. */
export function ResolvedTable({
  slot,
  signals,
  digits,
  isLater,
  footer,
}: {
  slot: string;
  signals: readonly ResolvedSignal[];
  /** Decimal places of a price. */
  digits: number;
  /** Whether the rows were entered later. */
  isLater: boolean;
  footer: ReactNode;
}) {
  return (
    <DataTable
      caption={`Resolved signals of ${slot}${isLater ? ", entered later" : ""}, newest first`}
      columns={columnsOf(digits)}
      rows={signals}
      rowKey={(row) => row.seq}
      twoLines
      footer={footer}
    />
  );
}
