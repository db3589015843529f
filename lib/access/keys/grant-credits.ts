import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import {
  declineProposedCredits,
  listDueCredits,
  lockProposedCredit,
  settleCredit,
} from "@/db/queries/credits";
import { lockBuyerAddress, lockKeysByEmail } from "@/db/queries/payments";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit, recordAudits } from "@/lib/runtime/audit";
import { MINUTE_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";
import { changePaidTime, paidTimeToAdd } from "./paid-time-of-keys";

const AT_ONCE = 100;

/** Grants the due downtime credits that were not declined, each once. Returns how many were granted. */
export async function grantDueDowntimeCredits(
  database: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let granted = 0;
  for (;;) {
    const due = await listDueCredits(database, now, AT_ONCE);
    for (const credit of due) {
      if (signal.aborted) return granted;
      if (await grantCredit(database, credit)) granted++;
    }
    if (due.length < AT_ONCE) return granted;
  }
}

/**
 * Extends the subscriber's key by the credit and mails the reason. Without a key in force that has an end, the credit
 * is void. Returns whether it was granted.
 */
async function grantCredit(
  database: Database,
  { id, subscriptionId, emailNormalized }: Awaited<ReturnType<typeof listDueCredits>>[number],
): Promise<boolean> {
  return database.transaction(async (tx) => {
    // The address first, as payments do: another order could deadlock.
    if (emailNormalized !== null) await lockBuyerAddress(tx, emailNormalized);
    const credit = await lockProposedCredit(tx, id);
    if (!credit) return false;
    const now = await readClock(tx);
    const { keys } = emailNormalized === null ? { keys: [] } : await lockKeysByEmail(tx, emailNormalized);
    const key = keys.find((each) => each.subscriptionId === subscriptionId);
    const isInForce = key?.expiresAt && key.expiresAt > now && key.suspendedAt === null;
    if (!key?.expiresAt || !isInForce) {
      await settleCredit(tx, id, { state: "void", keyId: null, settledAt: now });
      return false;
    }
    const accesses = await changePaidTime(tx, [key.keyId], now, ({ access }) => ({
      end: [],
      add: [paidTimeToAdd("credit", access?.planTier ?? key.planTier, now, credit.minutes * MINUTE_MS)],
    }));
    const access = accesses.get(key.keyId);
    const expiresAt = access?.expiresAt ?? key.expiresAt;
    await settleCredit(tx, id, { state: "granted", keyId: key.keyId, settledAt: now });
    await recordAudit(tx, {
      actor: { kind: "worker" },
      action: "credit.grant",
      target: `key/${key.keyId}`,
      subscriptionId,
      details: {
        month: credit.month.slice(0, 7),
        minutes: credit.minutes,
        formerExpiresAt: key.expiresAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      },
    });
    const owner = emailNormalized === null ? null : await findNewestSubscription(tx, emailNormalized);
    if (owner?.email)
      await queueMail(tx, {
        kind: "downtime-credited",
        dedupeKey: `downtime-credited/${id}`,
        subscriptionId,
        recipient: owner.email,
        props: {
          userName: key.userName,
          month: credit.month,
          minutes: credit.minutes,
          stretches: credit.stretches,
          expiresAt: writeInstant(expiresAt),
          ...(access?.paidUntil && { paidUntil: writeInstant(access.paidUntil) }),
        },
      });
    return true;
  });
}

/** Declines a subscriber's proposed credit. Throws conflict if the credit is no longer proposed. */
export async function declineDowntimeCredit(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const credit = await lockProposedCredit(tx, id);
    if (!credit) throw new AppError("conflict", { detail: "This credit was granted or declined already." });
    await settleCredit(tx, id, { state: "declined", keyId: null, settledAt: await readClock(tx) });
    await recordAudit(tx, {
      actor,
      action: "credit.decline",
      target: `credit/${id}`,
      subscriptionId: credit.subscriptionId,
      details: { month: credit.month.slice(0, 7), minutes: credit.minutes },
    });
  });
}

/**
 * Declines all proposed credits. Throws conflict, and declines none, if their number differs from the confirmed one,
 * `shown`.
 */
export async function declineProposedDowntimeCredits(
  database: Database,
  shown: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const declined = await declineProposedCredits(tx);
    if (declined.length !== shown)
      throw new AppError("conflict", { detail: "The list has changed in the meantime. Check it again." });
    await recordAudits(
      tx,
      declined.map(({ id, subscriptionId, month, minutes }) => ({
        actor,
        action: "credit.decline",
        target: `credit/${id}`,
        subscriptionId,
        details: { month: month.slice(0, 7), minutes, together: declined.length },
      })),
    );
  });
}
