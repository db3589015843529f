import { type Answer, respond } from "@/lib/api/answer";
import type { IngestResult } from "@/lib/signals/ingest/result";
import { Ingested } from "@/lib/wire/contracts/ingest";

/** A header stays short. */
const MOST_NAMED = 20;

/** The answer of an ingest; a header names the symbols for which the hours of FX are assumed. */
export function answerIngest({ accepted, duplicates, withoutCalendar = [] }: IngestResult): Answer {
  const headers: Record<string, string> = {};
  if (withoutCalendar.length > 0)
    headers["Symbols-Without-Calendar"] = withoutCalendar.slice(0, MOST_NAMED).join(", ");
  return respond(Ingested, { ok: true, accepted, duplicates }, { headers });
}
