import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { columns, number, type Row, text, timestampOrNull } from "./columns";

const QUEUES = columns({
  /** Waiting deliveries to subscribers' servers. */
  webhooks: number("(select count(*)::int from webhook_deliveries where state = 'pending')"),
  /** Due time of the oldest delivery to a working endpoint: a backlog of the service itself. */
  webhooksDueAt: timestampOrNull(
    "(select min(next_attempt_at) from webhook_endpoints where state = 'active' and next_attempt_at <= now() and failures = 0)",
  ),
  /** Waiting messages to chats. */
  telegram: number("(select count(*)::int from telegram_messages where state = 'pending')"),
  telegramDueAt: timestampOrNull(
    "(select min(created_at) from telegram_messages where state = 'pending' and next_attempt_at <= now())",
  ),
  /** Why Telegram did not answer the last call; null: it did. */
  telegramCode: text<string | null>("(select last_code from telegram_bot)"),
});
export type OutboundQueues = Row<typeof QUEUES>;

/** State of webhooks and Telegram. Each figure is a range of an index. */
export async function readOutboundQueues(handle: Handle): Promise<OutboundQueues> {
  return QUEUES.one(handle, sql`select ${QUEUES.list}`);
}
