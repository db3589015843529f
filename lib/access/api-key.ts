import type { StateVersions } from "@/db/queries/keys";
import type { ActiveSubscriberPause } from "@/db/queries/subscriber-pauses";
import type { PlanTier } from "@/lib/vocabulary";
import type { Scope } from "./plans";

/** Why and since when a key may only report closings. */
export interface CloseOnlyReason {
  code: "key_expired" | "key_suspended";
  since: Date;
}

/** The checked key of a request. */
export interface ApiKey {
  keyId: number;
  /** Hash by which a waiting request looks the key up again. */
  hash: string;
  /** Changes with every change of the key in the database; empty for the owner's key from the environment. */
  revision: string;
  subscriptionId: number;
  planTier: PlanTier;
  /** All plans in force, including `planTier`; null: `planTier` only. */
  plans: readonly PlanTier[] | null;
  /** When the plans in force next change or end; null: not before the key's end. */
  plansUntil: Date | null;
  scope: Scope;
  /** Allowed requests per minute. */
  rateLimitPerMin: number;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** Candles by which the signals of a try-out key are delayed, as in `scope`; null: no try-out key. */
  delayCandles: number | null;
  expiresAt: Date | null;
  hint: string;
  createdAt: Date | null;
  isOwnerEnv: boolean;
  /** The key is expired or suspended, but still in the window for reporting closings of known positions. */
  closeOnly: CloseOnlyReason | null;
  /** The open pauses that the subscriber set for their trading clients, each for one slot or for all. */
  held: readonly ActiveSubscriberPause[];
  /** Versions of signals, models and outcomes when the key was checked. */
  versions: StateVersions;
  /** Database time of the check. The answer uses it as the current time. */
  seenAt: Date;
}
