import type { ApiKey } from "@/lib/access/api-key";
import { listSlotHistory } from "@/lib/signals/slot-history";
import { SlotHistory } from "@/lib/wire/contracts/signals";
import { cachedBody } from "./cached-body";
import type { Tagged } from "./conditional";

/** The newest signals of one slot at the time of the key's look-up, signed. Callers with the same limit share one body. */
export function cachedSlotHistory(
  { versions, seenAt }: ApiKey,
  slot: { symbol: string; timeframe: string; limit: number; withLevels?: boolean },
): Promise<Tagged> {
  const { symbol, timeframe, limit, withLevels = false } = slot;
  return cachedBody(
    SlotHistory,
    {
      name: "slot-history",
      key: `${symbol}/${timeframe}/${limit}${withLevels ? "/levels" : ""}`,
      version: versions.signals,
      now: seenAt,
      signed: {
        path: `/api/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}`,
        seq: versions.lastSeq,
      },
    },
    () => listSlotHistory(slot),
  );
}
