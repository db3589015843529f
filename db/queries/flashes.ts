import { eq, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { sessions } from "@/db/schema";

/** Leaves something for a session's next page, over what was left before; encrypted by the caller. */
export async function writeFlash(handle: Handle, sessionId: string, flashEncrypted: string): Promise<void> {
  await handle.update(sessions).set({ flashEncrypted }).where(eq(sessions.id, sessionId));
}

/** Takes what was left for a session's next page: of two readers at once one gets it. */
export async function takeFlash(handle: Handle, sessionId: string): Promise<string | null> {
  const [row] = await handle.execute<{ flash: string }>(sql`
    with held as (
      select id, flash_encrypted from sessions where id = ${sessionId} and flash_encrypted is not null for update)
    update sessions s set flash_encrypted = null from held where s.id = held.id
    returning held.flash_encrypted as flash`);
  return row?.flash ?? null;
}
