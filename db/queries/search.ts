import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { foldedWords, personWords } from "@/db/schema/folding";
import { columns, decimal, number, type Row, safeInteger, text, timestamp } from "./columns";
import { escapeLikeWildcards } from "./parameters";

/** LIKE pattern for a prefix; the text's own wildcards are literal. */
const beginning = (words: string): string => `${escapeLikeWildcards(words)}%`;

const PERSON = columns({
  subscriptionId: number("s.id"),
  userName: text("s.user_name"),
  email: text<string | null>("s.email"),
});
export type FoundPerson = Row<typeof PERSON>;

export { foldedWords };

/** People whose name or address has a word beginning with each of these, newest first. `words` come from `foldedWords`. */
export async function searchPeople(
  handle: Handle,
  words: readonly string[],
  limit: number,
): Promise<FoundPerson[]> {
  if (words.length === 0) return [];
  // Quotes and backslashes separate words, so no word contains one and each can be quoted as a lexeme.
  const wanted = words.map((word) => `'${word}':*`).join(" & ");
  return PERSON.all(
    handle,
    // Materialized, so that the matches come from their index. In id order PostgreSQL would fold the words of every
    // subscriber until it has found enough: 2.7 s at 100,000 for a name that only one of them has.
    sql`with s as materialized (
          select p.id, p.user_name, p.email from subscriptions p
           where ${personWords("p.")} @@ ${wanted}::tsquery and p.id <> 0)
        select ${PERSON.list} from s order by s.id desc limit ${limit}`,
  );
}

const KEY = columns({
  keyId: number("k.id"),
  subscriptionId: number("k.subscription_id"),
  hint: text("k.hint"),
  userName: text("s.user_name"),
});
export type FoundKeyHint = Row<typeof KEY>;

/** Keys by prefix: the first and last four characters of a key are stored, so any prefix of the displayed hint matches. */
export async function searchKeys(handle: Handle, hint: string, limit: number): Promise<FoundKeyHint[]> {
  return KEY.all(
    handle,
    sql`select ${KEY.list} from api_keys k join subscriptions s on s.id = k.subscription_id
         where k.hint like ${beginning(hint)} order by k.id desc limit ${limit}`,
  );
}

const PAYMENT = columns({
  deliveryId: safeInteger("d.id"),
  invoiceId: text<string | null>("d.invoice_id"),
  action: text("d.action"),
  receivedAt: timestamp("d.received_at"),
});
export type FoundPayment = Row<typeof PAYMENT>;

/** Deliveries of an invoice, or of buyers with this address hash, newest first. */
export async function searchPayments(
  handle: Handle,
  wanted: { invoiceId: string } | { emailHash: string },
  limit: number,
): Promise<FoundPayment[]> {
  const which =
    "invoiceId" in wanted ? sql`d.invoice_id = ${wanted.invoiceId}` : sql`d.email_hash = ${wanted.emailHash}`;
  return PAYMENT.all(
    handle,
    sql`select ${PAYMENT.list} from payment_deliveries d where ${which} order by d.id desc limit ${limit}`,
  );
}

const TICKET = columns({
  executionId: safeInteger("e.id"),
  subscriptionId: number("e.subscription_id"),
  ticket: decimal("e.ticket"),
  symbol: text("e.symbol"),
  side: text("e.signal"),
  openedAt: timestamp("e.opened_at"),
  userName: text("s.user_name"),
});
export type FoundTicket = Row<typeof TICKET>;

/** Positions with a ticket, of all subscribers. */
export async function searchTickets(handle: Handle, ticket: string, limit: number): Promise<FoundTicket[]> {
  return TICKET.all(
    handle,
    sql`select ${TICKET.list} from executions e join subscriptions s on s.id = e.subscription_id
         where e.ticket = ${ticket}::bigint order by e.id desc limit ${limit}`,
  );
}

const REQUEST = columns({
  what: text("r.what"),
  subscriptionId: number<number | null>("r.subscription_id"),
  at: timestamp("r.at"),
});
export type FoundRequest = Row<typeof REQUEST>;

/** Records of a request: audit log, refused reports, changes of positions. */
export async function searchRequests(
  handle: Handle,
  requestId: string,
  limit: number,
): Promise<FoundRequest[]> {
  return REQUEST.all(
    handle,
    sql`
    select ${REQUEST.list} from (
      (select action as what, subscription_id, at from admin_audit where request_id = ${requestId} limit ${limit})
      union all
      (select 'refused report: ' || code, subscription_id, at from rejected_reports
        where request_id = ${requestId} limit ${limit})
      union all
      (select 'reported position ' || e.ticket, e.subscription_id, c.at
         from execution_changes c join executions e on e.id = c.execution_id
        where c.request_id = ${requestId} limit ${limit})) r
     order by r.at desc limit ${limit}`,
  );
}
