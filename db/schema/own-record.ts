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
 * What a subscription was shown, day by day: one entry of the three arrays for each answer that showed something new.
 * From these the first fetch of each signal is computed (decision "A first fetch is an advance of what was shown").
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
    /** The slot whose history was asked for; 0: every slot in scope. */
    slotId: integer("slot_id").notNull(),
    /** Signals of less confidence were left out of the answer. */
    minConfidence: doublePrecision("min_confidence").notNull(),
    /** `seq` of the newest signal in scope that the answer took account of. */
    upTo: bigint("up_to", { mode: "number" }).array().notNull(),
    /** How many signals of each slot the answer reached back, in a stream how many numbers. */
    reach: integer("reach").array().notNull(),
    /** Milliseconds of the day at which it was. */
    atMs: integer("at_ms").array().notNull(),
  },
  (t) => [
    // one row a subscription, day and way of asking; also what one subscription was shown since a day
    primaryKey({ columns: [t.subscriptionId, t.day, t.way, t.slotId, t.minConfidence] }),
    // deletion of what is older than it is kept
    index("fetch_days_day").on(t.day),
  ],
);

/** Up to when a subscriber has seen what happened, by pressing the button that says so. */
export const portalReadMarkers = pgTable("portal_looks", {
  subscriptionId: integer("subscription_id")
    .primaryKey()
    .references(() => subscriptions.id),
  seenUntil: instant("seen_until").notNull(),
});

/** Links under which anyone may read a subscription's own record: one at a time, of whose token only the hash is here. */
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
    // every reader of such a page, and every badge
    uniqueIndex("record_links_token").on(t.tokenHash),
  ],
);
