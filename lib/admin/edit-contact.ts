import { eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { subscriptions } from "@/db/schema";
import { type Actor, recordAudit } from "../audit";
import { normalizeEmail } from "../email";
import { AppError } from "../errors";

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
    const [before] = await tx
      .select()
      .from(subscriptions)
      .where(eq(subscriptions.id, subscriptionId))
      .for("update");
    if (!before) throw new AppError("not_found", { detail: "There is no subscriber with this id." });
    const changed = (["userName", "email", "notes"] as const).filter(
      (name) => before[name] !== contact[name],
    );
    if (changed.length === 0) return;
    await tx
      .update(subscriptions)
      .set({
        ...contact,
        emailNormalized: contact.email === null ? null : normalizeEmail(contact.email),
      })
      .where(eq(subscriptions.id, subscriptionId));
    await recordAudit(tx, {
      actor,
      action: "subscriber.edit",
      target: `subscriber/${subscriptionId}`,
      subscriptionId,
      details: { changed },
    });
  });
}
