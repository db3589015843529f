import { type SQL, sql } from "drizzle-orm";
import type { PlanTier } from "@/lib/vocabulary";
import { json, number } from "./columns";
import { concurrentPlans, isInForce, keyColumnsAs, planInForce } from "./key-state";
import type { SlotScope } from "./slots";

/** Plans, scope and delay of a subscription's newest working key. */
export interface StoredGrant {
  planTier: PlanTier;
  /** All plans in force now; null: only `planTier`. */
  plans: PlanTier[] | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** Set for a try-out key, which gets no pushed messages. */
  delayCandles: number | null;
}

/** Columns of a receiver of messages (`e`), with the current grant that `currentGrantJoin` joins as `a`. */
export const RECEIVER_COLUMNS = {
  subscriptionId: number("e.subscription_id"),
  /** The current grant; null: no key of the subscription works now. */
  grant: json<StoredGrant | null>("a.grant"),
};

/** SQL that joins the current grant of a subscription, by default that of the receiver `e`, as `a`. */
export const currentGrantJoin = (subscriptionId: SQL = sql`e.subscription_id`): SQL => sql`
  left join lateral (
    select jsonb_build_object('planTier', ${planInForce(keyColumnsAs("k"))}, 'plans', ${concurrentPlans(keyColumnsAs("k"))}, 'symbolsAllowed', k.symbols_allowed, 'tfsAllowed', k.tfs_allowed, 'delayCandles', k.delay_candles) as "grant"
      from api_keys k
     where k.subscription_id = ${subscriptionId} and ${isInForce(keyColumnsAs("k"))}
     order by k.id desc limit 1) a on true`;

/** What a receiver of messages may get now. */
export interface ReceiverAccess {
  planTier: PlanTier;
  /** All plans in force now; null: only `planTier`. */
  plans: readonly PlanTier[] | null;
  scope: SlotScope;
}

/**
 * A function that computes what a receiver may get from the stored grant; null: nothing, because access has ended or the key
 * is a try-out. The grant of subscription 0, the installation's owner, comes from the configuration.
 */
export type ComputeReceiverAccess = (receiver: {
  subscriptionId: number;
  grant: StoredGrant | null;
}) => ReceiverAccess | null;
