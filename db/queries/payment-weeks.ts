import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { RevokingEvent } from "@/lib/vocabulary";
import { columns, decimal, number, type Row, text, timestamp } from "./columns";
import { isInForce, keyColumnsAs } from "./key-state";

const PAID = "e.kind in ('sold', 'renewed')";
const RETURNED = "e.kind = 'returned'";

const TOTAL = columns({
  /** Monday, 00:00 UTC. */
  week: timestamp("e.week"),
  /** Currency of the payments; null: the platform gave none, or the row counts lost subscriptions. */
  currency: text<string | null>("e.currency"),
  /** Number of payments that created a key. */
  nSold: number("count(*) filter (where e.kind = 'sold')::int"),
  /** Number of payments that extended or revived a key. */
  nRenewed: number("count(*) filter (where e.kind = 'renewed')::int"),
  /** Number of subscriptions whose last key ended in this week. */
  nLost: number("count(*) filter (where e.kind = 'lost')::int"),
  /** Number of invoices that ended by a refund or chargeback. */
  nReturned: number(`count(*) filter (where ${RETURNED})::int`),
  /** Number of payments with a known amount. */
  nPaidKnown: number(`count(e.amount) filter (where ${PAID})::int`),
  /** Sum of the known amounts of payments, less partial refunds. */
  paid: decimal(`coalesce(sum(e.amount) filter (where ${PAID}), 0)`),
  nReturnedKnown: number(`count(e.amount) filter (where ${RETURNED})::int`),
  returned: decimal(`coalesce(sum(e.amount) filter (where ${RETURNED}), 0)`),
});
export type PaymentWeekTotal = Row<typeof TOTAL>;

const REFUND = "payment.invoice_refunded" satisfies RevokingEvent;
const CHARGEBACK = "payment.invoice_chargeback" satisfies RevokingEvent;

/**
 * Number and amounts of payments and of refunds and chargebacks since `since`, and number of lost subscriptions, by week and
 * currency, newest week first. Partial refunds are subtracted from their payment. A lost subscription has had a payment and
 * has no working key now; it counts in the week in which its last key ended.
 */
export async function sumPaymentWeeks(handle: DatabaseHandle, since: Date): Promise<PaymentWeekTotal[]> {
  const from = sql`${since.toISOString()}::timestamptz`;
  return TOTAL.all(
    handle,
    sql`
    select ${TOTAL.list}
      from (
        select date_trunc('week', event.at, 'UTC') as week, event.kind, event.currency, event.amount
          from (
            select coalesce(paid_at, created_at) as at, case effect when 'created' then 'sold' else 'renewed' end as kind,
                   upper(currency) as currency, amount - coalesce(refunded_amount, 0) as amount
              from invoices where effect is not null and coalesce(paid_at, created_at) >= ${from}
            union all
            select ended_at, 'returned', upper(currency), amount - coalesce(refunded_amount, 0)
              from invoices
             where effect is not null and ended_at >= ${from} and ended_by in (${REFUND}, ${CHARGEBACK})
            union all
            select max(ended.at), 'lost', null, null
              from (select subscription_id, expires_at as at from api_keys
                     where expires_at >= ${from} and expires_at <= now() and revoked_at is null and rotated_at is null
                    union all
                    select subscription_id, revoked_at from api_keys where revoked_at >= ${from}) ended
             where exists (select 1 from invoices i where i.subscription_id = ended.subscription_id and i.effect is not null)
               and not exists (select 1 from api_keys k where k.subscription_id = ended.subscription_id and ${isInForce(keyColumnsAs("k"))})
             group by ended.subscription_id) event) e
     group by e.week, e.currency
     order by e.week desc, e.currency nulls last`,
  );
}
