import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { array } from "./parameters";

/** A person whose data is erased: all subscriptions, and all current and former addresses. */
export interface PersonToErase {
  subscriptionIds: readonly number[];
  addresses: readonly string[];
}

interface Lists {
  ids: SQL;
  addresses: SQL;
}

interface PersonalTable {
  /** Name of the section of the subscriber's export that contains the table's data; null: not exported, see `because`. */
  exported: string | null;
  /** Statement that erases the person's data in this table; null: it is kept, for the reason in `because`. */
  erase: ((who: Lists) => SQL) | null;
  /** Why the table is not exported, or why data in it is kept. */
  because?: string;
}

const usersOf = ({ ids, addresses }: Lists) =>
  sql`(select id from users where email_normalized = any(${addresses}) or subscription_id = any(${ids}))`;

/**
 * How the data of each table that refers to a subscription or an address is exported and erased, in the order of erasure. A
 * test compares the list with the schema, so that a missing table is noticed.
 */
export const PERSONAL_DATA = {
  sessions: {
    exported: "sessions",
    erase: (who) =>
      sql`delete from sessions where user_id in ${usersOf(who)} or subscription_id = any(${who.ids})`,
  },
  text_acceptances: {
    exported: "acceptedTexts",
    erase: (who) => sql`delete from text_acceptances where user_id in ${usersOf(who)}`,
  },
  users: {
    exported: null,
    erase: (who) => sql`delete from users where id in ${usersOf(who)}`,
    because: "Only the address, which the subscription has, too.",
  },
  sign_in_tokens: {
    exported: null,
    erase: ({ addresses }) => sql`delete from sign_in_tokens where email_normalized = any(${addresses})`,
    because: "Links that work for minutes; the mails with them are exported.",
  },
  account_requests: {
    exported: "requests",
    erase: ({ ids }) => sql`delete from account_requests where subscription_id = any(${ids})`,
  },
  former_addresses: {
    exported: "formerAddresses",
    erase: ({ ids }) => sql`delete from former_addresses where subscription_id = any(${ids})`,
  },
  mail_outbox: {
    exported: "mails",
    // A link to a try-out is mailed before its address has a subscription.
    erase: ({ ids, addresses }) => sql`
      delete from mail_outbox
       where subscription_id = any(${ids}) or (kind = 'try-out' and lower(recipient) = any(${addresses}))`,
  },
  telegram_messages: {
    exported: "telegram",
    erase: ({ ids }) => sql`
      delete from telegram_messages where id in (
        select m.id from telegram_messages m where m.subscription_id = any(${ids})
        union all
        select m.id from telegram_chats c join telegram_messages m on m.chat_id = c.chat_id
         where c.subscription_id = any(${ids}) and m.subscription_id is null)`,
  },
  telegram_message_signals: {
    exported: null,
    erase: null,
    because: "Deleted with its message, which names the signals.",
  },
  telegram_links: {
    exported: null,
    erase: ({ ids }) => sql`delete from telegram_links where subscription_id = any(${ids})`,
    because: "Hashes of links that work for ten minutes.",
  },
  telegram_chats: {
    exported: "telegram",
    erase: ({ ids }) => sql`delete from telegram_chats where subscription_id = any(${ids})`,
  },
  channel_recipients: {
    exported: "channels",
    erase: ({ ids }) => sql`delete from channel_recipients where subscription_id = any(${ids})`,
  },
  webhook_endpoints: {
    exported: "webhooks",
    erase: ({ ids }) => sql`delete from webhook_endpoints where subscription_id = any(${ids})`,
  },
  record_links: {
    exported: "recordLinkSince",
    erase: ({ ids }) => sql`delete from record_links where subscription_id = any(${ids})`,
  },
  portal_read_markers: {
    exported: "seenUntil",
    erase: ({ ids }) => sql`delete from portal_read_markers where subscription_id = any(${ids})`,
  },
  fetch_days: {
    exported: "fetches",
    erase: ({ ids }) => sql`delete from fetch_days where subscription_id = any(${ids})`,
  },
  untraded_signals: {
    exported: "untradedSignals",
    erase: ({ ids }) => sql`delete from untraded_signals where subscription_id = any(${ids})`,
  },
  try_outs: {
    exported: null,
    erase: null,
    because:
      "Only a keyed hash of the address, so that it gets no second try-out after the account is deleted.",
  },
  own_pauses: {
    exported: "ownPauses",
    erase: ({ ids }) => sql`delete from own_pauses where subscription_id = any(${ids})`,
  },
  terminals: {
    exported: "terminals",
    erase: ({ ids }) => sql`delete from terminals where subscription_id = any(${ids})`,
  },
  rejected_reports: {
    exported: "rejectedReports",
    erase: ({ ids }) => sql`delete from rejected_reports where subscription_id = any(${ids})`,
  },
  execution_changes: {
    exported: "executionChanges",
    erase: ({ ids }) => sql`
      delete from execution_changes where execution_id in (
        select id from executions where subscription_id = any(${ids}))`,
  },
  executions: {
    exported: "executions",
    // The client's comment on a position may contain anything.
    erase: ({ ids }) =>
      sql`update executions set comment = null where subscription_id = any(${ids}) and comment is not null`,
    because: "Kept, without reference to a person.",
  },
  execution_days: { exported: null, erase: null, because: "Sums of the executions." },
  execution_versions: { exported: null, erase: null, because: "A counter of changes." },
  key_heartbeats: {
    exported: "clients",
    erase: ({ ids }) =>
      sql`update key_heartbeats set address = null, client = null where subscription_id = any(${ids})`,
    because: "When a client last called stays, without from where.",
  },
  admin_audit: {
    exported: "events",
    erase: ({ ids }) => sql`
      update admin_audit set details = '{}',
             address = case when actor <> 'subscriber/' || subscription_id then address end
       where subscription_id = any(${ids})
         and (details <> '{}' or (address is not null and actor = 'subscriber/' || subscription_id))`,
    because: "That something was done stays, without details and without where the person was.",
  },
  payment_deliveries: {
    exported: "paymentDeliveries",
    erase: null,
    because: "Found by their contents before the rest is erased, and deleted then.",
  },
  platform_customers: {
    exported: "platformCustomers",
    erase: null,
    because: "Like the deliveries.",
  },
  platform_subscribers: {
    exported: null,
    erase: ({ ids }) => sql`delete from platform_subscribers where subscription_id = any(${ids})`,
    because: "Ids of the payment platform, which the invoices contain, too.",
  },
  shared_addresses: {
    exported: null,
    erase: null,
    because: "Ids of subscriptions, without reference to a person.",
  },
  invoices: {
    exported: "invoices",
    erase: ({ ids }) => sql`update invoices set email_hash = null where subscription_id = any(${ids})`,
    because: "Accounting data is kept for its retention time, without name and address.",
  },
  paid_time: { exported: "paidTime", erase: null, because: "Days of a plan, without reference to a person." },
  bulk_extensions: {
    exported: null,
    erase: null,
    because: "Ids of subscriptions, without reference to a person.",
  },
  payment_graces: {
    exported: "graces",
    erase: null,
    because: "Dates of an invoice, without reference to a person.",
  },
  downtime_credits: {
    exported: "credits",
    erase: null,
    because: "Minutes of a month, without reference to a person.",
  },
  api_keys: {
    exported: "keys",
    erase: ({ ids }) => sql`
      update api_keys set revoked_by_invoice = null,
             revoked_at = case when rotated_at is null then coalesce(revoked_at, now()) end
       where subscription_id = any(${ids})`,
    because: "A hash and eight characters of a key that no longer works.",
  },
  subscriptions: {
    exported: "subscription",
    erase: ({ ids }) => sql`
      update subscriptions set user_name = 'Deleted account', email = null, email_normalized = null, notes = null,
             preferences = '{}', erased_at = coalesce(erased_at, now())
       where id = any(${ids})`,
    because: "The id that executions and invoices refer to.",
  },
  administrators: {
    exported: null,
    erase: null,
    because: "People who administer the service, whose address is not that of a subscriber.",
  },
} as const satisfies Record<string, PersonalTable>;

/** Erases a person's data in every table of PERSONAL_DATA that has an `erase` statement. Safe to repeat. */
export async function erasePerson(tx: Transaction, who: PersonToErase): Promise<void> {
  const lists = { ids: array(who.subscriptionIds, "int"), addresses: array(who.addresses, "text") };
  const tables: PersonalTable[] = Object.values(PERSONAL_DATA);
  // In sequence, because statements need rows that later ones delete: messages are found by their chat.
  for (const { erase } of tables) if (erase) await tx.execute(erase(lists));
}
