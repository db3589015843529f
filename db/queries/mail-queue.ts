import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { epochMs, toInstantOrNull } from "./instants";

export interface MailQueue {
  /** How many mails wait. */
  queued: number;
  /** Since when the one that is due longest should have been tried. */
  oldestDueAt: Date | null;
  /** The newest mail that was tried did not go out: nothing queued after it was sent. */
  failing: boolean;
}

/** How the mails fare. A link that expired on the way tells of the transport for an hour, an address that is wrong does not. */
export async function readMailQueue(handle: Handle): Promise<MailQueue> {
  const [row] = await handle.execute<{ queued: number; due_ms: string | null; failing: boolean }>(sql`
    select count(*) filter (where status = 'pending')::int as queued,
           ${epochMs("min(next_attempt_at) filter (where status = 'pending' and next_attempt_at <= now())")} as due_ms,
           coalesce(max(created_at) filter (where last_error_code is not null)
             > coalesce((select max(created_at) from mail_outbox where status = 'sent'), '-infinity'), false) as failing
      from mail_outbox
     where status = 'pending'
        or (status = 'dead' and last_error_code = 'link_expired' and created_at > now() - interval '1 hour')`);
  return {
    queued: row?.queued ?? 0,
    oldestDueAt: toInstantOrNull(row?.due_ms ?? null),
    failing: row?.failing ?? false,
  };
}
