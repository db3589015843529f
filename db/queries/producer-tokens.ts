import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, number, type Row, text, timestamp, timestampOrNull } from "./columns";

const TOKEN = columns({
  id: number("id"),
  name: text("name"),
  hint: text("hint"),
  slots: text("array_to_string(slots, ', ')"),
  createdAt: timestamp("created_at"),
  lastUsedAt: timestampOrNull("last_used_at"),
  revokedAt: timestampOrNull("revoked_at"),
});
export type ProducerTokenRow = Row<typeof TOKEN>;

/** Stores a producer's token by its hash and returns its id; null: another active token has this name. */
export async function insertProducerToken(
  handle: DatabaseHandle,
  token: { name: string; tokenHash: string; hint: string; slots: readonly string[] },
): Promise<number | null> {
  const [row] = await handle.execute<{ id: number }>(sql`
    insert into producer_tokens (name, token_hash, hint, slots)
    select ${token.name}, ${token.tokenHash}, ${token.hint}, array(select jsonb_array_elements_text(${JSON.stringify(token.slots)}::jsonb))
    on conflict do nothing returning id`);
  return row?.id ?? null;
}

/** The active producer token with this hash; null: none. */
export async function findProducerTokenByHash(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<{ id: number; name: string; slots: string[] } | null> {
  const [row] = await handle.execute<{ id: number; name: string; slots: string[] }>(sql`
    select id, name, slots from producer_tokens where token_hash = ${tokenHash} and revoked_at is null`);
  return row ?? null;
}

/** Sets a token's time of last use to now, at most once a minute. */
export async function noteProducerTokenUse(handle: DatabaseHandle, id: number): Promise<void> {
  await handle.execute(sql`
    update producer_tokens set last_used_at = now()
     where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`);
}

/** Revokes a token. Returns its name, or null if it does not exist or was revoked before. */
export async function markProducerTokenRevoked(handle: DatabaseHandle, id: number): Promise<string | null> {
  const [row] = await handle.execute<{ name: string }>(sql`
    update producer_tokens set revoked_at = now() where id = ${id} and revoked_at is null returning name`);
  return row?.name ?? null;
}

/** All active tokens, then the `nEnded` newest revoked ones, newest first. */
export async function listProducerTokens(
  handle: DatabaseHandle,
  nEnded: number,
): Promise<ProducerTokenRow[]> {
  return TOKEN.all(
    handle,
    sql`
    select ${TOKEN.list} from producer_tokens
     where revoked_at is null
        or id in (select id from producer_tokens where revoked_at is not null order by id desc limit ${nEnded})
     order by revoked_at is not null, id desc`,
  );
}
