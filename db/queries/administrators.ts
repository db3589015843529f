import { and, asc, eq, getTableColumns, isNotNull, isNull, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { administrators, sessions } from "@/db/schema";
import type { AdminRole } from "@/lib/vocabulary";
import { lockSignInLinks } from "./sign-in-links";

type AdministratorRow = typeof administrators.$inferSelect;
/**
 * All columns of an administrator, read with a row lock. `linkMinutesLeft`: minutes until the current sign-in link expires,
 * by the database's clock; negative after that, 0 without a link.
 */
export type AdministratorRecord = AdministratorRow & { linkMinutesLeft: number };

const LISTED = {
  id: administrators.id,
  name: administrators.name,
  email: administrators.email,
  role: administrators.role,
  nRecoveryCodes: sql<number>`cardinality(${administrators.recoveryHashes})`,
  acceptedAt: administrators.acceptedAt,
  createdAt: administrators.createdAt,
};

/** All administrators who were not removed, without secrets. Includes those who have not accepted their invitation. */
export async function listAdministrators(handle: DatabaseHandle) {
  return handle
    .select(LISTED)
    .from(administrators)
    .where(isNull(administrators.removedAt))
    .orderBy(asc(administrators.id));
}

/** Name and address of an administrator; null: unknown or removed. */
export async function findAdministrator(
  handle: DatabaseHandle,
  id: number,
): Promise<{ name: string; email: string } | null> {
  const [row] = await handle
    .select({ name: administrators.name, email: administrators.email })
    .from(administrators)
    .where(and(eq(administrators.id, id), isNull(administrators.removedAt)));
  return row ?? null;
}

/** Adds an administrator. Returns the id, or null if another administrator has the address. */
export async function insertAdministrator(
  tx: Transaction,
  row: Pick<AdministratorRow, "name" | "email" | "emailNormalized" | "role" | "totpSecretEncrypted">,
): Promise<number | null> {
  await lockSignInLinks(tx, row.emailNormalized);
  const [made] = await tx
    .insert(administrators)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: administrators.id });
  return made?.id ?? null;
}

/** An administrator, locked until commit; null: unknown or removed. */
export async function lockAdministrator(
  tx: Transaction,
  by: { id: number } | { emailNormalized: string } | { linkHash: string },
): Promise<AdministratorRecord | null> {
  const wanted =
    "id" in by
      ? eq(administrators.id, by.id)
      : "linkHash" in by
        ? eq(administrators.linkHash, by.linkHash)
        : eq(administrators.emailNormalized, by.emailNormalized);
  const [row] = await tx
    .select({
      ...getTableColumns(administrators),
      linkMinutesLeft: sql<number>`coalesce(extract(epoch from ${administrators.linkExpiresAt} - now()) / 60, 0)::float8`,
    })
    .from(administrators)
    .where(and(wanted, isNull(administrators.removedAt)))
    .for("update");
  return row ?? null;
}

/** The administrator with this sign-in link; null: it is unknown, expired or was tried `mostTries` times. */
export async function findAdministratorByLink(handle: DatabaseHandle, linkHash: string, mostTries: number) {
  const [row] = await handle
    .select({
      name: administrators.name,
      email: administrators.email,
      acceptedAt: administrators.acceptedAt,
      totpSecretEncrypted: administrators.totpSecretEncrypted,
    })
    .from(administrators)
    .where(
      and(
        eq(administrators.linkHash, linkHash),
        isNull(administrators.removedAt),
        sql`${administrators.linkExpiresAt} > now() and ${administrators.linkTries} < ${mostTries}`,
      ),
    );
  return row ?? null;
}

/** Replaces an administrator's sign-in link by one that expires after `minutes`, and resets its number of tries. */
export async function replaceSignInLink(
  tx: Transaction,
  id: number,
  { linkHash, minutes }: { linkHash: string; minutes: number },
): Promise<void> {
  await tx
    .update(administrators)
    .set({ linkHash, linkTries: 0, linkExpiresAt: sql`now() + make_interval(mins => ${minutes})` })
    .where(eq(administrators.id, id));
}

/** Changes an administrator whom the caller has locked. */
export async function updateAdministrator(
  tx: Transaction,
  id: number,
  change: Partial<Omit<AdministratorRow, "id">>,
): Promise<void> {
  await tx.update(administrators).set(change).where(eq(administrators.id, id));
}

/** Changes the address and second factor of an invited administrator. Returns false if another one has the address. */
export async function updateInvitation(
  tx: Transaction,
  id: number,
  row: Pick<AdministratorRow, "email" | "emailNormalized" | "totpSecretEncrypted">,
): Promise<boolean> {
  await lockSignInLinks(tx, row.emailNormalized);
  const updated = await tx
    .update(administrators)
    .set(row)
    .where(
      and(
        eq(administrators.id, id),
        sql`not exists (select 1 from administrators other where other.email_normalized = ${row.emailNormalized}
              and other.removed_at is null and other.id <> ${id})`,
      ),
    )
    .returning({ id: administrators.id });
  return updated.length > 0;
}

/** Ends every session of an administrator. */
export async function endAdministratorSessions(tx: Transaction, administratorId: number): Promise<void> {
  await tx
    .update(sessions)
    .set({ endedAt: sql`now()`, flashEncrypted: null })
    .where(and(eq(sessions.administratorId, administratorId), isNull(sessions.endedAt)));
}

/** Ids of the owners who accepted their invitation, locked until commit. */
export async function lockOwners(tx: Transaction): Promise<number[]> {
  const rows = await tx
    .select({ id: administrators.id })
    .from(administrators)
    .where(
      and(
        eq(administrators.role, "owner"),
        isNull(administrators.removedAt),
        isNotNull(administrators.acceptedAt),
      ),
    )
    .orderBy(asc(administrators.id))
    .for("update");
  return rows.map(({ id }) => id);
}

/** Addresses of administrators with this role who accepted their invitation. */
export async function listAdministratorAddresses(
  handle: DatabaseHandle,
  role: AdminRole,
): Promise<{ id: number; email: string }[]> {
  return handle
    .select({ id: administrators.id, email: administrators.email })
    .from(administrators)
    .where(
      and(
        eq(administrators.role, role),
        isNull(administrators.removedAt),
        isNotNull(administrators.acceptedAt),
      ),
    );
}
