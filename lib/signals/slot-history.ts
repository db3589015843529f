import type { z } from "zod";
import { db } from "@/db/client";
import { listSlotSignals } from "@/db/queries/signals";
import type { Scope } from "@/lib/access/plans";
import type { ExpiringValue } from "@/lib/runtime/window-cache";
import type { Timeframe } from "@/lib/vocabulary";
import { roundProbability } from "@/lib/wire/contracts/shared";
import type { SlotHistory } from "@/lib/wire/contracts/signals";
import { toLevelFields } from "@/lib/wire/signal-item";
import { latestVisibleClose, nextMinute } from "./visible-closes";

/**
 * The newest `limit` signals of one slot that the delay of a scope allows at `now`, newest first. Valid until the
 * version of signals changes; for a delayed scope, at most until the next minute.
 */
export async function listSlotHistory(
  scope: Scope,
  slot: { symbol: string; timeframe: Timeframe; limit: number; withLevels?: boolean },
  now: Date,
): Promise<ExpiringValue<z.output<typeof SlotHistory>>> {
  const closedBy = latestVisibleClose(scope, slot.timeframe, now);
  const signals = await listSlotSignals(db(), { ...slot, closedBy });
  const value = signals.map((signal) => ({
    ts: signal.ts,
    signal: signal.signal,
    confidence: roundProbability(signal.confidence),
    regime: signal.regime,
    expected_rr: signal.expectedRr,
    ...(slot.withLevels && toLevelFields(signal)),
  }));
  return { value, validUntil: closedBy === undefined ? null : nextMinute(now) };
}
