import type { z } from "zod";
import type { Database, DatabaseHandle } from "@/db/client";
import { readCandles } from "@/db/queries/candles";
import { readClock } from "@/db/queries/clock";
import { findNewestFeedCandleTime, recordFeedState } from "@/db/queries/feeds";
import { ensureSlots, listSlots, slotKey } from "@/db/queries/slots";
import { type FeedToken, pushFeedName } from "@/lib/access/feed-tokens";
import { isMarketOpen } from "@/lib/market/calendar";
import { aggregateCandles, canAggregate, candleAt, makeCandleSeries } from "@/lib/market/candles";
import { instantOf, type WallClock, wallTime } from "@/lib/market/clock";
import { matchBrokerSymbol } from "@/lib/market/symbols";
import { candleOpenMs, timeframeMinutes } from "@/lib/market/timeframes";
import { env } from "@/lib/runtime/env";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { knownSymbols } from "@/lib/signals/known-symbols";
import { MINUTE_MS, minutesBetween, SECOND_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import type { PushBarsAnswer, PushBarsBody } from "@/lib/wire/contracts/feed";
import { invalidField } from "@/lib/wire/errors";
import { isLeadingFeed } from "./run-feeds";
import type { SourceCandle } from "./source";
import { storeFeedCandles } from "./store-feed-candles";

type Pushed = z.output<typeof PushBarsBody>;

/** Minutes that a broker's server clock may be ahead of the database's. */
const AHEAD_MINUTES = 2;
/** Minutes that a broker's server clock may be behind: a terminal reads it from the last quote, which may be old. */
const BEHIND_MINUTES = 30;

/**
 * Stores the closed bars of a chart that a terminal sends, with times converted from its broker's server clock, and the
 * candles of the longer timeframes `also`, aggregated from the chart's stored bars. Returns the counts of the sent bars
 * and the newest bar that this feed has sent so far. Throws 422 for an invalid symbol or longer timeframe, and if the
 * server clock cannot be right.
 */
export async function storePushedBars(
  database: Database,
  token: FeedToken,
  pushed: Pushed,
): Promise<Omit<z.output<typeof PushBarsAnswer>, "ok">> {
  const feed = pushFeedName(token.name);
  const symbol = matchBrokerSymbol(pushed.symbol, await knownSymbols());
  if (symbol === null) throw invalidField("body", "symbol", "must be a symbol");
  const slot = { symbol, timeframe: pushed.timeframe };
  for (const [i, longer] of (pushed.also ?? []).entries())
    if (timeframeMinutes(longer) <= timeframeMinutes(slot.timeframe) || !canAggregate(slot.timeframe, longer))
      throw invalidField("body", `also.${i}`, `cannot be made of bars of ${slot.timeframe}`);
  const receivedAt = await readClock(database);
  const slotId = await slotIdOf(database, slot);
  await requireRightClock(database, feed, pushed, slotId, receivedAt);

  const candles = pushed.bars.map((bar) => readBar(bar, pushed.clock));
  const leads = await isLeadingFeed(database, env().feeds, feed, slotKey(slot));
  const stored = await storeFeedCandles(database, { feed, slot, candles, leads, receivedAt });
  if (stored.newest !== null)
    for (const longer of pushed.also ?? [])
      await storeLonger(database, { feed, slot, slotId, longer, leads, receivedAt, candles });
  const last = await findNewestFeedCandleTime(database, feed, slotId);
  return {
    ...slot,
    accepted: stored.stored,
    duplicates: stored.duplicates,
    refused: stored.refused,
    reason: stored.refusal,
    last_ts: last,
    last_server_time: last === null ? 0 : wallTime(pushed.clock, last).getTime() / SECOND_MS,
  };
}

async function slotIdOf(
  handle: DatabaseHandle,
  slot: { symbol: string; timeframe: Timeframe },
): Promise<number> {
  return (await ensureSlots(handle, [slot], symbolDefaultsOf)).get(slotKey(slot)) ?? 0;
}

function readBar(
  [seconds, open, high, low, close, volume]: Pushed["bars"][number],
  clock: WallClock,
): SourceCandle {
  const shown = new Date(seconds * SECOND_MS);
  const ts = Number.isNaN(shown.getTime()) ? shown : instantOf(clock, shown);
  return { ts, open, high, low, close, volume, isComplete: null };
}

/**
 * Throws 422 unless the server's clock agrees with the database's. It may be behind while the slot's market is closed.
 */
async function requireRightClock(
  database: Database,
  feed: string,
  { clock, server_time: shown }: Pushed,
  slotId: number,
  receivedAt: Date,
): Promise<void> {
  const behind = minutesBetween(instantOf(clock, shown), receivedAt);
  const calendar = (await listSlots(database)).find((slot) => slot.slotId === slotId)?.calendar ?? "fx";
  const isQuoted = isMarketOpen(calendar, receivedAt);
  if (behind >= -AHEAD_MINUTES && (behind <= BEHIND_MINUTES || !isQuoted)) return;
  const minutes = Math.round(Math.abs(behind));
  const problem = `is ${minutes} minutes ${behind < 0 ? "ahead of" : "behind"} our clock: choose the server's clock with InpServerClock`;
  await recordFeedState(database, {
    name: feed,
    state: "held",
    clockOffsetMs: -behind * MINUTE_MS,
    error: `The clock of its server seems ${minutes} minutes ${behind < 0 ? "ahead" : "behind"}. Nothing is stored until it is right.`,
  });
  throw invalidField("body", "server_time", problem);
}

/**
 * Stores candles of a longer timeframe, aggregated from the slot's stored candles since shortly before the new bars.
 */
async function storeLonger(
  database: Database,
  work: {
    feed: string;
    slot: { symbol: string; timeframe: Timeframe };
    slotId: number;
    longer: Timeframe;
    leads: boolean;
    receivedAt: Date;
    candles: readonly SourceCandle[];
  },
): Promise<void> {
  const { feed, slot, longer, leads, receivedAt } = work;
  const openMs = work.candles.map(({ ts }) => ts.getTime()).filter((ms) => !Number.isNaN(ms));
  // Begins one longer candle before the first new bar: the new bar may have completed that candle.
  const firstMs = candleOpenMs(candleOpenMs(Math.min(...openMs), longer) - 1, longer);
  const columns = await readCandles(database, work.slotId, { from: new Date(firstMs) });
  const series = aggregateCandles(
    makeCandleSeries(Array.from(columns.ts, (_, i) => candleAt(columns, i))),
    slot.timeframe,
    longer,
  );
  const candles = Array.from(series.ts, (ts, i) => ({
    ...candleAt(series, i),
    ts: new Date(ts),
    isComplete: true,
  }));
  if (candles.length === 0) return;
  await storeFeedCandles(database, {
    feed,
    slot: { symbol: slot.symbol, timeframe: longer },
    candles,
    leads,
    receivedAt,
  });
}
