import type { Database } from "@/db/client";
import { listSlots } from "@/db/queries/slots";
import {
  type ActiveSubscriberPause,
  bumpKeyRevisions,
  endSubscriberPause,
  insertSubscriberPause,
  type SubscriberPauseTarget,
} from "@/db/queries/subscriber-pauses";
import { coversSlot } from "@/lib/access/pauses";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError, invalidField } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";

/**
 * Pauses trading by the subscriber's own clients, in one slot or all, from their next poll on. Signals are still
 * delivered. Throws validation_failed for an unknown slot, and conflict if it is paused already.
 */
export async function pauseOwnTrading(
  database: Database,
  subscriptionId: number,
  target: SubscriberPauseTarget,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (target.symbol !== null && !(await listSlots(tx)).some((slot) => coversSlot(target, slot)))
      throw invalidField("body", "slot", "must be a slot");
    if (!(await insertSubscriberPause(tx, subscriptionId, target)))
      throw new AppError("conflict", { detail: "This is paused already." });
    await bumpKeyRevisions(tx, subscriptionId);
    await recordAudit(tx, { ...audited(subscriptionId, actor, target), action: "own-pause.start" });
  });
}

/** Ends one of the subscriber's own pauses. Throws not_found if it has ended. */
export async function resumeOwnTrading(
  database: Database,
  subscriptionId: number,
  id: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const target = await endSubscriberPause(tx, subscriptionId, id);
    if (target === null)
      throw new AppError("not_found", { detail: "There is no such pause, or it is over." });
    await bumpKeyRevisions(tx, subscriptionId);
    await recordAudit(tx, { ...audited(subscriptionId, actor, target), action: "own-pause.end" });
  });
}

const audited = (subscriptionId: number, actor: Actor, { symbol, timeframe }: SubscriberPauseTarget) => ({
  actor,
  target: `subscription/${subscriptionId}`,
  subscriptionId,
  details: { symbol, timeframe },
});

/** The value of the header `X-Signals-Paused`: `all;since=…` or `EURUSD/H1;since=…`, in a list. */
export const signalsPausedHeader = (held: readonly ActiveSubscriberPause[]): string =>
  held
    .map(({ symbol, timeframe, sinceMs }) => {
      const what = symbol === null ? "all" : `${symbol}/${timeframe}`;
      return `${what};since=${writeInstant(new Date(Math.floor(sinceMs / 1000) * 1000))}`;
    })
    .join(", ");
