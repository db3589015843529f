import type { DatabaseHandle } from "@/db/client";
import type { PlanInterval } from "@/db/schema";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import type { PlanTier } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";

/** Queues the mail with a new key, in the transaction that creates the key. Does nothing without an address. */
export async function queueKeyMail(
  tx: DatabaseHandle,
  key: {
    keyId: number;
    apiKey: string;
    planTier: PlanTier;
    expiresAt: Date | null;
    /** End of the paid time, if days of grace follow it. */
    paidUntil?: Date | null;
    /** The plans in order, if there are several. */
    stretches?: PlanInterval[] | null;
    /** Set for a try-out key. */
    delayCandles?: number;
    /** Set if the end had passed when the payment arrived. */
    isLate?: boolean;
    owner: { subscriptionId: number; userName: string; email: string | null };
  },
): Promise<void> {
  if (key.owner.email === null) return;
  await queueMail(tx, {
    kind: "key-created",
    dedupeKey: `key-created/${key.keyId}`,
    subscriptionId: key.owner.subscriptionId,
    recipient: key.owner.email,
    props: {
      userName: key.owner.userName,
      planTier: key.planTier,
      expiresAt: key.expiresAt && writeInstant(key.expiresAt),
      ...(key.paidUntil && { paidUntil: writeInstant(key.paidUntil) }),
      ...(key.stretches && { stretches: key.stretches }),
      ...(key.delayCandles !== undefined && { delayCandles: key.delayCandles }),
      ...(key.isLate && { isLate: true }),
    },
    secret: key.apiKey,
  });
}
