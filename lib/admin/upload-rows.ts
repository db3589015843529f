import type { z } from "zod";
import type { Database, DatabaseHandle } from "@/db/client";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { groupBy } from "@/lib/runtime/group-by";
import { pluralize } from "@/lib/runtime/pluralize";
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
} from "@/lib/wire/contracts/ingest";
import type { FieldError } from "@/lib/wire/errors";
import { fieldErrors } from "@/lib/wire/params";

/** Kinds of upload. */
export const UPLOAD_KINDS = ["signals", "models", "features", "candles"] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

export type UploadResult =
  /** With `isTrial`: the result that storing would have now. */
  | { ok: true; rows: number; result: IngestResult }
  /** One line per mistake, at most 20: its first row, field and reason. */
  | { ok: false; problems: string[] };

interface Ingest<S extends z.ZodType> {
  schema: S;
  store: (handle: DatabaseHandle, body: z.output<S>) => Promise<IngestResult>;
}

const ingest = <S extends z.ZodType>(schema: S, store: Ingest<S>["store"]) => ({
  check: (
    items: unknown[],
  ): { store: (handle: DatabaseHandle) => Promise<IngestResult> } | { problems: string[] } => {
    const parsed = schema.safeParse({ items });
    return parsed.success
      ? { store: (handle: DatabaseHandle) => store(handle, parsed.data) }
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
    return `${place}${mistake}${more.length > 0 ? ` (and in ${pluralize(more.length, "more row")})` : ""}`;
  }).slice(0, MAX_LINES);
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
  const checked = INGESTS[kind].check(rows);
  if ("problems" in checked) return { ok: false, problems: checked.problems };
  if (isTrial) {
    const trial = { actor, token: null, kind, check: true };
    return { ok: true, rows: rows.length, result: await ingestForSender(database, trial, [], checked.store) };
  }
  return database.transaction(async (tx) => {
    const stored = await checked.store(tx);
    await recordAudit(tx, {
      actor,
      action: "ingest.upload",
      target: kind,
      details: { rows: rows.length, accepted: stored.accepted, duplicates: stored.duplicates },
    });
    return { ok: true, rows: rows.length, result: stored };
  });
}
