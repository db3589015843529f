import { eq, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { administrators, serviceSecrets } from "@/db/schema";

/** A stored secret of an outer service, with who stored it. */
export interface ServiceSecretRow {
  /** The name of the variable that would set it. */
  name: string;
  valueEncrypted: string;
  /** The one before, which is still accepted. */
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

/** A stored secret, held to the end of the transaction; null when there is none. */
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

/** Stores a secret. With `keepsFormer` the one that it replaces stays accepted. */
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

/** Ends the former secret. Returns whether there was one. */
export async function endFormerSecret(tx: Transaction, name: string): Promise<boolean> {
  const ended = await tx
    .update(serviceSecrets)
    .set({ formerEncrypted: null })
    .where(sql`${serviceSecrets.name} = ${name} and ${serviceSecrets.formerEncrypted} is not null`)
    .returning({ name: serviceSecrets.name });
  return ended.length > 0;
}

/** Removes a stored secret, and the one before it. Returns whether there was one. */
export async function deleteServiceSecret(tx: Transaction, name: string): Promise<boolean> {
  const removed = await tx
    .delete(serviceSecrets)
    .where(eq(serviceSecrets.name, name))
    .returning({ name: serviceSecrets.name });
  return removed.length > 0;
}
