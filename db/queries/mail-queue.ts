import { sql } from "drizzle-orm";
import type { Handle } from "../client";
import { epochMs, toInstantOrNull } from "./instants";

/** How many mails wait, and since when the one that is due longest should have been sent. */
export async function readMailQueue(handle: Handle): Promise<{ queued: number; oldestDueAt: Date | null }> {
  const [row] = await handle.execute<{ queued: number; due_ms: string | null }>(sql`
    select count(*)::int as queued,
           ${epochMs("min(next_attempt_at) filter (where next_attempt_at <= now())")} as due_ms
      from mail_outbox where status = 'pending'`);
  return {
    queued: row?.queued ?? 0,
    oldestDueAt: toInstantOrNull(row?.due_ms ?? null),
  };
}
