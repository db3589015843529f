import type { Database } from "@/db/client";
import { type CandleColumns, type CandleRow, readCandles, upsertCandles } from "@/db/queries/candles";
import { wakeJob } from "@/db/queries/jobs";
import { ensureSlots } from "@/db/queries/slots";
import { aggregateCandles, makeCandleSeries } from "@/lib/market/candles";
import { DEMO_CANDLE_MS, simulateDemoCandles } from "@/lib/market/demo/demo-market";
import { DEMO_SYMBOLS, DEMO_TIMEFRAMES, type DemoSymbol } from "@/lib/market/demo/demo-symbols";
import { candleOpenMs } from "@/lib/market/timeframes";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { DAY_MS } from "@/lib/time";

/** Seed of the simulated market. It is fixed, so that every installation draws the same random numbers for a candle. */
export const DEMO_SEED = 20_261_121;
const BACKFILL_DAYS = 90;
/** Days simulated at a time, so that other work in this process is not blocked. */
const STRETCH_DAYS = 15;
const ROWS_PER_STATEMENT = 2_000;

/**
 * Stores the candles of the simulated market up to `now`: on a fresh database those of the last 90 days, then those
 * that closed since the newest stored one. Creates its slots, registers the baseline ({@link makeBaselineChampion}), and
 * wakes the job `signals`. Prices follow from the seed and the newest stored close, so an interrupted run continues
 * where it stopped.
 */
export async function advanceDemoMarket(database: Database, now: Date, signal: AbortSignal): Promise<void> {
  const names = DEMO_SYMBOLS.flatMap(({ symbol }) =>
    DEMO_TIMEFRAMES.map((timeframe) => ({ symbol, timeframe })),
  );
  const slotIds = await ensureSlots(database, names, symbolDefaultsOf);
  for (const symbol of DEMO_SYMBOLS) {
    let isBehind = true;
    while (isBehind) {
      if (signal.aborted) return;
      isBehind = await advanceSymbol(database, symbol, slotIds, now);
    }
  }
  await makeBaselineChampion(database, [...slotIds.values()], new Date(backfillStart(now)));
  await wakeJob(database, "signals");
}

/** Stores a symbol's candles of the next `STRETCH_DAYS` days, at most up to `now`. Returns whether `now` is later. */
async function advanceSymbol(
  database: Database,
  symbol: DemoSymbol,
  slotIds: Map<string, number>,
  now: Date,
): Promise<boolean> {
  const slotOf = (timeframe: string) => slotIds.get(`${symbol.symbol}/${timeframe}`) ?? 0;
  const last = await readCandles(database, slotOf("M15"), { newest: 1 });
  const lastTs = last.ts[0];
  const fromMs = lastTs === undefined ? backfillStart(now) : lastTs + DEMO_CANDLE_MS;
  if (fromMs + DEMO_CANDLE_MS > now.getTime()) return false;
  const toMs = Math.min(now.getTime(), fromMs + STRETCH_DAYS * DAY_MS);

  const fresh = simulateDemoCandles({
    seed: DEMO_SEED,
    symbol,
    fromMs,
    toMs,
    previousClose: last.close[0] ?? null,
  });
  if (fresh.length === 0) return false;
  // Far enough back for all stored M15 candles of an H4 candle that is not complete yet.
  const groupStart = candleOpenMs(fromMs - 4 * DAY_MS, "H4");
  const before = await readCandles(database, slotOf("M15"), {
    from: new Date(groupStart),
    to: new Date(fromMs),
  });
  const quarterHours = makeCandleSeries([...rowsOf(before), ...fresh]);
  for (const timeframe of ["H1", "H4"] as const) {
    await store(database, slotOf(timeframe), aggregateCandles(quarterHours, "M15", timeframe));
  }
  // Last, because the next run continues after the newest M15 candle: an interrupted one stores the others again.
  await store(database, slotOf("M15"), makeCandleSeries(fresh));
  return toMs < now.getTime();
}

function backfillStart(now: Date): number {
  return Math.floor((now.getTime() - BACKFILL_DAYS * DAY_MS) / DAY_MS) * DAY_MS;
}

async function store(database: Database, slotId: number, candles: CandleColumns): Promise<void> {
  const rows = rowsOf(candles).map((row): CandleRow => ({ ...row, slotId, ts: new Date(row.ts) }));
  for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT) {
    await upsertCandles(database, rows.slice(i, i + ROWS_PER_STATEMENT));
  }
}

function rowsOf(candles: CandleColumns) {
  return Array.from(candles.ts, (ts, i) => ({
    ts,
    open: candles.open[i] ?? Number.NaN,
    high: candles.high[i] ?? Number.NaN,
    low: candles.low[i] ?? Number.NaN,
    close: candles.close[i] ?? Number.NaN,
    volume: candles.volume[i] ?? 0,
  }));
}
