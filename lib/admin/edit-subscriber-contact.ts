import { randomUUID } from "node:crypto";
import type { Database, Transaction } from "@/db/client";
import { invalidateFormerAddress, isSignInAddress } from "@/db/queries/accounts";
import { lockSubscription, updateContact } from "@/db/queries/subscriptions";
import { KINDS_KEEPING_THEIR_RECIPIENT } from "@/lib/outbound/mail/kinds";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import type { AdminRole } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError, invalidField } from "@/lib/wire/errors";
import { requireUnusedAddress } from "./form-checks";

export interface SubscriberContact {
  userName: string;
  email: string | null;
  notes: string | null;
}

/**
 * Changes a subscriber's name, address and notes. The audit row names the changed fields without their values.
 * Both mailboxes are notified of a changed address. Only an owner may change an address that is used for signing
 * in, because the mailbox gives access to the account. An address that another subscriber has needs `mayShareAddress`.
 * Throws not_found, and 422 for the address.
 */
export async function editSubscriberContact(
  database: Database,
  subscriptionId: number,
  contact: SubscriberContact,
  { actor, role, mayShareAddress }: { actor: Actor; role: AdminRole; mayShareAddress: boolean },
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockSubscription(tx, subscriptionId);
    if (!before) throw new AppError("not_found", { detail: "There is no subscriber with this id." });
    const changed = (["userName", "email", "notes"] as const).filter(
      (name) => before[name] !== contact[name],
    );
    if (changed.length === 0) return;
    const emailNormalized = contact.email === null ? null : normalizeEmail(contact.email);
    const former = before.email === null ? null : normalizeEmail(before.email);
    if (former !== emailNormalized) {
      if (former !== null && role !== "owner" && (await isSignInAddress(tx, former)))
        throw invalidField(
          "body",
          "email",
          "is used for signing in: the subscriber can change it in the portal, or an owner here",
        );
      await requireUnusedAddress(tx, contact.email, mayShareAddress);
      await announceAddress(tx, subscriptionId, { ...contact, formerEmail: before.email });
    }
    await updateContact(tx, subscriptionId, { ...contact, emailNormalized });
    await recordAudit(tx, {
      actor,
      action: "subscriber.edit",
      target: `subscriber/${subscriptionId}`,
      subscriptionId,
      details: { changed },
    });
  });
}

/** Revokes the sign-in links and account links of the former address, and mails both addresses. */
async function announceAddress(
  tx: Transaction,
  subscriptionId: number,
  { userName, email, formerEmail }: SubscriberContact & { formerEmail: string | null },
): Promise<void> {
  if (formerEmail !== null)
    await invalidateFormerAddress(tx, {
      subscriptionId,
      former: normalizeEmail(formerEmail),
      email,
      keep: KINDS_KEEPING_THEIR_RECIPIENT,
    });
  const change = randomUUID();
  for (const [mailbox, recipient] of [
    ["former", formerEmail],
    ["new", email],
  ] as const)
    if (recipient !== null)
      await queueMail(tx, {
        kind: "address-changed",
        dedupeKey: `address-changed/${change}/${mailbox}`,
        subscriptionId,
        recipient,
        props: { userName, isNew: mailbox === "new", byOperator: true },
      });
}
