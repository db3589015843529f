import type { ApiKey } from "@/lib/access/api-key";
import type { Answer } from "@/lib/api/answer";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { EVENT_STREAM_HEADERS } from "@/lib/api/watch/event-stream";
import { includesFeature } from "@/lib/runtime/plan-features";
import { signalReplayCache } from "@/lib/signals/committed-signals";
import { LastEventId, StreamQuery } from "@/lib/wire/contracts/stream";
import { AppError, invalidField } from "@/lib/wire/errors";
import { decodeEventId, eventChecksum } from "./event-id";
import { openSubscriberStream } from "./subscriber-stream";

/** GET /api/stream: signals in scope as server-sent events, with event ids from which a client can resume. */
export const GET = route(async (request): Promise<Answer> => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  if (!includesFeature(key, "stream"))
    throw new AppError("not_in_plan", { detail: "Your plan does not include the stream." });
  const after = await findPosition(readAfter(request), key);
  const headers = { ...EVENT_STREAM_HEADERS, "Signal-Seq": String(key.versions.lastSeq) };
  if (request.method === "HEAD") return { status: 200, headers, body: null };
  return { status: 200, headers, body: openSubscriberStream(request, key, after) };
});

/** The event id after which to resume: the header `Last-Event-ID`, else the parameter `after`, else undefined. */
function readAfter(request: Request): number | undefined {
  const { after } = parseQuery(request, StreamQuery);
  const sent = request.headers.get("last-event-id");
  if (sent === null || sent === "") return after;
  const parsed = LastEventId.safeParse(sent);
  if (!parsed.success)
    throw invalidField("header", "Last-Event-ID", "is not the number of a signal that was sent");
  return parsed.data;
}

/**
 * The sequence number of the event id that a client sent; without one, the newest number. null: the signal of this id is
 * missing or is another one, for example because the database was restored.
 */
async function findPosition(
  sent: number | undefined,
  { versions: { lastSeq } }: ApiKey,
): Promise<number | null> {
  if (sent === undefined) return lastSeq;
  const { seq, check } = decodeEventId(sent);
  if (seq > lastSeq) return null;
  if (check === null) return seq;
  const signal = await signalReplayCache().numbered(seq);
  return signal !== null && eventChecksum(signal) === check ? seq : null;
}
