import type { Database } from "@/db/client";
import { wakeJob } from "@/db/queries/jobs";
import { listSlotStates } from "@/db/queries/slots";
import { processWide } from "@/lib/runtime/process-wide";
import { MINUTE_MS } from "@/lib/time";
import { resolveOutcomes } from "./resolve-outcomes";

/** All signals with an open outcome are checked this often, because candles may also be added before the newest one. */
const AT_LEAST_EVERY_MS = 10 * MINUTE_MS;
/**
 * This many outcomes in one run mean that history was loaded. The job for daily sums then starts at once, because
 * figures over those days are slow until it has run.
 */
const STRETCH = 1_000;

const state = () =>
  processWide<{ seen: string; at: number }>("due-outcomes", () => ({
    seen: "",
    at: Number.NEGATIVE_INFINITY,
  }));

/** Resolves outcomes if a slot has a new settled candle or live signal, and otherwise every ten minutes. */
export async function resolveDueOutcomes(database: Database, signal: AbortSignal): Promise<void> {
  const states = await listSlotStates(database);
  const newest = states
    .map(
      (slot) => `${slot.slotId}:${slot.lastSettledTs?.getTime() ?? 0}:${slot.lastSignalTs?.getTime() ?? 0}`,
    )
    .join();
  const held = state();
  if (newest === held.seen && performance.now() - held.at < AT_LEAST_EVERY_MS) return;
  const written = await resolveOutcomes(database, signal);
  if (written >= STRETCH) await wakeJob(database, "sums");
  if (signal.aborted) return;
  held.seen = newest;
  held.at = performance.now();
}
