import type { Database } from "@/db/client";
import { lockKey } from "@/db/queries/key-changes";
import { isRevokedOrRotated } from "@/db/queries/key-state";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { minuteInUtc } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { changePaidTime, paidTimeReplacement } from "./paid-time-of-keys";
import { requireFutureEnd } from "./require-future-end";

/**
 * Changes the end of a key to a later or an earlier one; null: no end. An expired key works again from the next request
 * on. `shownEnd` is the end that the administrator saw: two forms that were opened with the same end change it once.
 * Throws validation_failed for an end that is not in the future, not_found, and conflict for a key that was revoked or
 * rotated out, or whose end is no longer `shownEnd`.
 */
export async function changeKeyEnd(
  database: Database,
  keyId: number,
  expiresAt: Date | null,
  actor: Actor,
  now: Date,
  shownEnd?: Date | null,
): Promise<void> {
  requireFutureEnd(expiresAt, now);
  await database.transaction(async (tx) => {
    const key = await lockKey(tx, keyId);
    if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
    if (isRevokedOrRotated(key))
      throw new AppError("conflict", {
        detail: "This key has ended for good and cannot be extended. Issue a new key instead.",
      });
    // The row is locked, so a second change waits here and then sees the end of the first one.
    if (shownEnd !== undefined && shownEnd?.getTime() !== key.expiresAt?.getTime())
      throw new AppError("conflict", { detail: `Since this page was opened, ${newEnd(key)}.` });
    await changePaidTime(tx, [keyId], now, (ledger) =>
      paidTimeReplacement(
        ledger,
        { planTier: ledger.access?.planTier ?? key.planTier, expiresAt },
        "extension",
        now,
      ),
    );
    await recordAudit(tx, {
      actor,
      action: "key.extend",
      target: `key/${keyId}`,
      subscriptionId: key.subscriptionId,
      details: { from: key.expiresAt?.toISOString() ?? null, to: expiresAt?.toISOString() ?? null },
    });
  });
}

const newEnd = ({ expiresAt }: { expiresAt: Date | null }): string =>
  expiresAt === null
    ? "the end of access was removed"
    : `the end of access was changed to ${minuteInUtc(expiresAt)}`;
