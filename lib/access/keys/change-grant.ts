import { isDeepStrictEqual } from "node:util";
import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { lockKey, updateKey } from "@/db/queries/key-changes";
import { isRevokedOrRotated } from "@/db/queries/key-state";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import type { PlanTier } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";
import { changePaidTime, paidTimeReplacement } from "./paid-time-of-keys";

/** Plan, scope and rate limit of a key. */
export interface GrantTerms {
  planTier: PlanTier;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** null: the plan's own limit. */
  rateLimitPerMin: number | null;
}

/**
 * Changes the scope and rate limit of a key from its next request on. A new plan lasts until the key's present end;
 * time already paid for becomes time of the new plan. Equal values are neither stored nor audited. Throws not_found, or
 * conflict for a key that was revoked or rotated out.
 */
export async function changeGrant(
  database: Database,
  keyId: number,
  grant: GrantTerms,
  actor: Actor,
): Promise<{ action: "changed" | "unchanged" }> {
  return database.transaction(async (tx) => {
    const key = await lockKey(tx, keyId);
    if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
    if (isRevokedOrRotated(key))
      throw new AppError("conflict", { detail: "This key has ended for good and cannot be changed." });
    const { planTier, symbolsAllowed, tfsAllowed, rateLimitPerMin } = key;
    const before: GrantTerms = { planTier, symbolsAllowed, tfsAllowed, rateLimitPerMin };
    if (isDeepStrictEqual(before, grant)) return { action: "unchanged" };
    const { planTier: wanted, ...limits } = grant;
    await updateKey(tx, keyId, limits);
    if (wanted !== planTier) {
      const now = await readClock(tx);
      const { expiresAt } = key;
      await changePaidTime(tx, [keyId], now, (ledger) =>
        paidTimeReplacement(ledger, { planTier: wanted, expiresAt }, "gift", now),
      );
    }
    await recordAudit(tx, {
      actor,
      action: "key.change_grant",
      target: `key/${keyId}`,
      subscriptionId: key.subscriptionId,
      details: { before, after: grant },
    });
    return { action: "changed" };
  });
}
