import type { ApiKey } from "@/lib/access/api-key";
import { jsonAnswer } from "@/lib/api/answer";
import { cachedSlotHistory } from "@/lib/api/cached-slot-history";
import { delayHeader } from "@/lib/api/delay-header";
import { parseQuery } from "@/lib/api/parse";
import { parseSlotAndNoteUnserved } from "@/lib/api/parse-slot-and-note-unserved";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireInScope } from "@/lib/api/require-in-scope";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { newestSeqOfSlot } from "@/lib/signals/scan";
import { clientCallLog } from "@/lib/subscribers/client-call-log";
import { signalFetchBuffer } from "@/lib/subscribers/signal-fetches";
import { SlotHistoryQuery } from "@/lib/wire/contracts/signals";

/** GET /api/signals/{symbol}/{tf}: the newest signals of one slot, newest first. */
export const GET = route<{ symbol: string; tf: string }>(async (request, params) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const slot = parseSlotAndNoteUnserved(key, params);
  const { limit, expand } = parseQuery(request, SlotHistoryQuery);
  requireInScope(key, slot);

  const { body, headers } = await cachedSlotHistory(key, { ...slot, limit, withLevels: expand === "levels" });
  if (request.method !== "HEAD") await noteFetch(key, slot, limit);
  return jsonAnswer(body, { headers: { ...headers, ...delayHeader(key.scope) } });
});

/** Records that the caller fetched the newest `reach` signals of the slot. */
async function noteFetch(
  { subscriptionId, versions, seenAt, scope }: ApiKey,
  slot: { symbol: string; timeframe: string },
  reach: number,
): Promise<void> {
  // Delayed signals do not count as fetched, because they arrive too late to follow.
  if (scope.delayCandles !== undefined) return;
  const newest = await newestSeqOfSlot(versions, slot);
  if (newest === null) return clientCallLog().noteUnservedSlot(subscriptionId, slot);
  const { slotId, newestSeq } = newest;
  const shown = { subscriptionId, way: "history", slotId, minConfidence: 0, reach } as const;
  await signalFetchBuffer().note({ ...shown, lastSeq: newestSeq, atMs: seenAt.getTime() }, () => newestSeq);
}
