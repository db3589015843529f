import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, number, type Row, text, timestamp, timestampOrNull } from "./columns";

const TOKEN = columns({
  id: number("id"),
  name: text("name"),
  hint: text("hint"),
  createdAt: timestamp("created_at"),
  lastUsedAt: timestampOrNull("last_used_at"),
  revokedAt: timestampOrNull("revoked_at"),
});
export type FeedTokenRow = Row<typeof TOKEN>;

/** Stores a feed's token by its hash and returns its id. Null if another active token has this name. */
export async function insertFeedToken(
  handle: DatabaseHandle,
  token: { name: string; tokenHash: string; hint: string },
): Promise<number | null> {
  const [row] = await handle.execute<{ id: number }>(sql`
    insert into feed_tokens (name, token_hash, hint) values (${token.name}, ${token.tokenHash}, ${token.hint})
    on conflict do nothing returning id`);
  return row?.id ?? null;
}

/** The active token with this hash; null: none. */
export async function findFeedTokenByHash(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<{ id: number; name: string } | null> {
  const [row] = await handle.execute<{ id: number; name: string }>(sql`
    select id, name from feed_tokens where token_hash = ${tokenHash} and revoked_at is null`);
  return row ?? null;
}

/** Records the use of a token, at most once a minute. */
export async function noteFeedTokenUse(handle: DatabaseHandle, id: number): Promise<void> {
  await handle.execute(sql`
    update feed_tokens set last_used_at = now()
     where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`);
}

/** Revokes a token. Returns its name, or null if it does not exist or was revoked before. */
export async function markFeedTokenRevoked(handle: DatabaseHandle, id: number): Promise<string | null> {
  const [row] = await handle.execute<{ name: string }>(sql`
    update feed_tokens set revoked_at = now() where id = ${id} and revoked_at is null returning name`);
  return row?.name ?? null;
}

/** Makes a feed stop being the leading feed of its slots at once, so that another feed can become their leading feed. */
export async function releaseFeedLead(handle: DatabaseHandle, feed: string): Promise<void> {
  await handle.execute(sql`update feed_slots set last_received_at = null where feed = ${feed}`);
}

/** All active tokens, then the `nEnded` most recently created revoked ones; both newest first. */
export async function listFeedTokens(handle: DatabaseHandle, nEnded: number): Promise<FeedTokenRow[]> {
  return TOKEN.all(
    handle,
    sql`
    select ${TOKEN.list} from feed_tokens
     where revoked_at is null
        or id in (select id from feed_tokens where revoked_at is not null order by id desc limit ${nEnded})
     order by revoked_at is not null, id desc`,
  );
}
