import { and, eq, isNull, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { sessions } from "@/db/schema";
import type { AdminRole } from "@/lib/vocabulary";

/** Idle minutes after which an administrator must sign in again. */
export const ADMIN_IDLE_MINUTES = 30;
/** Hours after which an administrator must sign in again in any case. */
export const ADMIN_SESSION_HOURS = 12;
/** A request that follows later than this many minutes after the last one deletes the flash message unseen. */
const FLASH_MINUTES = 2;

/** Opens an administrator's session; only the hash of its token is stored. Returns its id. */
export async function insertAdminSession(
  handle: DatabaseHandle,
  row: { tokenHash: string; administratorId: number | null; address: string; client: string | null },
): Promise<string> {
  const [inserted] = await handle
    .insert(sessions)
    .values({
      ...row,
      role: "admin",
      expiresAt: sql`now() + make_interval(hours => ${ADMIN_SESSION_HOURS})`,
    })
    .returning({ id: sessions.id });
  if (!inserted) throw new Error("the insert returned no session");
  return inserted.id;
}

const live = sql`${sessions.endedAt} is null and ${sessions.expiresAt} > now()
  and ${sessions.lastUsedAt} > now() - make_interval(mins => ${ADMIN_IDLE_MINUTES})
  and (${sessions.administratorId} is null
       or exists (select 1 from administrators a where a.id = ${sessions.administratorId} and a.removed_at is null))`;

/** The administrator who opened a session, with the current name and role. */
export interface SignedInAdministrator {
  id: number;
  name: string;
  role: AdminRole;
}

/**
 * Finds the administrator's session of a token and sets its last use to now. null: unknown, ended, expired or idle too long,
 * or the administrator was removed. `person` is null for a session that was opened with the administrator secret.
 */
export async function touchAdminSession(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<{ sessionId: string; signedInAt: Date; person: SignedInAdministrator | null } | null> {
  const [row] = await handle
    .update(sessions)
    .set({
      flashEncrypted: sql`case when ${sessions.lastUsedAt} > now() - make_interval(mins => ${FLASH_MINUTES})
        then ${sessions.flashEncrypted} end`,
      lastUsedAt: sql`now()`,
    })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.role, "admin"), live))
    .returning({
      sessionId: sessions.id,
      signedInAt: sessions.createdAt,
      person: sql<SignedInAdministrator | null>`(
        select jsonb_build_object('id', a.id, 'name', a.name, 'role', a.role)
          from administrators a where a.id = ${sessions.administratorId})`,
    });
  return row ?? null;
}

/**
 * Ends the administrator's session of a token. Returns the session and its administrator; null: unknown, or ended
 * before.
 */
export async function endAdminSession(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<{ sessionId: string; administratorId: number | null } | null> {
  const [row] = await handle
    .update(sessions)
    .set({ endedAt: sql`now()`, flashEncrypted: null })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.role, "admin"), isNull(sessions.endedAt)))
    .returning({ sessionId: sessions.id, administratorId: sessions.administratorId });
  return row ?? null;
}
