import type { Database, Transaction } from "@/db/client";
import { closePause, insertPause, listPausesToEnd, type PauseTarget } from "@/db/queries/pauses";
import { bumpSignalsVersion } from "@/db/queries/signals";
import { listSlots } from "@/db/queries/slots";
import { coversSlot } from "@/lib/access/pauses";
import { type Actor, actorName, recordAudit } from "@/lib/runtime/audit";
import { AppError, invalidField } from "@/lib/wire/errors";

/**
 * Pauses the signals of a slot, a symbol or everything from the next request on, on every instance; returns
 * the pause's id. Stored signals do not change. Throws validation_failed for an unknown target or a past end,
 * and conflict if the target is already paused.
 */
export async function pauseSignals(
  database: Database,
  pause: PauseTarget & { reason: string; until: Date | null },
  actor: Actor,
  now: Date,
  /** Queues notices in the same transaction. */
  tell: (tx: Transaction, id: number) => Promise<void> = async () => undefined,
): Promise<number> {
  if (pause.until !== null && pause.until <= now)
    throw invalidField("body", "until", "must be in the future");
  return database.transaction(async (tx) => {
    if (pause.symbol !== null && !(await listSlots(tx)).some((slot) => coversSlot(pause, slot)))
      throw invalidField("body", "target", "must be a slot or a symbol with slots");
    const id = await insertPause(tx, { ...pause, by: actorName(actor) });
    if (id === null) throw new AppError("conflict", { detail: "This is paused already." });
    await bumpSignalsVersion(tx);
    await tell(tx, id);
    await recordAudit(tx, {
      actor,
      action: "pause.start",
      target: `pause/${id}`,
      details: {
        symbol: pause.symbol,
        timeframe: pause.timeframe,
        reason: pause.reason,
        until: pause.until?.toISOString() ?? null,
      },
    });
    return id;
  });
}

/**
 * Ends a pause, so that the newest signals of its slots are shown again. Throws not_found if the pause is over or does
 * not exist.
 */
export async function endPause(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const ended = await closePause(tx, id, actorName(actor));
    if (ended === null) throw new AppError("not_found", { detail: "There is no such pause, or it is over." });
    await bumpSignalsVersion(tx);
    const { symbol, timeframe } = ended;
    await recordAudit(tx, {
      actor,
      action: "pause.end",
      target: `pause/${id}`,
      details: { symbol, timeframe },
    });
  });
}

/** Ends every current pause whose planned end has passed. */
export async function endDuePauses(database: Database): Promise<void> {
  for (const id of await listPausesToEnd(database)) {
    await endPause(database, id, { kind: "worker" }).catch((error: unknown) => {
      // Another worker or the operator has ended this pause first.
      if (!(error instanceof AppError && error.code === "not_found")) throw error;
    });
  }
}
