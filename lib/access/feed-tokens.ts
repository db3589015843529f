import { randomBytes } from "node:crypto";
import type { Database } from "@/db/client";
import {
  findFeedTokenByHash,
  insertFeedToken,
  markFeedTokenRevoked,
  noteFeedTokenUse,
  releaseFeedLead,
} from "@/db/queries/feed-tokens";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { sha256 } from "@/lib/runtime/secrets";
import { AppError, invalidField } from "@/lib/wire/errors";
import { keyHint } from "./keys/key-text";

/** An active token with which a terminal sends candles. `name` is the name of its feed without the prefix `push:`. */
export interface FeedToken {
  id: number;
  name: string;
}

/** Feed name of a push token. It has a prefix, because it shares one list with the feeds of MARKET_FEED. */
export const pushFeedName = (name: string) => `push:${name}`;

/**
 * Creates a token that may only send closed candles. The token is returned once; `feed_tokens` has only its hash and
 * hint. Throws validation_failed if an active token has this name.
 */
export async function issueFeedToken(database: Database, name: string, actor: Actor): Promise<string> {
  const token = `feed_${randomBytes(24).toString("base64url")}`;
  await database.transaction(async (tx) => {
    const id = await insertFeedToken(tx, { name, tokenHash: sha256(token), hint: keyHint(token.slice(5)) });
    if (id === null) throw invalidField("body", "name", "belongs to an active token: revoke that one first");
    await recordAudit(tx, {
      actor,
      action: "feed-token.issue",
      target: `feed-token/${id}`,
      details: { name },
    });
  });
  return token;
}

/** Revokes a token at once. Throws not_found if it does not exist or was revoked before. */
export async function revokeFeedToken(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const name = await markFeedTokenRevoked(tx, id);
    if (name === null)
      throw new AppError("not_found", { detail: "There is no such token, or it is revoked." });
    await releaseFeedLead(tx, pushFeedName(name));
    await recordAudit(tx, {
      actor,
      action: "feed-token.revoke",
      target: `feed-token/${id}`,
      details: { name },
    });
  });
}

/** The active token with this text, or null. Stores the time of use. */
export async function authenticateFeedToken(database: Database, sent: string): Promise<FeedToken | null> {
  const token = await findFeedTokenByHash(database, sha256(sent));
  if (token !== null) await noteFeedTokenUse(database, token.id);
  return token;
}
