import type { StateVersions } from "@/db/queries/keys";
import type { HeldSlot } from "@/db/queries/own-pauses";
import type { PlanTier } from "@/lib/vocabulary";
import type { Scope } from "./plans";

/** Why and since when a key may only report closings. */
export interface CloseOnly {
  code: "key_expired" | "key_suspended";
  since: Date;
}

/** The checked key of a request. */
export interface ApiKey {
  keyId: number;
  /** For checking the key again while its request waits. */
  hash: string;
  /** Changes with every change of the key in the database; empty for the owner's key from the environment. */
  revision: string;
  subscriptionId: number;
  planTier: PlanTier;
  /** All plans in force, including `planTier`; null: `planTier` only. */
  plans: readonly PlanTier[] | null;
  /** When the plans in force change although the key does not; null: not before the key's end. */
  plansUntil: Date | null;
  scope: Scope;
  /** Requests per minute allowed at present. */
  rateLimitPerMin: number;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** Set for a try-out key; the scope contains it too. */
  delayCandles: number | null;
  expiresAt: Date | null;
  hint: string;
  createdAt: Date | null;
  isOwnerEnv: boolean;
  /** The key is expired or suspended, but still in the window for reporting closings of known positions. */
  closeOnly: CloseOnly | null;
  /** Slots that the subscriber paused for their clients. */
  held: readonly HeldSlot[];
  /** Versions of the shared state at the time of the check. */
  versions: StateVersions;
  /** Time of the check by the database's clock: "now" for the answer. */
  seenAt: Date;
}
