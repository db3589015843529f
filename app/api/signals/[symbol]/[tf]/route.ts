import { jsonAnswer } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { parseSlot, requireInScope } from "@/lib/api/slot-params";
import { getSlotHistoryBody } from "@/lib/signals/slot-history";
import { SlotHistoryQuery } from "@/lib/wire/contracts/signals";
import { parseQuery } from "@/lib/wire/params";

/** GET /api/signals/{symbol}/{tf}: the newest signals of one slot, newest first. */
export const GET = route<{ symbol: string; tf: string }>(async (request, params) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const slot = parseSlot(params);
  const { limit } = parseQuery(request, SlotHistoryQuery);
  requireInScope(key, slot);
  return jsonAnswer(await getSlotHistoryBody({ ...slot, limit, version: key.versions.signals }, key.seenAt));
});
