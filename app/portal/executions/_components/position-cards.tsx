import { Fragment, type ReactNode } from "react";
import { Badge } from "@/app/_components/badge";
import { DirectionMark } from "@/app/_components/direction-mark";
import { MoneyText } from "@/app/_components/money-text";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { Execution } from "@/db/queries/executions";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";

interface Reader {
  clock: WallClock;
  now: Date;
}

/** The place of a field on a card: the upper line (name, direction, amount) or the lower one (times, note). */
interface Part {
  place: "name" | "direction" | "amount" | "times" | "note";
  show: (row: Execution, reader: Reader) => ReactNode;
}

/** The part of each field on a card; null: not on the card. */
const PARTS: Record<keyof Execution, Part | null> = {
  symbol: { place: "name", show: (row) => row.symbol },
  timeframe: {
    place: "name",
    show: (row) => <span className="font-normal text-muted"> {row.timeframe}</span>,
  },
  signal: { place: "direction", show: (row) => <DirectionMark direction={row.signal} /> },
  pnl: {
    place: "amount",
    show: (row) =>
      row.closedAt ? (
        <MoneyText value={row.pnl === null ? null : Number(row.pnl)} />
      ) : (
        <Badge tone="accent">open</Badge>
      ),
  },
  openedAt: { place: "times", show: (row, reader) => <PortalTime at={row.openedAt} {...reader} /> },
  closedAt: {
    place: "times",
    show: (row, reader) =>
      row.closedAt && (
        <>
          {" to "}
          <PortalTime at={row.closedAt} {...reader} />
        </>
      ),
  },
  result: { place: "note", show: (row) => row.result },
  executionId: null,
  ticket: null,
  symbolSent: null,
  confidence: null,
  entryPrice: null,
  exitPrice: null,
  clockSuspect: null,
  volume: null,
  commission: null,
  swap: null,
  currency: null,
  magic: null,
  comment: null,
  terminal: null,
};

/** The list of positions on a phone: two lines for each position instead of nine columns. */
export function PositionCards({ rows, clock, now }: { rows: readonly Execution[] } & Reader) {
  return (
    <ul className="divide-y sm:hidden" aria-label={`Positions, times in ${clockOffsetLabel(clock, now)}`}>
      {rows.map((row) => {
        const part = (place: Part["place"]) =>
          Object.entries(PARTS).map(([field, shown]) =>
            shown?.place === place ? (
              <Fragment key={field}>{shown.show(row, { clock, now })}</Fragment>
            ) : null,
          );
        return (
          <li key={row.executionId}>
            <a href={paths.portalPosition(row.executionId)} className="block px-4 py-3 hover:bg-sunken/60">
              <div className="grid grid-cols-[minmax(0,1fr)_4.25rem_5.5rem] items-center gap-2 text-sm">
                <span className="font-medium break-words">{part("name")}</span>
                {part("direction")}
                <span className="text-right font-medium">{part("amount")}</span>
              </div>
              <div className="mt-1 flex items-baseline justify-between gap-3 text-xs text-faint">
                <span>{part("times")}</span>
                <span className="shrink-0">{part("note")}</span>
              </div>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
