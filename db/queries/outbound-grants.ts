import { type SQL, sql } from "drizzle-orm";
import type { PlanTier } from "@/lib/vocabulary";
import { json, number } from "./columns";
import { concurrentPlans, isInForce, keyColumnsAs, planInForce } from "./key-state";
import type { SlotScope } from "./slots";

/** The stored grant of a subscription's newest key in force. */
export interface StoredGrant {
  planTier: PlanTier;
  /** All concurrent plans; null: only `planTier`. */
  plans: PlanTier[] | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** Set for a try-out key, which gets no pushed messages. */
  delayCandles: number | null;
}

/** Columns of a receiver whose grant `joinGrant` joins under the alias `a`. */
export const RECEIVER_COLUMNS = {
  subscriptionId: number("e.subscription_id"),
  /** null: no key of the subscription works now. */
  grant: json<StoredGrant | null>("a.grant"),
};

/** Joins the current grant of the receiver `e`. */
export const joinGrant = (subscriptionId: SQL = sql`e.subscription_id`): SQL => sql`
  left join lateral (
    select jsonb_build_object('planTier', ${planInForce(keyColumnsAs("k"))}, 'plans', ${concurrentPlans(keyColumnsAs("k"))}, 'symbolsAllowed', k.symbols_allowed, 'tfsAllowed', k.tfs_allowed, 'delayCandles', k.delay_candles) as "grant"
      from api_keys k
     where k.subscription_id = ${subscriptionId} and ${isInForce(keyColumnsAs("k"))}
     order by k.id desc limit 1) a on true`;

/** Current access of a receiver. */
export interface ReceiverAccess {
  planTier: PlanTier;
  /** All concurrent plans; null: only `planTier`. */
  plans: readonly PlanTier[] | null;
  scope: SlotScope;
}

/** Access by a stored grant; null: access has ended. The installation's owner has a grant in the configuration. */
export type AccessOfKey = (receiver: {
  subscriptionId: number;
  grant: StoredGrant | null;
}) => ReceiverAccess | null;
