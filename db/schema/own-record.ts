import {
  bigint,
  date,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { FETCH_WAYS } from "@/lib/vocabulary";
import { createdAt, instant } from "./columns";
import { subscriptions } from "./subscriptions";

/**
 * Signals shown to a subscription, by day: one element of the three arrays for each answer that showed something new.
 * The first fetch of each signal is computed from these (decision "A first fetch is an advance of what was shown").
 */
export const fetchDays = pgTable(
  "fetch_days",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** UTC day of the answers. */
    day: date("day").notNull(),
    way: text("way", { enum: FETCH_WAYS }).notNull(),
    /** The requested slot's history; 0: every slot in scope. */
    slotId: integer("slot_id").notNull(),
    /** Signals of lower confidence were left out of the answer. */
    minConfidence: doublePrecision("min_confidence").notNull(),
    /** `seq` of the newest signal in scope that the answer covers. */
    upTo: bigint("up_to", { mode: "number" }).array().notNull(),
    /** Number of signals per slot that the answer covers; for a stream, of sequence numbers. */
    reach: integer("reach").array().notNull(),
    /** Time of the answer, in milliseconds of the day. */
    atMs: integer("at_ms").array().notNull(),
  },
  (t) => [
    // one row per subscription, day and kind of request; also a subscription's rows since a day
    primaryKey({ columns: [t.subscriptionId, t.day, t.way, t.slotId, t.minConfidence] }),
    // next rows for retention
    index("fetch_days_day").on(t.day),
  ],
);

/** Time up to which a subscriber has marked events as read with the portal's button. */
export const portalReadMarkers = pgTable("portal_looks", {
  subscriptionId: integer("subscription_id")
    .primaryKey()
    .references(() => subscriptions.id),
  seenUntil: instant("seen_until").notNull(),
});

/** Public links to a subscription's own record: one at a time; only the hash of its token is stored. */
export const recordLinks = pgTable(
  "record_links",
  {
    subscriptionId: integer("subscription_id")
      .primaryKey()
      .references(() => subscriptions.id),
    tokenHash: text("token_hash").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // each view of such a page or badge
    uniqueIndex("record_links_token").on(t.tokenHash),
  ],
);
