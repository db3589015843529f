import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { atOrNull, columns, number, type Row, text } from "./columns";

const QUEUES = columns({
  /** Deliveries to subscribers' servers that wait. */
  webhooks: number("(select count(*)::int from webhook_deliveries where state = 'pending')"),
  /** Since when an endpoint that takes what it is sent waits for its turn: a backlog of our own. */
  webhooksDueAt: atOrNull(
    "(select min(next_attempt_at) from webhook_endpoints where state = 'active' and next_attempt_at <= now() and failures = 0)",
  ),
  /** Messages to chats that wait. */
  telegram: number("(select count(*)::int from telegram_messages where state = 'pending')"),
  telegramDueAt: atOrNull(
    "(select min(created_at) from telegram_messages where state = 'pending' and next_attempt_at <= now())",
  ),
  /** Why Telegram did not answer the last call; null: it did. */
  telegramCode: text<string | null>("(select last_code from telegram_bot)"),
});
export type OutboundQueues = Row<typeof QUEUES>;

/** How webhooks and Telegram fare. Each figure is a stretch of an index. */
export async function readOutboundQueues(handle: Handle): Promise<OutboundQueues> {
  return QUEUES.one(handle, sql`select ${QUEUES.list}`);
}
