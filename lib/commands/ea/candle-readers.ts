import { existsSync } from "node:fs";
import { join } from "node:path";
import { aggregateCandles, type CandleSeries, makeCandleSeries } from "@/lib/market/candles";
import { simulateDemoCandles } from "@/lib/market/demo/demo-market";
import { DEMO_SYMBOLS } from "@/lib/market/demo/demo-symbols";
import { candleOpenMs } from "@/lib/market/timeframes";
import { DEMO_SEED } from "@/lib/models/demo/advance-demo-market";
import { readRows } from "@/lib/signals/ingest/read-rows";
import { DAY_MS, parseIsoInstant } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";

/** Candles of a slot from the client's broker; null: the broker has none of this symbol or timeframe. */
export type ReadBrokerCandles = (symbol: string, timeframe: Timeframe) => Promise<CandleSeries | null>;

/** H1 candles from files `{SYMBOL}_H1.csv.gz`, and H4 and D1 candles aggregated from them. */
export function fileCandleReader(directory: string): ReadBrokerCandles {
  const hours = new Map<string, Promise<CandleSeries | null>>();
  return async (symbol, timeframe) => {
    let read = hours.get(symbol);
    if (!read) {
      read = readHours(join(directory, `${symbol}_H1.csv.gz`));
      hours.set(symbol, read);
    }
    const series = await read;
    if (!series || timeframe === "H1") return series;
    return timeframe === "H4" || timeframe === "D1" ? aggregateCandles(series, "H1", timeframe) : null;
  };
}

async function readHours(path: string): Promise<CandleSeries | null> {
  if (!existsSync(path)) return null;
  const rows = [];
  for await (const row of readRows(path)) {
    const ts = parseIsoInstant(String(row.ts));
    if (!ts) throw new Error(`${path} has a row without a time`);
    const number = (name: string) => Number(row[name]);
    rows.push({
      ts: ts.getTime(),
      open: number("open"),
      high: number("high"),
      low: number("low"),
      close: number("close"),
      volume: number("volume"),
    });
  }
  return makeCandleSeries(rows);
}

/**
 * Candles of the simulated market for the last `days` days up to `now()`. They begin at the symbol's anchor price, so
 * their level can differ from that of the service's candles.
 */
export function demoCandleReader(now: () => number, days: number): ReadBrokerCandles {
  const startMs = candleOpenMs(now() - days * DAY_MS, "D1");
  return async (symbol, timeframe) => {
    const demo = DEMO_SYMBOLS.find((candidate) => candidate.symbol === symbol);
    if (!demo) return null;
    const rows = simulateDemoCandles({
      seed: DEMO_SEED,
      symbol: demo,
      fromMs: startMs,
      toMs: now(),
      previousClose: null,
    });
    const quarterHours = makeCandleSeries(rows);
    return timeframe === "M15" ? quarterHours : aggregateCandles(quarterHours, "M15", timeframe);
  };
}
