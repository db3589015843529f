import { TriangleAlert } from "lucide-react";
import { Badge } from "@/app/_components/badge";
import type { Column } from "@/app/_components/data-table";
import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { Execution, ExecutionSort } from "@/db/queries/executions";
import type { PositionValue } from "@/lib/executions/value-positions";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { paths } from "@/lib/paths";

interface ColumnContext {
  clock: WallClock;
  now: Date;
  /** Decimal places of a symbol's prices. */
  digits: ReadonlyMap<string, number>;
  /** The results of open positions by `executionId`, as far as they are known. */
  values: ReadonlyMap<number, PositionValue>;
  /** The properties of a sortable column. */
  sortable: (sort: ExecutionSort) => Pick<Column<Execution>, "sortHref" | "sorted">;
}

const NOTHING = <span className="text-faint">–</span>;

/**
 * The columns of the list of positions on a wide screen, in order. Fields of a position for which `columns` is null
 * have none.
 */
export function executionColumns(context: ColumnContext): Column<Execution>[] {
  const { clock, now, sortable, values } = context;
  const unit = clockOffsetLabel(clock, now);
  const columns: Record<keyof Execution, Omit<Column<Execution>, "key"> | null> = {
    symbol: {
      header: "Symbol",
      primary: true,
      ...sortable("symbol"),
      cell: (row) => (
        <a href={paths.portalPosition(row.executionId)} className="link">
          {row.symbol} <span className="font-normal text-muted">{row.timeframe}</span>
        </a>
      ),
    },
    // No column: shown next to the symbol.
    timeframe: null,
    signal: { header: "Direction", cell: (row) => <DirectionMark direction={row.signal} /> },
    openedAt: {
      header: "Opened",
      unit,
      ...sortable("opened_at"),
      cell: (row) => (
        <>
          <PortalTime at={row.openedAt} clock={clock} now={now} />
          {row.clockSuspect && <ClockWarning />}
        </>
      ),
    },
    // No column: shown as a mark at the opening time.
    clockSuspect: null,
    closedAt: {
      header: "Closed",
      unit,
      ...sortable("closed_at"),
      cell: (row) =>
        row.closedAt ? (
          <PortalTime at={row.closedAt} clock={clock} now={now} />
        ) : (
          <Badge tone="accent">open</Badge>
        ),
    },
    entryPrice: { header: "Entry", align: "right", cell: (row) => price(context, row, row.entryPrice) },
    // Some EAs report 0 for a price that does not exist yet.
    exitPrice: {
      header: "Exit",
      align: "right",
      cell: (row) => {
        if (row.closedAt) return price(context, row, row.exitPrice);
        const market = values.get(row.executionId)?.market;
        return market ? (
          <span className="text-faint">now {price(context, row, String(market.price))}</span>
        ) : (
          NOTHING
        );
      },
    },
    pnl: {
      header: "P/L",
      align: "right",
      ...sortable("pnl"),
      cell: (row) => {
        if (row.closedAt) return <MoneyText value={row.pnl === null ? null : Number(row.pnl)} />;
        const value = values.get(row.executionId);
        return value?.r == null ? (
          <MoneyText value={value?.money ?? null} />
        ) : (
          <MoneyText value={value.r} unit="R" />
        );
      },
    },
    result: { header: "Result", cell: (row) => (row.result ? <Badge>{row.result}</Badge> : NOTHING) },
    ticket: {
      header: "Ticket",
      align: "right",
      ...sortable("ticket"),
      cell: (row) => <span className="text-muted">{row.ticket}</span>,
    },
    // No column: in the export.
    executionId: null,
    symbolSent: null,
    confidence: null,
    // No column: only on the page of the position.
    volume: null,
    commission: null,
    swap: null,
    currency: null,
    magic: null,
    comment: null,
    terminal: null,
  };
  return Object.entries(columns).flatMap(([key, column]) => (column ? [{ key, ...column }] : []));
}

function price({ digits }: ColumnContext, row: Execution, value: string | null) {
  if (value === null) return NOTHING;
  const shown = digits.get(row.symbol) ?? Math.min(8, (value.split(".")[1] ?? "").length);
  return formatNumber(Number(value), priceDigits(shown, [Number(value)]));
}

function ClockWarning() {
  return (
    <span className="ml-1 inline-flex text-warn" title="This time looks like the broker's clock sent as UTC">
      <TriangleAlert aria-hidden="true" className="size-3.5" />
      <span className="sr-only">looks like the broker's clock sent as UTC</span>
    </span>
  );
}
