import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { foldedWords, personSearchVector } from "@/db/schema/folding";
import { columns, decimal, number, type Row, safeInteger, text, timestamp } from "./columns";
import { escapeLikeWildcards } from "./parameters";
import { DELIVERY_EFFECT } from "./payment-deliveries";

/** LIKE pattern for texts with this prefix, whose wildcards are escaped. */
const beginning = (words: string): string => `${escapeLikeWildcards(words)}%`;

const PERSON = columns({
  subscriptionId: number("s.id"),
  userName: text("s.user_name"),
  email: text<string | null>("s.email"),
});
export type FoundPerson = Row<typeof PERSON>;

export { foldedWords };

/** People whose name or address contains, for each of `words` (from `foldedWords`), a word that begins with it. Newest first. */
export async function searchPeople(
  handle: DatabaseHandle,
  words: readonly string[],
  limit: number,
): Promise<FoundPerson[]> {
  if (words.length === 0) return [];
  // Words can be quoted as lexemes: foldedWords splits at quotes and backslashes, so no word contains one.
  const wanted = words.map((word) => `'${word}':*`).join(" & ");
  return PERSON.all(
    handle,
    // Materialized, so that PostgreSQL finds the matches by their index. Otherwise it reads subscribers in order of id and
    // folds their words until it has enough matches: 2.7 s for a name that one of 100,000 has.
    sql`with s as materialized (
          select p.id, p.user_name, p.email from subscriptions p
           where ${personSearchVector("p.")} @@ ${wanted}::tsquery and p.id <> 0)
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

/** Keys whose hint begins with this text, newest first. A hint shows the first and last four characters of a key. */
export async function searchKeys(
  handle: DatabaseHandle,
  hint: string,
  limit: number,
): Promise<FoundKeyHint[]> {
  return KEY.all(
    handle,
    sql`select ${KEY.list} from api_keys k join subscriptions s on s.id = k.subscription_id
         where k.hint like ${beginning(hint)} order by k.id desc limit ${limit}`,
  );
}

const PAYMENT = columns({
  deliveryId: safeInteger("d.id"),
  invoiceId: text<string | null>("d.invoice_id"),
  effect: text(DELIVERY_EFFECT),
  receivedAt: timestamp("d.received_at"),
});
export type FoundPayment = Row<typeof PAYMENT>;

/** Payment deliveries about an invoice, or about buyers whose address has these hash digits, newest first. */
export async function searchPayments(
  handle: DatabaseHandle,
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
export type FoundExecution = Row<typeof TICKET>;

/** Executions with this ticket, of all subscribers, newest first. */
export async function searchExecutionsByTicket(
  handle: DatabaseHandle,
  ticket: string,
  limit: number,
): Promise<FoundExecution[]> {
  return TICKET.all(
    handle,
    sql`select ${TICKET.list} from executions e join subscriptions s on s.id = e.subscription_id
         where e.ticket = ${ticket}::bigint order by e.id desc limit ${limit}`,
  );
}

const REQUEST = columns({
  kind: text<"audit" | "refusal" | "position">("r.kind"),
  /** The action, the error's code, or the ticket. */
  what: text("r.what"),
  subscriptionId: number<number | null>("r.subscription_id"),
  at: timestamp("r.at"),
});
export type FoundRequestRecord = Row<typeof REQUEST>;

/** Records of an HTTP request, by its request id: audit entries, refused reports, changes of positions. Newest first. */
export async function searchByRequestId(
  handle: DatabaseHandle,
  requestId: string,
  limit: number,
): Promise<FoundRequestRecord[]> {
  return REQUEST.all(
    handle,
    sql`
    select ${REQUEST.list} from (
      (select 'audit' as kind, action as what, subscription_id, at from admin_audit where request_id = ${requestId} limit ${limit})
      union all
      (select 'refusal', code, subscription_id, at from rejected_reports
        where request_id = ${requestId} limit ${limit})
      union all
      (select 'position', e.ticket::text, e.subscription_id, c.at
         from execution_changes c join executions e on e.id = c.execution_id
        where c.request_id = ${requestId} limit ${limit})) r
     order by r.at desc limit ${limit}`,
  );
}
