import type { StateVersions } from "@/db/queries/keys";
import type { HeldSlot } from "@/db/queries/own-pauses";
import type { PlanTier } from "@/lib/vocabulary";
import type { Scope } from "./plans";

/** Why and since when a key is heard for closings alone. */
export interface CloseOnly {
  code: "key_expired" | "key_suspended";
  since: Date;
}

/** The caller of a keyed endpoint, checked a moment ago. */
export interface ApiKey {
  keyId: number;
  /** By which it is looked up again while its request waits. */
  hash: string;
  /** Differs after every change of the key in the database; empty for the owner's key of the environment. */
  revision: string;
  subscriptionId: number;
  planTier: PlanTier;
  /** Plans in force beside it, itself among them; null: it alone. */
  plans: readonly PlanTier[] | null;
  /** When other plans begin, without a change of the key; null: not before its end. */
  plansUntil: Date | null;
  scope: Scope;
  /** Requests per minute in force. */
  rateLimitPerMin: number;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** Set for a try-out key; the scope contains it too. */
  delayCandles: number | null;
  expiresAt: Date | null;
  hint: string;
  createdAt: Date | null;
  isOwnerEnv: boolean;
  /** Expired or suspended, and inside the window in which closings of known positions are still taken. */
  closeOnly: CloseOnly | null;
  /** What the subscriber paused for the own clients. */
  held: readonly HeldSlot[];
  /** Versions of the shared state when the key was checked. */
  versions: StateVersions;
  /** When it was checked, by the database's clock: what "now" means for the answer. */
  seenAt: Date;
}
