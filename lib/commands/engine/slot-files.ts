import { readdirSync } from "node:fs";
import { join } from "node:path";
import { aggregateCandles, type CandleSeries, makeCandleSeries } from "@/lib/market/candles";
import { withoutIdleCandles } from "@/lib/market/idle-candles";
import { newSymbolDefaults } from "@/lib/market/symbols";
import { parseTimeframe, timeframeMinutes } from "@/lib/market/timeframes";
import { readRows } from "@/lib/signals/ingest/read-rows";
import type { Timeframe } from "@/lib/vocabulary";
import { IngestCandlesBody } from "@/lib/wire/contracts/ingest";

/** A slot that can be loaded from the files of a directory. */
export interface SlotFile {
  symbol: string;
  timeframe: Timeframe;
  /** File of candles and its timeframe; longer candles are aggregated from it. */
  path: string;
  fileTimeframe: Timeframe;
}

/** Slots of the files `{SYMBOL}_{TIMEFRAME}.csv[.gz]`: that of each file, and H4 from an H1 file if no file has H4. */
export function listSlotFiles(directory: string): SlotFile[] {
  const files = readdirSync(directory).flatMap((name): SlotFile[] => {
    const match = /^([A-Za-z0-9.-]+)_([A-Za-z]+[0-9]+)\.csv(\.gz)?$/.exec(name);
    const timeframe = parseTimeframe(match?.[2] ?? "");
    const symbol = match?.[1]?.toUpperCase();
    if (symbol === undefined || timeframe === null) return [];
    return [{ symbol, timeframe, path: join(directory, name), fileTimeframe: timeframe }];
  });
  const has = (symbol: string, timeframe: Timeframe) =>
    files.some((file) => file.symbol === symbol && file.timeframe === timeframe);
  const made = files
    .filter((file) => file.timeframe === "H1" && !has(file.symbol, "H4"))
    .map((file): SlotFile => ({ ...file, timeframe: "H4" }));
  return [...files, ...made].sort(
    (a, b) =>
      a.symbol.localeCompare(b.symbol) || timeframeMinutes(a.timeframe) - timeframeMinutes(b.timeframe),
  );
}

const CHUNK = 5_000;

/** Reads a slot's candles, without flat ones of a closed market. Throws an error for an invalid row. */
export async function readSlotFile(slot: SlotFile): Promise<CandleSeries> {
  const candles: Parameters<typeof makeCandleSeries>[0][number][] = [];
  let chunk: unknown[] = [];
  const check = () => {
    const parsed = IngestCandlesBody.safeParse({ items: chunk });
    if (!parsed.success)
      throw new Error(`${slot.path}: candles ${candles.length} on: ${parsed.error.message}`);
    for (const c of parsed.data.items) candles.push({ ...c, ts: c.ts.getTime(), volume: c.volume ?? 0 });
    chunk = [];
  };
  for await (const row of readRows(slot.path)) {
    chunk.push(row);
    if (chunk.length === CHUNK) check();
  }
  if (chunk.length > 0) check();
  const { calendar } = newSymbolDefaults(slot.symbol);
  const series = withoutIdleCandles(calendar, slot.fileTimeframe, makeCandleSeries(candles));
  return slot.timeframe === slot.fileTimeframe
    ? series
    : aggregateCandles(series, slot.fileTimeframe, slot.timeframe);
}
