import { type Column, DataTable } from "@/app/_components/data-table";
import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber, formatSigned } from "@/app/_components/figures";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { microRToR, ownResultMicroR } from "@/lib/executions/own-record/decompose";
import { isFetchedLater, isMadeLate, type SignalJourney } from "@/lib/executions/own-record/journey";
import type { WallClock } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { NOT_TRADED_REASON_LABELS } from "./not-traded-reason-table";

const WAY = { scan: "scan", wait: "long poll", stream: "stream", history: "history" } as const;

/** The signal's price or result above the subscriber's; a single dash if there is neither. */
const stacked = (signal: string, own: string) =>
  signal === "–" && own === "–" ? (
    "–"
  ) : (
    <>
      {signal}
      <br />
      <span className="text-muted">{own}</span>
    </>
  );

/** The newest signals: when each was made, fetched and entered, and at which prices. */
export function NewestSignalsTable({
  journeys,
  digits,
  clock,
  now,
}: {
  journeys: readonly SignalJourney[];
  digits: ReadonlyMap<string, number>;
  clock: WallClock;
  now: Date;
}) {
  const at = (ms: number) => <PortalTime at={new Date(ms)} clock={clock} now={now} />;
  const made = (signal: SignalJourney["signal"]) =>
    isMadeLate(signal) ? <span className="text-faint">over a candle late</span> : at(signal.createdMs);
  const price = (symbol: string, value: number | null | undefined) =>
    value === null || value === undefined
      ? "–"
      : formatNumber(value, priceDigits(digits.get(symbol) ?? 5, [value]));
  const columns: Column<SignalJourney>[] = [
    {
      ...{ key: "signal", header: "Signal", primary: true },
      cell: ({ signal }) => (
        <>
          <span className="inline-flex items-center gap-2">
            {signal.symbol} {signal.timeframe} <DirectionMark direction={signal.side} />
          </span>
          <span className="block text-xs font-normal text-muted">{at(signal.tsMs)}</span>
        </>
      ),
    },
    { key: "made", header: "Made", cell: ({ signal }) => made(signal) },
    {
      ...{ key: "fetched", header: "Fetched" },
      cell: ({ fetch, isFetchKnown, positions: [own] }) =>
        fetch ? (
          <>
            {at(fetch.atMs)}
            <span className="block text-xs text-faint">
              {WAY[fetch.way]}
              {own && isFetchedLater(fetch, own) && ", after the opening"}
            </span>
          </>
        ) : (
          <span className="text-faint">{isFetchKnown ? "never" : "not known"}</span>
        ),
    },
    {
      ...{ key: "opened", header: "Opened" },
      cell: ({ positions: [own], why }) =>
        own ? (
          at(own.openedMs)
        ) : why ? (
          <span className="text-muted">
            {NOT_TRADED_REASON_LABELS[why.reason]}
            {why.errorCode !== null && ` (${why.errorCode})`}
          </span>
        ) : (
          "–"
        ),
    },
    {
      ...{ key: "entry", header: "Entry", align: "right" },
      cell: ({ signal, positions: [own] }) =>
        stacked(price(signal.symbol, signal.entryPrice), price(signal.symbol, own?.entryPrice)),
    },
    {
      ...{ key: "exit", header: "Exit", align: "right" },
      cell: ({ signal, positions: [own] }) =>
        stacked(price(signal.symbol, signal.exitPrice), price(signal.symbol, own?.exitPrice)),
    },
    {
      ...{ key: "result", header: "Result", unit: "R", align: "right" },
      cell: ({ signal, positions: [own] }) => {
        const ownR = own ? ownResultMicroR(signal, own) : null;
        const model = signal.resultR === null ? "open" : formatSigned(signal.resultR);
        return stacked(model, ownR === null ? "–" : formatSigned(microRToR(ownR)));
      },
    },
  ];
  return (
    <DataTable
      caption="The newest signals, newest first"
      columns={columns}
      rows={journeys}
      rowKey={({ signal }) => signal.signalId}
    />
  );
}
