import { and, gt, isNotNull, lte, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { columns, number, type Row } from "./columns";
import { isInForce } from "./key-state";
import { array } from "./parameters";

/** Number of working keys that expire within `days`. */
export async function countKeysEndingWithin(handle: DatabaseHandle, days: number): Promise<number> {
  return countKeys(handle, lte(apiKeys.expiresAt, sql`now() + make_interval(days => ${days})`));
}

/** Number of working keys with an expiry date. */
export async function countKeysWithEnd(handle: DatabaseHandle): Promise<number> {
  return countKeys(handle, isNotNull(apiKeys.expiresAt));
}

async function countKeys(handle: DatabaseHandle, which: ReturnType<typeof lte>): Promise<number> {
  const [row] = await handle
    .select({ n: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(isInForce(), gt(apiKeys.expiresAt, sql`now()`), which));
  return row?.n ?? 0;
}

const DELIVERED = columns({
  unmapped: number("count(*) filter (where 'unmapped_product' = any(flags))::int"),
  named: number("count(*) filter (where named)::int"),
});

/**
 * Number of payment deliveries of the last 30 days that are for unmapped products (`unmapped`), and of those of the generic
 * platform with one of these events (`named`).
 */
export async function countRecentPaymentDeliveries(
  handle: DatabaseHandle,
  events: readonly string[],
): Promise<Row<typeof DELIVERED>> {
  return DELIVERED.one(
    handle,
    sql`
    select ${DELIVERED.list}
      from (select flags, adapter = 'generic' and event = any(${array([...events], "text")}) as named
              from payment_deliveries where received_at > now() - interval '30 days') d`,
  );
}
