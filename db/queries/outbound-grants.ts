import { type SQL, sql } from "drizzle-orm";
import type { PlanTier } from "@/lib/vocabulary";
import { json, number } from "./columns";
import { isInForce, keysAs, planInForce, plansTogether } from "./key-state";
import type { SlotScope } from "./slots";

/** What the newest key in force of a subscription may see, as it is stored. */
export interface StoredGrant {
  planTier: PlanTier;
  /** Plans in force beside it, itself among them; null: it alone. */
  plans: PlanTier[] | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** Set for a try-out key, to which nothing is pushed. */
  delayCandles: number | null;
}

/** Columns of a receiver whose grant `grantOf` joins under the name `a`. */
export const RECEIVER = {
  subscriptionId: number("e.subscription_id"),
  /** null: no key of the subscription works at this moment. */
  grant: json<StoredGrant | null>("a.grant"),
};

/** Joins the grant by which the receiver `e` is served at this moment. */
export const grantOf = (subscriptionId: SQL = sql`e.subscription_id`): SQL => sql`
  left join lateral (
    select jsonb_build_object('planTier', ${planInForce(keysAs("k"))}, 'plans', ${plansTogether(keysAs("k"))}, 'symbolsAllowed', k.symbols_allowed, 'tfsAllowed', k.tfs_allowed, 'delayCandles', k.delay_candles) as "grant"
      from api_keys k
     where k.subscription_id = ${subscriptionId} and ${isInForce(keysAs("k"))}
     order by k.id desc limit 1) a on true`;

/** What a receiver may see at this moment. */
export interface Access {
  planTier: PlanTier;
  /** Plans in force beside it, itself among them; null: it alone. */
  plans: readonly PlanTier[] | null;
  scope: SlotScope;
}

/** Judges a stored grant; null: access is over. The owner of the installation has one in the configuration. */
export type JudgeAccess = (receiver: { subscriptionId: number; grant: StoredGrant | null }) => Access | null;
