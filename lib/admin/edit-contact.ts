import type { Database } from "@/db/client";
import { lockSubscription, updateContact } from "@/db/queries/subscriptions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";

export interface Contact {
  userName: string;
  email: string | null;
  notes: string | null;
}

/** Changes a subscriber's name, address and notes. The audit row says which changed, not what they hold. Throws not_found. */
export async function editContact(
  database: Database,
  subscriptionId: number,
  contact: Contact,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockSubscription(tx, subscriptionId);
    if (!before) throw new AppError("not_found", { detail: "There is no subscriber with this id." });
    const changed = (["userName", "email", "notes"] as const).filter(
      (name) => before[name] !== contact[name],
    );
    if (changed.length === 0) return;
    const emailNormalized = contact.email === null ? null : normalizeEmail(contact.email);
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
