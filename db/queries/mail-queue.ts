import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { atOrNull, columns, flag, number, type Row } from "./columns";

const QUEUE = columns({
  /** How many mails wait. */
  queued: number("count(*) filter (where status = 'pending')::int"),
  /** Since when the one that is due longest should have been tried. */
  oldestDueAt: atOrNull(
    "min(next_attempt_at) filter (where status = 'pending' and next_attempt_at <= now())",
  ),
  /** The newest mail that was tried did not go out: nothing queued after it was sent. */
  failing: flag(`coalesce(max(created_at) filter (where last_error_code is not null)
    > coalesce((select max(created_at) from mail_outbox where status = 'sent'), '-infinity'), false)`),
});
export type MailQueue = Row<typeof QUEUE>;

/** How the mails fare. A link that expired on the way tells of the transport for an hour, an address that is wrong does not. */
export async function readMailQueue(handle: Handle): Promise<MailQueue> {
  return QUEUE.one(
    handle,
    sql`
    select ${QUEUE.list} from mail_outbox
     where status = 'pending'
        or (status = 'dead' and last_error_code = 'link_expired' and created_at > now() - interval '1 hour')`,
  );
}

const COUNTS = columns({
  pending: number("(select count(*)::int from mail_outbox where status = 'pending')"),
  dead: number("(select count(*)::int from mail_outbox where status = 'dead')"),
  sent24h: number(
    "(select count(*)::int from mail_outbox where status = 'sent' and created_at > now() - interval '24 hours')",
  ),
  oldestPendingAt: atOrNull("(select min(created_at) from mail_outbox where status = 'pending')"),
});
export type MailCounts = Row<typeof COUNTS>;

/** The mail queue. Each figure is a stretch of an index. */
export async function countMailQueue(handle: Handle): Promise<MailCounts> {
  return COUNTS.one(handle, sql`select ${COUNTS.list}`);
}
