import type { ApiKey } from "@/lib/access/api-key";
import { planOf } from "@/lib/access/plans";
import type { Answer } from "@/lib/api/answer";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { EVENT_STREAM_HEADERS } from "@/lib/api/watch/event-stream";
import { LastEventId, StreamQuery } from "@/lib/wire/contracts/stream";
import { AppError, invalidField } from "@/lib/wire/errors";
import { openSubscriberStream } from "./subscriber-stream";

/** GET /api/stream: signals in scope as server-sent events, each with its number, from which a client resumes. */
export const GET = route(async (request): Promise<Answer> => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  if (!planOf(key.planTier).stream)
    throw new AppError("not_in_plan", { detail: "Your plan does not include the stream." });
  const after = readPlace(request, key);
  const headers = { ...EVENT_STREAM_HEADERS, "Signal-Seq": String(key.versions.lastSeq) };
  if (request.method === "HEAD") return { status: 200, headers, body: null };
  return { status: 200, headers, body: openSubscriberStream(request, key, after) };
});

/** The number after which to go on: the header of a client that resumes, else `after`, else the newest. */
function readPlace(request: Request, key: ApiKey): number {
  const { after } = parseQuery(request, StreamQuery);
  const { lastSeq } = key.versions;
  const sent = request.headers.get("last-event-id");
  if (sent !== null && sent !== "") {
    const parsed = LastEventId.safeParse(sent);
    if (!parsed.success || parsed.data > lastSeq) throw unknownPlace("header", "Last-Event-ID");
    return parsed.data;
  }
  if (after === undefined) return lastSeq;
  if (after > lastSeq) throw unknownPlace("query", "after");
  return after;
}

const unknownPlace = (place: string, field: string) =>
  invalidField(place, field, "is not the number of a signal that was sent");
