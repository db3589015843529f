import { eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { administrators, serviceSecrets } from "@/db/schema";

/** A stored secret of an external service, encrypted, with the administrator who stored it. */
export interface ServiceSecretRow {
  /** Name of the environment variable that can set it instead. */
  name: string;
  valueEncrypted: string;
  /** The previous secret, which is still accepted. */
  formerEncrypted: string | null;
  storedAt: Date;
  /** Name of the administrator who stored it; null: stored in a session opened with the administrator secret. */
  storedBy: string | null;
}

/** Every stored secret of an external service. */
export async function listServiceSecrets(handle: DatabaseHandle): Promise<ServiceSecretRow[]> {
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

/** A stored secret and the previous one, locked until commit; null: none stored. */
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

/** Stores a secret. With `keepsFormer` the replaced secret is kept as the previous one, which is still accepted. */
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

/** Deletes the previous secret, so that it is no longer accepted. Returns whether there was one. */
export async function deleteFormerSecret(tx: Transaction, name: string): Promise<boolean> {
  const ended = await tx
    .update(serviceSecrets)
    .set({ formerEncrypted: null })
    .where(sql`${serviceSecrets.name} = ${name} and ${serviceSecrets.formerEncrypted} is not null`)
    .returning({ name: serviceSecrets.name });
  return ended.length > 0;
}

/** Deletes a stored secret and the previous secret of the same name. Returns whether a secret was stored. */
export async function deleteServiceSecret(tx: Transaction, name: string): Promise<boolean> {
  const removed = await tx
    .delete(serviceSecrets)
    .where(eq(serviceSecrets.name, name))
    .returning({ name: serviceSecrets.name });
  return removed.length > 0;
}
