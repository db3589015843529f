import { sql } from "drizzle-orm";
import type { Handle } from "../client";
import { mailOutbox } from "../schema";

export interface NewMail {
  kind: string;
  dedupeKey: string;
  subscriptionId: number | null;
  recipient: string;
  props: Record<string, unknown>;
  secretEncrypted: string | null;
}

/** Stores a mail to be sent and calls the worker's `mail` job at commit. null: the effect has its mail already. */
export async function insertMail(handle: Handle, mail: NewMail): Promise<number | null> {
  const [row] = await handle
    .insert(mailOutbox)
    .values(mail)
    .onConflictDoNothing({ target: mailOutbox.dedupeKey })
    .returning({ id: mailOutbox.id });
  if (!row) return null;
  await handle.execute(sql`select pg_notify('worker', 'mail')`);
  return row.id;
}
