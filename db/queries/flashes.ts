import { eq, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { sessions } from "@/db/schema";

/** Stores the encrypted flash message, which a session's next page shows. Replaces an earlier one. */
export async function writeFlash(
  handle: DatabaseHandle,
  sessionId: string,
  flashEncrypted: string,
): Promise<void> {
  await handle.update(sessions).set({ flashEncrypted }).where(eq(sessions.id, sessionId));
}

/** Returns and deletes the encrypted flash message of a session; null: none. Of two concurrent callers only one gets it. */
export async function takeFlash(handle: DatabaseHandle, sessionId: string): Promise<string | null> {
  const [row] = await handle.execute<{ flash: string }>(sql`
    with held as (
      select id, flash_encrypted from sessions where id = ${sessionId} and flash_encrypted is not null for update)
    update sessions s set flash_encrypted = null from held where s.id = held.id
    returning held.flash_encrypted as flash`);
  return row?.flash ?? null;
}
