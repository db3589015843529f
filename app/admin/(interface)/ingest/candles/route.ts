import { answerIngest } from "@/app/admin/(interface)/ingest/answer-ingest";
import { db } from "@/db/client";
import { parseBody, parseQuery } from "@/lib/api/parse";
import { MAX_INGEST_BYTES } from "@/lib/api/request-body";
import { requireProducer } from "@/lib/api/require-producer";
import { route } from "@/lib/api/route";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import { ingestForSender } from "@/lib/signals/ingest/ingest-for-sender";
import { IngestCandlesBody, IngestQuery } from "@/lib/wire/contracts/ingest";

/** POST /admin/ingest/candles: stores candles of the operator's pipeline, all or none. */
export const POST = route(async (request) => {
  const producer = await requireProducer(request);
  const { check } = parseQuery(request, IngestQuery);
  const { items } = await parseBody(request, IngestCandlesBody, MAX_INGEST_BYTES);
  return answerIngest(
    await ingestForSender(db("heavy"), { ...producer, kind: "candles", check }, items, ingestCandles),
  );
});
