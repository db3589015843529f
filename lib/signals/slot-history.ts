import type { z } from "zod";
import { db } from "@/db/client";
import { listSlotSignals } from "@/db/queries/signals";
import type { ValueUntil } from "@/lib/runtime/window-cache";
import { roundProbability } from "@/lib/wire/contracts/shared";
import type { SlotHistory } from "@/lib/wire/contracts/signals";
import { levelsOf } from "@/lib/wire/signal-item";

/** The newest signals of one slot, newest first. They hold until a signal arrives. */
export async function listSlotHistory(slot: {
  symbol: string;
  timeframe: string;
  limit: number;
  withLevels?: boolean;
}): Promise<ValueUntil<z.output<typeof SlotHistory>>> {
  const signals = await listSlotSignals(db(), slot);
  const value = signals.map((signal) => ({
    ts: signal.ts,
    signal: signal.signal,
    confidence: roundProbability(signal.confidence),
    regime: signal.regime,
    expected_rr: signal.expectedRr,
    ...(slot.withLevels && levelsOf(signal)),
  }));
  return { value, validUntil: null };
}
