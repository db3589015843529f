import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { NewestSignalsTable } from "@/app/portal/record/_components/newest-signals-table";
import type { IssuedSignal, ReportedPosition } from "@/db/queries/own-record";
import type { SignalJourney } from "@/lib/executions/own-record/journey";
import { UTC_CLOCK } from "@/lib/market/clock";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";

const NINE = Date.UTC(2026, 10, 26, 9);
const signal: IssuedSignal = {
  ...{ signalId: 1, seq: 1, slotId: 1, symbol: "BTCUSD", timeframe: "H1", side: "SELL", confidence: 0.6 },
  ...{ tsMs: NINE, closesMs: NINE + HOUR_MS, createdMs: NINE + HOUR_MS, replacedMs: null, label: null },
  ...{ entryPrice: 100, barrierDistance: 2, exitPrice: null, resultR: null },
};
const opened = (openedMs: number) =>
  ({ openedMs, closedMs: null, entryPrice: 100, exitPrice: null }) as ReportedPosition;
const journey = (change: Partial<SignalJourney>): SignalJourney => ({
  ...{ signal, fetch: null, isFetchKnown: true, positions: [], market: null, why: null },
  ...change,
});
const text = (row: SignalJourney) =>
  renderToStaticMarkup(
    <NewestSignalsTable
      journeys={[row]}
      digits={new Map([["BTCUSD", 2]])}
      clock={UTC_CLOCK}
      now={new Date(NINE + 24 * HOUR_MS)}
    />,
  ).replace(/<[^>]*>/g, " ");

it("a row of the newest signals names the candle, so that rows of one slot can be told apart", () => {
  expect(text(journey({}))).toMatch(/BTCUSD H1\s.*SELL\s+26 Nov, 09:00/s);
});

it("a row of the newest signals says plainly that a signal was made late, and whether a fetch came after the opening", () => {
  const late = { ...signal, createdMs: NINE + 9 * HOUR_MS };
  expect(text(journey({ signal: late, isFetchKnown: false }))).toMatch(/over a candle late\s+not known/);

  const fetch = { atMs: NINE + HOUR_MS + 10 * MINUTE_MS, way: "history" } as const;
  const before = journey({ fetch, positions: [opened(fetch.atMs - 5 * MINUTE_MS)] });
  expect(text(before)).toContain("history, after the opening");
  const after = journey({ fetch, positions: [opened(fetch.atMs + MINUTE_MS)] });
  expect(text(after)).not.toContain("after the opening");
});
