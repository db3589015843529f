import { answerIngest } from "@/app/admin/(interface)/ingest/answer-ingest";
import { db } from "@/db/client";
import { parseBody, parseQuery } from "@/lib/api/parse";
import { MAX_INGEST_BYTES } from "@/lib/api/request-body";
import { requireProducer } from "@/lib/api/require-producer";
import { route } from "@/lib/api/route";
import { ingestForSender } from "@/lib/signals/ingest/ingest-for-sender";
import { ingestModels } from "@/lib/signals/ingest/ingest-models";
import { IngestModelsBody, IngestQuery } from "@/lib/wire/contracts/ingest";

/** POST /admin/ingest/models: stores models of the operator's pipeline, all or none. */
export const POST = route(async (request) => {
  const producer = await requireProducer(request);
  const { check } = parseQuery(request, IngestQuery);
  const { items } = await parseBody(request, IngestModelsBody, MAX_INGEST_BYTES);
  return answerIngest(
    await ingestForSender(db("heavy"), { ...producer, kind: "models", check }, items, ingestModels),
  );
});
