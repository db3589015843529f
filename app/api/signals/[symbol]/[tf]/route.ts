import { jsonAnswer } from "@/lib/api/answer";
import { keptBody } from "@/lib/api/kept-body";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireInScope } from "@/lib/api/require-in-scope";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { listSlotHistory } from "@/lib/signals/slot-history";
import { SlotHistory, SlotHistoryQuery } from "@/lib/wire/contracts/signals";
import { parseSlot } from "@/lib/wire/slot-params";

/** GET /api/signals/{symbol}/{tf}: the newest signals of one slot, newest first. */
export const GET = route<{ symbol: string; tf: string }>(async (request, params) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const slot = parseSlot(params);
  const { limit } = parseQuery(request, SlotHistoryQuery);
  requireInScope(key, slot);

  const { body } = await keptBody(
    SlotHistory,
    {
      name: "slot-history",
      key: `${slot.symbol}/${slot.timeframe}/${limit}`,
      version: key.versions.signals,
      now: key.seenAt,
    },
    () => listSlotHistory({ ...slot, limit }),
  );
  return jsonAnswer(body);
});
