import { db } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { MAX_INGEST_BYTES } from "@/lib/api/body";
import { parseBody } from "@/lib/api/parse";
import { requireAdministrator } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { ingestSignals } from "@/lib/signals/ingest/ingest-signals";
import { Ingested, IngestSignalsBody } from "@/lib/wire/contracts/ingest";

/** POST /admin/ingest/signals: signals of the operator's own pipeline, all or none. */
export const POST = route(async (request) => {
  await requireAdministrator(request);
  const { items } = await parseBody(request, IngestSignalsBody, MAX_INGEST_BYTES);
  return respond(Ingested, { ok: true, ...(await ingestSignals(db("heavy"), items)) });
});
