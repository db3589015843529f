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
import { SIGNAL_FETCH_WAYS } from "@/lib/vocabulary";
import { createdAt, instant } from "./columns";
import { subscriptions } from "./subscriptions";

/**
 * Signals shown to a subscription, by day: one element of each array per response that covers a newer signal than the
 * earlier responses of its kind. The first fetch of each signal is computed from these (decision "A first fetch is an
 * advance of what was shown"). Responses to keys with a delay are not recorded.
 */
export const signalFetchDays = pgTable(
  "fetch_days",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** UTC day of the responses. */
    day: date("day").notNull(),
    way: text("way", { enum: SIGNAL_FETCH_WAYS }).notNull(),
    /** The slot whose history was requested; 0: every slot in scope. */
    slotId: integer("slot_id").notNull(),
    /** Minimum confidence: signals of lower confidence were left out of the response. */
    minConfidence: doublePrecision("min_confidence").notNull(),
    /** By response: `seq` of the newest signal in scope that it covers. */
    upTo: bigint("up_to", { mode: "number" }).array().notNull(),
    /** By response: how many newest signals per slot it covers; for a stream, how many sequence numbers up to `up_to`. */
    reach: integer("reach").array().notNull(),
    /** By response: its time, in milliseconds since the start of the day. */
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
export const portalReadMarkers = pgTable("portal_read_markers", {
  subscriptionId: integer("subscription_id")
    .primaryKey()
    .references(() => subscriptions.id),
  seenUntil: instant("seen_until").notNull(),
});

/** Public links to a subscription's own record: one at a time. This table has only the hash of its token. */
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
    // find a link by its token, for each view of its page or badge
    uniqueIndex("record_links_token").on(t.tokenHash),
  ],
);
