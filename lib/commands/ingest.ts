/**
 * `npm run ingest -- candles|models|signals|features [--also H4] [--clock new_york] FILE...`: ingests rows from
 * files, as the HTTP interface does; also reads MetaTrader's exports of bars.
 *
 * `npm run ingest -- dukascopy --from 2015-01-01 [--to 2020-01-01] EURUSD=eurusd:H1,M5 ...`: downloads missing
 * historical candles from Dukascopy Bank. Needs `npm install dukascopy-node@1.50.0`.
 */
import { basename } from "node:path";
import type { z } from "zod";
import { workerDb } from "@/db/client";
import { aggregateCandles, makeCandleSeries } from "@/lib/market/candles";
import { brokerServerClock } from "@/lib/market/clock";
import { parseTimeframe } from "@/lib/market/timeframes";
import { recordAudit } from "@/lib/runtime/audit";
import { parseSlots } from "@/lib/runtime/feed-plan";
import { fillFromDukascopy } from "@/lib/signals/feeds/dukascopy";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import { ingestFeatures } from "@/lib/signals/ingest/ingest-features";
import { ingestModels } from "@/lib/signals/ingest/ingest-models";
import { ingestSignals } from "@/lib/signals/ingest/ingest-signals";
import { readRows, type UploadedRow } from "@/lib/signals/ingest/read-rows";
import type { IngestResult } from "@/lib/signals/ingest/result";
import type { Timeframe } from "@/lib/vocabulary";
import {
  type CandleItem,
  IngestCandlesBody,
  IngestFeaturesBody,
  IngestModelsBody,
  IngestSignalsBody,
} from "@/lib/wire/contracts/ingest";
import { fieldErrors, WITH_INPUT } from "@/lib/wire/params";
import { exitWithUsage, readCommandLine, readDate } from "./command-line";
import { withDatabase } from "./with-database";

const CHUNK = 5_000;
const USAGE =
  "npm run ingest -- candles|models|signals|features [--also TIMEFRAME] [--clock new_york|europe|utc+2] FILE...";
const HISTORY_USAGE =
  "npm run ingest -- dukascopy --from 2015-01-01 [--to 2020-01-01] EURUSD=eurusd:H1,M5 ...";

/** Columns that identify the slot, candle and model of the features. */
const FEATURE_COLUMNS = new Set(["symbol", "timeframe", "tf_code", "ts", "model_v"]);

type Candle = z.output<typeof CandleItem>;

/** Stores a chunk of a file's rows; `from` is the number of rows before the chunk. */
type Store = (rows: UploadedRow[], from: number) => Promise<IngestResult>;

const KINDS: Record<string, Store> = {
  candles: async (rows, from) => ingestCandles(workerDb(), checked(IngestCandlesBody, rows, from).items),
  models: async (rows, from) => ingestModels(workerDb(), checked(IngestModelsBody, rows, from).items),
  signals: async (rows, from) => ingestSignals(workerDb(), checked(IngestSignalsBody, rows, from).items),
  features: async (rows, from) =>
    ingestFeatures(workerDb(), checked(IngestFeaturesBody, rows.map(featureItem), from).items),
};

const { positionals, values } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    also: { type: "string" },
    clock: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
  },
});
const clock = values.clock === undefined ? null : (brokerServerClock(values.clock) ?? exitWithUsage(USAGE));
const [kind = "", ...files] = positionals;
if (files.length === 0) exitWithUsage(kind === "dukascopy" ? HISTORY_USAGE : USAGE);
const work = kind === "dukascopy" ? historyWork() : filesWork(KINDS[kind] ?? exitWithUsage(USAGE));

await withDatabase(async () => {
  const startedAt = performance.now();
  await work();
  process.stdout.write(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
});

function filesWork(store: Store): () => Promise<void> {
  return async () => {
    for (const file of files) {
      const total = await ingestFile(file, store);
      await recordAudit(workerDb(), {
        actor: { kind: "command" },
        action: `ingest.${kind}`,
        target: basename(file),
        details: { accepted: total.accepted, duplicates: total.duplicates },
      });
      process.stdout.write(`${file}: ${total.accepted} accepted, ${total.duplicates} duplicates\n`);
      if (values.also && kind === "candles") await alsoAs(values.also, file);
    }
  };
}

/** Parses the slots and dates of the command line before any download. */
function historyWork(): () => Promise<void> {
  const named = parseSlots(files.join(" "));
  if ("problem" in named) return exitWithUsage(`${HISTORY_USAGE}\n${named.problem}`);
  const slots = named.flatMap(({ symbol, timeframe, instrument }) => {
    const known = parseTimeframe(timeframe);
    return known === null ? [] : [{ symbol, timeframe: known, instrument }];
  });
  const from = readDate(values.from ?? "");
  const to = values.to === undefined ? new Date() : readDate(values.to);
  if (from === null || to === null || from >= to) return exitWithUsage(HISTORY_USAGE);
  const day = (date: Date) => date.toISOString().slice(0, 10);
  return () =>
    fillFromDukascopy(workerDb(), { slots, from, to }, (filled) =>
      process.stdout.write(
        `${filled.slot.symbol} ${filled.slot.timeframe} ${day(filled.from)} to ${day(filled.to)}: ${filled.stored} stored, ${filled.sent - filled.stored} stored before or refused\n`,
      ),
    );
}

async function ingestFile(file: string, store: Store): Promise<IngestResult> {
  const total: IngestResult = { accepted: 0, duplicates: 0 };
  for await (const rows of chunks(readRows(file, clock))) {
    const result = await store(rows, total.accepted + total.duplicates);
    total.accepted += result.accepted;
    total.duplicates += result.duplicates;
  }
  return total;
}

/** For `--also`: aggregates the file's candles to a longer timeframe, slot by slot, and stores the result. */
async function alsoAs(wanted: string, file: string): Promise<void> {
  const to = parseTimeframe(wanted);
  if (!to) throw new Error(`--also: ${wanted} is not a timeframe`);
  const slots = new Map<string, Map<number, Candle>>();
  let from = 0;
  for await (const rows of chunks(readRows(file, clock))) {
    const { items } = checked(IngestCandlesBody, rows, from);
    from += rows.length;
    for (const candle of items) {
      const name = `${candle.symbol}/${candle.timeframe}`;
      const slot = slots.get(name) ?? new Map<number, Candle>();
      slots.set(name, slot.set(candle.ts.getTime(), candle));
    }
  }
  const items = [...slots.values()].flatMap((slot) => longerCandles([...slot.values()], to));
  let accepted = 0;
  for (let i = 0; i < items.length; i += CHUNK) {
    accepted += (await ingestCandles(workerDb(), items.slice(i, i + CHUNK))).accepted;
  }
  process.stdout.write(`${file}: as ${to} ${accepted} accepted, ${items.length - accepted} duplicates\n`);
}

/** Aggregates candles of one slot to a longer timeframe. */
function longerCandles(candles: Candle[], to: Timeframe): Candle[] {
  const first = candles[0];
  if (!first) return [];
  const series = makeCandleSeries(
    candles
      .map((candle) => ({ ...candle, ts: candle.ts.getTime(), volume: candle.volume ?? 0 }))
      .sort((a, b) => a.ts - b.ts),
  );
  const longer = aggregateCandles(series, first.timeframe, to);
  return Array.from(
    longer.ts,
    (ts, i): Candle => ({
      symbol: first.symbol,
      timeframe: to,
      ts: new Date(ts),
      open: longer.open[i] ?? 0,
      high: longer.high[i] ?? 0,
      low: longer.low[i] ?? 0,
      close: longer.close[i] ?? 0,
      volume: longer.volume[i] ?? 0,
    }),
  );
}

/** A row of features: NDJSON has `values`, in CSV every other column is a feature. */
function featureItem(row: UploadedRow): UploadedRow {
  if ("values" in row) return row;
  const [known, values] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => FEATURE_COLUMNS.has(name) === wanted)),
  );
  return { ...known, values };
}

/**
 * Validates rows by the interface's schema; an error names the row, counted from 0 in the whole file, and the field.
 */
function checked<S extends z.ZodType>(schema: S, rows: UploadedRow[], from: number): z.output<S> {
  const parsed = schema.safeParse({ items: rows }, WITH_INPUT);
  if (parsed.success) return parsed.data;
  const [first] = fieldErrors("file", parsed.error);
  const place = first?.loc.map((part) => (typeof part === "number" ? part + from : part)).join(".");
  throw new Error(`${place}: ${first?.msg}`);
}

async function* chunks(rows: AsyncIterable<UploadedRow>): AsyncGenerator<UploadedRow[]> {
  let chunk: UploadedRow[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length === CHUNK) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
