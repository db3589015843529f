import { type Answer, respond } from "@/lib/api/answer";
import type { IngestResult } from "@/lib/signals/ingest/result";
import { IngestAnswer } from "@/lib/wire/contracts/ingest";

/** Maximum number of symbols in the header, to limit its length. */
const MAX_NAMED = 20;

/** The response of an ingest; a header lists up to 20 symbols without a calendar, for which FX hours are used. */
export function answerIngest({ accepted, duplicates, withoutCalendar = [] }: IngestResult): Answer {
  const headers: Record<string, string> = {};
  if (withoutCalendar.length > 0)
    headers["Symbols-Without-Calendar"] = withoutCalendar.slice(0, MAX_NAMED).join(", ");
  return respond(IngestAnswer, { ok: true, accepted, duplicates }, { headers });
}
