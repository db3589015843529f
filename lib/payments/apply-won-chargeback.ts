import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import {
  hasKeyNeitherRevokedNorRotated,
  listAddressesRevokedByChargeback,
  lockBuyerAddress,
  reopenInvoice,
  unrevokeKeys,
} from "@/db/queries/payments";
import { findPaidUntil } from "@/lib/access/keys/paid-time-of-keys";
import type { MailPropsByKind } from "@/lib/outbound/mail/kinds";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit } from "@/lib/runtime/audit";
import { writeInstant } from "@/lib/wire/json";
import { CHARGEBACK_EVENT } from "./apply-invoice-end";
import type { PaymentDelivery } from "./delivery";
import type { ApplyContext } from "./outcome";

/**
 * Applies a won chargeback: the keys that the chargeback revoked work again until their own ends, and the invoice
 * counts as paid. Returns `for_a_person`, and changes nothing, if the buyer has another key that was neither revoked
 * nor rotated, or no revocation can be undone: then the administrator must decide. `repeated`: the same bytes came
 * before.
 */
export async function applyWonChargeback(
  tx: Transaction,
  { invoiceId, buyer }: Pick<PaymentDelivery, "invoiceId" | "buyer">,
  context: ApplyContext,
): Promise<"reinstated" | "for_a_person" | "repeated"> {
  if (context.isRepeated) return "repeated";
  const owners = await listAddressesRevokedByChargeback(tx, invoiceId);
  for (const address of owners) if (buyer?.emailNormalized !== address) await lockBuyerAddress(tx, address);
  // An owner may have changed the address meanwhile.
  for (const address of await listAddressesRevokedByChargeback(tx, invoiceId))
    if (await hasKeyNeitherRevokedNorRotated(tx, address)) return "for_a_person";
  const keys = await unrevokeKeys(tx, { chargedBack: invoiceId });
  if (keys.length === 0) return "for_a_person";

  await reopenInvoice(tx, invoiceId, CHARGEBACK_EVENT);
  await announceReinstated(tx, keys, { invoiceId, after: "chargeback" }, context);
  return "reinstated";
}

/**
 * Writes an audit row for each reinstated key, and mails the owner of the newest one that works. `keys`: newest first.
 */
export async function announceReinstated(
  tx: Transaction,
  keys: Awaited<ReturnType<typeof unrevokeKeys>>,
  { invoiceId, after }: { invoiceId: string } & Pick<Required<MailPropsByKind["access-reinstated"]>, "after">,
  context: ApplyContext,
): Promise<void> {
  const now = await readClock(tx);
  for (const { keyId, subscriptionId, revokedAt } of keys) {
    await recordAudit(tx, {
      actor: context.actor,
      action: "payment.reinstate",
      target: `key/${keyId}`,
      subscriptionId,
      details: { invoiceId, revokedAt: revokedAt.toISOString() },
    });
  }
  // No mail if access has expired or is suspended.
  const working = keys.find(
    ({ expiresAt, suspendedAt }) => suspendedAt === null && (expiresAt === null || expiresAt > now),
  );
  if (working?.email) {
    const paidUntil = await findPaidUntil(tx, working.keyId, now);
    await queueMail(tx, {
      kind: "access-reinstated",
      dedupeKey: `access-reinstated/${working.keyId}/${working.revokedAt.toISOString()}`,
      subscriptionId: working.subscriptionId,
      recipient: working.email,
      props: {
        userName: working.userName,
        after,
        expiresAt: working.expiresAt && writeInstant(working.expiresAt),
        ...(paidUntil && { paidUntil: writeInstant(paidUntil) }),
      },
    });
  }
}
