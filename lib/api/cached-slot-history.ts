import type { ApiKey } from "@/lib/access/api-key";
import { listSlotHistory } from "@/lib/signals/slot-history";
import { SlotHistory } from "@/lib/wire/contracts/signals";
import { cachedBody } from "./cached-body";
import type { BodyWithEtag } from "./conditional";

/**
 * The newest signals of one slot as of the look-up of the API key, as a body that is cached and, unless the key
 * is a try-out key, signed. Callers with the same slot, limit, `expand` and delay share one body.
 */
export function cachedSlotHistory(
  { versions, seenAt, scope }: ApiKey,
  slot: Parameters<typeof listSlotHistory>[1],
): Promise<BodyWithEtag> {
  const { symbol, timeframe, limit, withLevels = false } = slot;
  const { delayCandles } = scope;
  return cachedBody(
    SlotHistory,
    {
      name: "slot-history",
      key: `${symbol}/${timeframe}/${limit}${withLevels ? "/levels" : ""}${delayCandles === undefined ? "" : `|delay=${delayCandles}`}`,
      version: versions.signals,
      now: seenAt,
      // A try-out key's answer is not signed, because the signature states that all signals up to `seq` are included.
      ...(delayCandles === undefined && {
        signed: {
          path: `/api/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}`,
          seq: versions.lastSeq,
        },
      }),
    },
    () => listSlotHistory(scope, slot, seenAt),
  );
}
