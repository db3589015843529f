import type { z } from "zod";
import type { Database, DatabaseHandle } from "@/db/client";
import { listChampions } from "@/db/queries/models";
import { listSymbolsWithGuessedCalendar } from "@/db/queries/symbols";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { countWithNoun, formatCount } from "@/lib/runtime/count-with-noun";
import { groupBy } from "@/lib/runtime/group-by";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import { ingestFeatures } from "@/lib/signals/ingest/ingest-features";
import { ingestForSender } from "@/lib/signals/ingest/ingest-for-sender";
import { ingestModels } from "@/lib/signals/ingest/ingest-models";
import { ingestSignals } from "@/lib/signals/ingest/ingest-signals";
import { FileProblem, parseUploadedRows } from "@/lib/signals/ingest/read-rows";
import type { IngestResult } from "@/lib/signals/ingest/result";
import {
  IngestCandlesBody,
  IngestFeaturesBody,
  IngestModelsBody,
  IngestSignalsBody,
  MAX_ITEMS,
} from "@/lib/wire/contracts/ingest";
import type { FieldError } from "@/lib/wire/errors";
import { fieldErrors, WITH_INPUT } from "@/lib/wire/params";

/** Kinds of upload. */
export const UPLOAD_KINDS = ["signals", "models", "features", "candles"] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

export type UploadResult =
  /** With `isTrial`: the result that storing would have now. */
  | { ok: true; rows: number; result: IngestResult; warnings: string[] }
  /** One line per mistake, at most 20: its first row, field and reason. */
  | { ok: false; problems: string[] };

interface Ingest<S extends z.ZodType> {
  schema: S;
  store: (handle: DatabaseHandle, body: z.output<S>) => Promise<IngestResult>;
}

interface OfSlot {
  symbol: string;
  timeframe: string;
}

const ingest = <S extends z.ZodType<{ items: OfSlot[] }>>(schema: S, store: Ingest<S>["store"]) => ({
  check: (
    items: unknown[],
  ):
    | { store: (handle: DatabaseHandle) => Promise<IngestResult>; items: OfSlot[] }
    | { problems: string[] } => {
    const parsed = schema.safeParse({ items }, WITH_INPUT);
    return parsed.success
      ? { store: (handle: DatabaseHandle) => store(handle, parsed.data), items: parsed.data.items }
      : { problems: problemLines(fieldErrors("file", parsed.error, Number.POSITIVE_INFINITY)) };
  },
});

const INGESTS = {
  signals: ingest(IngestSignalsBody, (handle, { items }) => ingestSignals(handle, items)),
  models: ingest(IngestModelsBody, (handle, { items }) => ingestModels(handle, items)),
  features: ingest(IngestFeaturesBody, (handle, { items }) => ingestFeatures(handle, items)),
  candles: ingest(IngestCandlesBody, (handle, { items }) => ingestCandles(handle, items)),
};

const MAX_LINES = 20;

/**
 * Mistakes as lines, such as `Row 3, confidence: must be between 0 and 1`. Rows with the same mistake share a line. Rows
 * count from 1, without the header.
 */
function problemLines(errors: readonly FieldError[]): string[] {
  const alike = groupBy(errors, ({ loc: [, , , ...field], msg }) => `${["", ...field].join(", ")}: ${msg}`);
  return Array.from(alike, ([mistake, [first, ...more]]) => {
    const row = first?.loc[2];
    const place = typeof row === "number" ? `Row ${row + 1}` : "The file";
    return `${place}${mistake}${more.length > 0 ? ` (and in ${countWithNoun(more.length, "more row")})` : ""}`;
  }).slice(0, MAX_LINES);
}

/** Warnings about rows that were accepted, but are of little use as things stand. */
async function warningsOf(
  handle: DatabaseHandle,
  kind: UploadKind,
  items: readonly OfSlot[],
): Promise<string[]> {
  const slots = new Set(items.map(({ symbol, timeframe }) => `${symbol} ${timeframe}`));
  const symbols = new Set(items.map(({ symbol }) => symbol));
  const guessed = (await listSymbolsWithGuessedCalendar(handle)).filter((symbol) => symbols.has(symbol));
  const champions = kind === "signals" ? await listChampions(handle) : [];
  const active = new Set(champions.map(({ symbol, timeframe }) => `${symbol} ${timeframe}`));
  const inactive = kind === "signals" ? [...slots].filter((slot) => !active.has(slot)) : [];
  return [
    ...inactive.map(
      (slot) =>
        `${slot} has no active model: the site and the checks of the service leave it out. Upload its model too.`,
    ),
    ...guessed.map((symbol) => `${symbol}: its trading hours are guessed. Choose a calendar under Symbols.`),
  ].slice(0, MAX_LINES);
}

/**
 * Stores the rows of an uploaded file like the API's ingest endpoints, all or nothing, with an audit row. With `isTrial`
 * the transaction is rolled back. Throws signal_conflict for a signal that is stored with other content.
 */
export async function uploadRows(
  database: Database,
  { kind, text, isTrial }: { kind: UploadKind; text: string; isTrial: boolean },
  actor: Actor,
): Promise<UploadResult> {
  let rows: unknown[];
  try {
    rows = parseUploadedRows(text);
  } catch (error) {
    if (error instanceof FileProblem) return { ok: false, problems: [error.message] };
    throw error;
  }
  if (rows.length > MAX_ITEMS)
    return {
      ok: false,
      problems: [`${formatCount(rows.length)} rows; at most ${formatCount(MAX_ITEMS)}: split the file.`],
    };
  const checked = INGESTS[kind].check(rows);
  if ("problems" in checked) return { ok: false, problems: checked.problems };
  let warnings: string[] = [];
  const store = async (handle: DatabaseHandle) => {
    const result = await checked.store(handle);
    warnings = await warningsOf(handle, kind, checked.items);
    return result;
  };
  if (isTrial) {
    const trial = { actor, token: null, kind, check: true };
    const result = await ingestForSender(database, trial, [], store);
    return { ok: true, rows: rows.length, result, warnings };
  }
  return database.transaction(async (tx) => {
    const stored = await store(tx);
    await recordAudit(tx, {
      actor,
      action: "ingest.upload",
      target: kind,
      details: { rows: rows.length, accepted: stored.accepted, duplicates: stored.duplicates },
    });
    return { ok: true, rows: rows.length, result: stored, warnings };
  });
}
