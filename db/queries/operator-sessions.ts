import { and, eq, isNull, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { sessions } from "@/db/schema";

/** Minutes without a page after which the administrator signs in again. */
export const ADMIN_IDLE_MINUTES = 30;
/** Hours after which the same holds in any case. */
export const ADMIN_SESSION_HOURS = 12;
/** How long what is to be shown once waits for its page. */
const FLASH_MINUTES = 2;

/** Opens a session of the administrator; only the hash of its token is stored. Returns its id. */
export async function insertAdminSession(
  handle: Handle,
  row: { tokenHash: string; address: string; client: string | null },
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
  and ${sessions.lastUsedAt} > now() - make_interval(mins => ${ADMIN_IDLE_MINUTES})`;

/** The live session behind a token, moved forward to now by the database's clock; null when it is unknown, idle too long or ended. */
export async function touchAdminSession(
  handle: Handle,
  tokenHash: string,
): Promise<{ sessionId: string; signedInAt: Date } | null> {
  const [row] = await handle
    .update(sessions)
    .set({
      flashEncrypted: sql`case when ${sessions.lastUsedAt} > now() - make_interval(mins => ${FLASH_MINUTES})
        then ${sessions.flashEncrypted} end`,
      lastUsedAt: sql`now()`,
    })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.role, "admin"), live))
    .returning({ sessionId: sessions.id, signedInAt: sessions.createdAt });
  return row ?? null;
}

/** Ends the session behind a token. Returns its id, or null when there was none to end. */
export async function endAdminSession(handle: Handle, tokenHash: string): Promise<string | null> {
  const [row] = await handle
    .update(sessions)
    .set({ endedAt: sql`now()`, flashEncrypted: null })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.role, "admin"), isNull(sessions.endedAt)))
    .returning({ sessionId: sessions.id });
  return row?.sessionId ?? null;
}
