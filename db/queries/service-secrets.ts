import { eq, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { administrators, serviceSecrets } from "@/db/schema";

/** A stored secret of an external service, with its author. */
export interface ServiceSecretRow {
  /** The variable that would set it. */
  name: string;
  valueEncrypted: string;
  /** The previous secret, which is still accepted. */
  formerEncrypted: string | null;
  storedAt: Date;
  /** null: by the administrator secret. */
  storedBy: string | null;
}

/** Every stored secret. */
export async function listServiceSecrets(handle: Handle): Promise<ServiceSecretRow[]> {
  return handle
    .select({
      name: serviceSecrets.name,
      valueEncrypted: serviceSecrets.valueEncrypted,
      formerEncrypted: serviceSecrets.formerEncrypted,
      storedAt: serviceSecrets.storedAt,
      storedBy: administrators.name,
    })
    .from(serviceSecrets)
    .leftJoin(administrators, eq(administrators.id, serviceSecrets.administratorId));
}

/** A stored secret, locked until commit; null: none. */
export async function lockServiceSecret(
  tx: Transaction,
  name: string,
): Promise<{ valueEncrypted: string; formerEncrypted: string | null } | null> {
  const [row] = await tx
    .select({
      valueEncrypted: serviceSecrets.valueEncrypted,
      formerEncrypted: serviceSecrets.formerEncrypted,
    })
    .from(serviceSecrets)
    .where(eq(serviceSecrets.name, name))
    .for("update");
  return row ?? null;
}

/** Stores a secret. With `keepsFormer` the replaced one stays accepted. */
export async function writeServiceSecret(
  tx: Transaction,
  {
    name,
    valueEncrypted,
    administratorId,
    keepsFormer,
  }: { name: string; valueEncrypted: string; administratorId: number | null; keepsFormer: boolean },
): Promise<void> {
  await tx
    .insert(serviceSecrets)
    .values({ name, valueEncrypted, administratorId })
    .onConflictDoUpdate({
      target: serviceSecrets.name,
      set: {
        valueEncrypted,
        administratorId,
        formerEncrypted: keepsFormer ? sql`${serviceSecrets.valueEncrypted}` : null,
        storedAt: sql`now()`,
      },
    });
}

/** Ends the previous secret. Returns whether there was one. */
export async function endFormerSecret(tx: Transaction, name: string): Promise<boolean> {
  const ended = await tx
    .update(serviceSecrets)
    .set({ formerEncrypted: null })
    .where(sql`${serviceSecrets.name} = ${name} and ${serviceSecrets.formerEncrypted} is not null`)
    .returning({ name: serviceSecrets.name });
  return ended.length > 0;
}

/** Deletes a stored secret and its previous one. Returns whether there was one. */
export async function deleteServiceSecret(tx: Transaction, name: string): Promise<boolean> {
  const removed = await tx
    .delete(serviceSecrets)
    .where(eq(serviceSecrets.name, name))
    .returning({ name: serviceSecrets.name });
  return removed.length > 0;
}
