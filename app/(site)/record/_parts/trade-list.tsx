import { type Column, DataTable } from "@/app/_components/data-table";
import { MoneyText } from "@/app/_components/money-text";
import { formatSpan } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import { exitLabel } from "@/app/(site)/_record/exit-label";
import {
  type RecordPageQuery,
  recordPageQueryParams,
  type TradeOrder,
} from "@/app/(site)/_record/record-page-query";
import { compareSlots } from "@/lib/market/slot-order";
import { paths } from "@/lib/paths";
import type { Trade } from "@/lib/signals/record/read-trades";
import type { Side } from "@/lib/vocabulary";

/** Maximum number of trades in the list, which has the newest ones. */
export const MAX_LISTED_TRADES = 20;

const SIDE_CLASS: Record<Side, string> = { BUY: "font-semibold text-up", SELL: "font-semibold text-down" };

const ORDERS: Record<TradeOrder, (a: Trade, b: Trade) => number> = {
  slot: compareSlots,
  held: (a, b) => b.heldMinutes - a.heldMinutes,
  best: (a, b) => b.resultR - a.resultR,
  worst: (a, b) => a.resultR - b.resultR,
};

/** The newest trades with their outcome, sorted as the address says; by default newest first. */
export function TradeList({ trades, shown }: { trades: readonly Trade[]; shown: RecordPageQuery }) {
  const order = shown.trades;
  const newest = trades.slice(0, MAX_LISTED_TRADES);
  const sortHref = (by: TradeOrder | undefined) =>
    `${paths.record(recordPageQueryParams({ ...shown, trades: by, table: undefined }))}#trades`;
  const columns: Column<Trade>[] = [
    {
      key: "ended",
      header: "Closed",
      primary: true,
      sortHref: sortHref(undefined),
      ...(order === undefined && { sorted: "descending" as const }),
      cell: ({ endedAt }) => <Timestamp at={endedAt} />,
    },
    {
      key: "slot",
      header: "Slot",
      phone: "lower",
      sortHref: sortHref("slot"),
      ...(order === "slot" && { sorted: "ascending" as const }),
      cell: ({ symbol, timeframe }) => (
        // A plain link, because the page has no client-side router.
        <a href={paths.recordSlot(symbol, timeframe)} className="link">
          {symbol} {timeframe}
        </a>
      ),
    },
    {
      key: "side",
      header: "Signal",
      phone: "lower",
      cell: ({ direction }) => <span className={SIDE_CLASS[direction]}>{direction}</span>,
    },
    {
      key: "held",
      header: "Held",
      align: "right",
      phone: "lower",
      sortHref: sortHref("held"),
      ...(order === "held" && { sorted: "descending" as const }),
      cell: ({ heldMinutes }) => formatSpan(heldMinutes),
    },
    {
      key: "exit",
      header: "Exit",
      phone: "lower",
      cell: ({ exitReason, horizonCandles }) => exitLabel(exitReason, horizonCandles),
    },
    {
      key: "result",
      header: "Result",
      unit: "R",
      align: "right",
      phone: "upper",
      sortHref: sortHref(order === "best" ? "worst" : "best"),
      ...(order === "best" && { sorted: "descending" as const }),
      ...(order === "worst" && { sorted: "ascending" as const }),
      cell: ({ resultR }) => (
        <>
          <MoneyText value={resultR} mark={false} />
          <span className="text-xs text-muted sm:hidden"> R</span>
        </>
      ),
    },
  ];
  return (
    <DataTable
      caption={`The last ${newest.length} trades`}
      columns={columns}
      rows={order === undefined ? newest : newest.toSorted(ORDERS[order])}
      rowKey={({ symbol, timeframe, ts }) => `${symbol} ${timeframe} ${ts.getTime()}`}
      twoLines
    />
  );
}
