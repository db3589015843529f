import { sql } from "drizzle-orm";
import { integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, instant } from "./columns";

/** Tokens that may send signals, models, features and candles of the slots they name. Only their hashes are stored. */
export const producerTokens = pgTable(
  "producer_tokens",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name").notNull(),
    tokenHash: text("token_hash").notNull(),
    hint: text("hint").notNull(),
    /** Slots as `EURUSD/H1`. */
    slots: text("slots").array().notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (t) => [
    // find a token by its hash, for each call of a producer
    uniqueIndex("producer_tokens_hash").on(t.tokenHash),
    // one active token per name
    uniqueIndex("producer_tokens_name").on(t.name).where(sql`revoked_at is null`),
  ],
);
