import { db } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { MAX_INGEST_BYTES } from "@/lib/api/body";
import { parseBody } from "@/lib/api/parse";
import { requireAdministrator } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import { IngestCandlesBody, Ingested } from "@/lib/wire/contracts/ingest";

/** POST /admin/ingest/candles: candles of the operator's own pipeline, all or none. */
export const POST = route(async (request) => {
  await requireAdministrator(request);
  const { items } = await parseBody(request, IngestCandlesBody, MAX_INGEST_BYTES);
  return respond(Ingested, { ok: true, ...(await ingestCandles(db("heavy"), items)) });
});
