import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, number, type Row, text, timestampOrNull } from "./columns";

const QUEUES = columns({
  /** Number of deliveries that wait to be sent to subscribers' webhook endpoints, paused endpoints included. */
  webhooks: number("(select count(*)::int from webhook_deliveries where state = 'pending')"),
  /** Since when the oldest due delivery to an endpoint without failures has been due: only this service can delay it. */
  webhooksDueAt: timestampOrNull(
    "(select min(next_attempt_at) from webhook_endpoints where state = 'active' and next_attempt_at <= now() and failures = 0)",
  ),
  /** Number of messages that wait to be sent to Telegram chats. */
  telegram: number("(select count(*)::int from telegram_messages where state = 'pending')"),
  /** When the oldest due message to a Telegram chat was queued; null: none is due. */
  telegramDueAt: timestampOrNull(
    "(select min(created_at) from telegram_messages where state = 'pending' and next_attempt_at <= now())",
  ),
  /**
   * Code of the failure that was recorded last, of a call or of Telegram's webhook; null: a success was recorded since.
   */
  telegramCode: text<string | null>("(select last_code from telegram_bot)"),
});
export type OutboundQueueState = Row<typeof QUEUES>;

/** Length and delay of the queues of webhooks and Telegram. Each number and time reads one range of an index. */
export async function readOutboundQueueState(handle: DatabaseHandle): Promise<OutboundQueueState> {
  return QUEUES.one(handle, sql`select ${QUEUES.list}`);
}
