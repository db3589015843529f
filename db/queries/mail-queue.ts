import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { boolean, columns, number, type Row, timestampOrNull } from "./columns";

const QUEUE = columns({
  /** Number of mails that wait to be sent. */
  queued: number("count(*) filter (where status = 'pending')::int"),
  /** Due time of the oldest overdue mail. */
  oldestDueAt: timestampOrNull(
    "min(next_attempt_at) filter (where status = 'pending' and next_attempt_at <= now())",
  ),
  /**
   * Whether delivery fails: of these mails, the one queued last among those with a failed attempt is newer than every
   * sent mail.
   */
  failing: boolean(`coalesce(max(created_at) filter (where last_error_code is not null)
    > coalesce((select max(created_at) from mail_outbox where status = 'sent'), '-infinity'), false)`),
});
export type MailQueueState = Row<typeof QUEUE>;

/**
 * State of mail delivery. A mail whose link expired before it could be sent counts as failing until an hour after its
 * last attempt was due. A mail that was given up for another reason, such as a wrong address, does not count.
 */
export async function readMailQueueState(handle: DatabaseHandle): Promise<MailQueueState> {
  return QUEUE.one(
    handle,
    sql`
    select ${QUEUE.list} from mail_outbox
     where status = 'pending'
        or (status = 'dead' and last_error_code = 'link_expired' and next_attempt_at > now() - interval '1 hour')`,
  );
}

/** SQL condition: a mail of the last seven days was given up and not queued again. After that time its secret is deleted. */
export const IS_UNDELIVERED_MAIL = `status = 'dead' and created_at > now() - interval '7 days'
  and not exists (select from mail_outbox again where again.dedupe_key = mail_outbox.dedupe_key || '/again')`;

const COUNTS = columns({
  pending: number("(select count(*)::int from mail_outbox where status = 'pending')"),
  dead: number(`(select count(*)::int from mail_outbox where ${IS_UNDELIVERED_MAIL})`),
  sent24h: number(
    "(select count(*)::int from mail_outbox where status = 'sent' and created_at > now() - interval '24 hours')",
  ),
  oldestPendingAt: timestampOrNull("(select min(created_at) from mail_outbox where status = 'pending')"),
});
export type MailCounts = Row<typeof COUNTS>;

/** Number of mails by state, and when the oldest waiting one was queued. Each value reads one range of an index. */
export async function countMailQueue(handle: DatabaseHandle): Promise<MailCounts> {
  return COUNTS.one(handle, sql`select ${COUNTS.list}`);
}
