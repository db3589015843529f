import type { ApiKey } from "@/lib/access/api-key";
import { cachedBody } from "@/lib/api/cached-body";
import {
  answerWithEtag,
  type BodyWithEtag,
  CACHE_CONTROL_PRIVATE,
  conditionalAnswer,
  ifNoneMatch,
  matchesIfNoneMatch,
  serialiseWithEtag,
  serialiseWithWeakEtag,
} from "@/lib/api/conditional";
import { delayHeader } from "@/lib/api/delay-header";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { waitForChange } from "@/lib/api/watch/wait-for-change";
import { includesFeature } from "@/lib/runtime/plan-features";
import { windowCache } from "@/lib/runtime/window-cache";
import {
  getNextCandleClose,
  getScan,
  getScanWithValidity,
  listPausedSlots,
  newestSeqInScope,
} from "@/lib/signals/scan";
import { clientCallLog } from "@/lib/subscribers/client-call-log";
import { signalsPausedHeader } from "@/lib/subscribers/own-pauses";
import { type SignalFetch, signalFetchBuffer } from "@/lib/subscribers/signal-fetches";
import { Scan, ScanQuery } from "@/lib/wire/contracts/signals";
import { AppError } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";

type Query = ReturnType<typeof ScanQuery.parse>;

/** GET /api/scan: the newest signal of each slot that the key may see, at once or, with `wait`, when the list changes. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const query = parseQuery(request, ScanQuery);
  if (query.wait > 0 && !includesFeature(key, "longPoll"))
    throw new AppError("not_in_plan", { detail: "Your plan does not include waiting: ask without wait." });
  clientCallLog().notePoll(key.subscriptionId, key.seenAt, request.headers.has("if-none-match"));

  const now = await scanOf(key, query);
  const held = ifNoneMatch(request);
  if (query.wait === 0 || request.method === "HEAD" || !matchesIfNoneMatch(held, now)) {
    if (request.method !== "HEAD") await noteFetch(key, query);
    return conditionalAnswer(request, now, CACHE_CONTROL_PRIVATE, await headersOf(key));
  }

  const waited = await waitForChange(request, key, query.wait, async (moved) => {
    const content = await scanOf(moved, query);
    return matchesIfNoneMatch(held, content) ? null : content;
  });
  await noteFetch(waited.key, query);
  const headers = await headersOf(waited.key);
  if (waited.isStopping) headers.Connection = "close";
  if (waited.news !== null) return answerWithEtag(waited.news, CACHE_CONTROL_PRIVATE, headers);
  return conditionalAnswer(request, await scanOf(waited.key, query), CACHE_CONTROL_PRIVATE, headers);
});

/** The response body, as of the key's look-up. Callers with the same plan, scope and parameters share one body. */
function scanOf(key: ApiKey, { expand, min_confidence: minConfidence, wait }: Query): Promise<BodyWithEtag> {
  const { signals: version, lastSeq: seq } = key.versions;
  const wanted = { version, planTier: key.planTier, scope: key.scope, minConfidence };
  const kept = {
    name: "scan",
    key: `${key.planTier}|${key.scope.id}|${minConfidence}`,
    version,
    now: key.seenAt,
    // Not for a delayed key: a receipt states that the response is complete up to a signal, which a delayed one is not.
    ...(key.scope.delayCandles === undefined && { signed: { path: "/api/scan", seq } }),
  };
  if (expand === undefined) return cachedBody(Scan, kept, () => getScan(wanted, key.seenAt));
  const parts = expand.split(",");
  const added = { withRange: parts.includes("range"), withLevels: parts.includes("levels") };
  if (!parts.includes("validity"))
    return cachedBody(Scan, { ...kept, name: `scan.${expand}` }, () => getScan(wanted, key.seenAt, added));
  return withValidity(wanted, key.seenAt, { waits: wait > 0, ...added });
}

/**
 * The response body with validity, which contains the age of each signal at `now`. For a long poll the ETag ignores the
 * ages, because they change constantly. Long polls with the same plan, scope, parameters and `now` share a body.
 */
async function withValidity(
  wanted: Parameters<typeof getScanWithValidity>[0],
  now: Date,
  { waits, ...added }: { waits: boolean; withRange: boolean; withLevels: boolean },
): Promise<BodyWithEtag> {
  if (!waits) return serialiseWithEtag(Scan, await getScanWithValidity(wanted, now, added));
  const id = `${wanted.planTier}|${wanted.scope.id}|${wanted.minConfidence}|${added.withRange}|${added.withLevels}|${now.getTime()}`;
  return windowCache<BodyWithEtag>("scan.validity", 50).get(id, wanted.version, now, async () => {
    const scan = await getScanWithValidity(wanted, now, added);
    const items = scan.items.map((item) => ({ ...item, age_minutes: 0 }));
    return { value: serialiseWithWeakEtag(Scan, scan, { ...scan, items }), validUntil: null };
  });
}

/** Records that the caller fetched the newest signals in scope of at least the requested confidence. */
async function noteFetch(key: ApiKey, { min_confidence: minConfidence, wait }: Query): Promise<void> {
  const { subscriptionId, versions, scope, seenAt } = key;
  // Delayed signals do not count as fetched, because they arrive too late to follow.
  if (scope.delayCandles !== undefined) return;
  const shown: SignalFetch = {
    subscriptionId,
    way: wait > 0 ? "wait" : "scan",
    slotId: 0,
    minConfidence,
    reach: 1,
    atMs: seenAt.getTime(),
    lastSeq: versions.lastSeq,
  };
  return signalFetchBuffer().note(shown, () => newestSeqInScope(versions, scope));
}

/** The headers: the newest sequence number that the response covers or the delay, the next close, and pauses. */
async function headersOf(key: ApiKey): Promise<Record<string, string>> {
  const { versions, scope, seenAt, held } = key;
  const { signals: version, lastSeq } = versions;
  const { next, paused } = await windowCache<{ next: string | null; paused: string }>("scan.headers").get(
    scope.id,
    version,
    seenAt,
    async () => {
      const close = await getNextCandleClose({ version, scope }, seenAt);
      const next = close.value === null ? null : writeInstant(close.value);
      const paused = (await listPausedSlots(version, scope, seenAt)).join(", ");
      return { value: { next, paused }, validUntil: close.validUntil };
    },
  );
  // The number from the key look-up, so that it is never newer than the response.
  const headers: Record<string, string> =
    scope.delayCandles === undefined ? { "Signal-Seq": String(lastSeq) } : delayHeader(scope);
  if (next !== null) headers["Next-Signal-At"] = next;
  if (paused !== "") headers["Paused-Slots"] = paused;
  if (held.length > 0) headers["X-Signals-Paused"] = signalsPausedHeader(held);
  return headers;
}
