import { sql } from "drizzle-orm";
import type { Handle } from "../client";

/** How many mails wait, and since when the one that is due longest should have been sent. */
export async function readMailQueue(handle: Handle): Promise<{ queued: number; oldestDueAt: Date | null }> {
  const [row] = await handle.execute<{ queued: number; due_ms: string | null }>(sql`
    select count(*)::int as queued,
           extract(epoch from min(next_attempt_at) filter (where next_attempt_at <= now())) * 1000 as due_ms
      from mail_outbox where status = 'pending'`);
  return {
    queued: row?.queued ?? 0,
    oldestDueAt: row?.due_ms ? new Date(Number(row.due_ms)) : null,
  };
}
