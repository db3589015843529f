import { db } from "@/db/client";
import { listSlotSignals } from "@/db/queries/signals";
import { respond } from "@/lib/api/answer";
import { roundProbability } from "@/lib/api/contracts/shared";
import { SlotHistory, SlotHistoryQuery } from "@/lib/api/contracts/signals";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { parseSlot, requireInScope } from "@/lib/api/slot-params";

/** GET /api/signals/{symbol}/{tf}: the newest signals of one slot, newest first. */
export const GET = route<{ symbol: string; tf: string }>(async (request, params) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const slot = parseSlot(params);
  const { limit } = parseQuery(request, SlotHistoryQuery);
  requireInScope(key, slot);

  const signals = await listSlotSignals(db(), { ...slot, limit });

  return respond(
    SlotHistory,
    signals.map((signal) => ({
      ts: signal.ts,
      signal: signal.signal,
      confidence: roundProbability(signal.confidence),
      regime: signal.regime,
      expected_rr: signal.expectedRr,
    })),
  );
});
