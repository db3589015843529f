import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { NAMESPACES } from "@/db/advisory-locks";
import type { Handle } from "@/db/client";
import { signInTokens, subscriptions } from "@/db/schema";

/** A subscription of this address in the spelling to send to; null when there is none. */
export async function findMailboxOf(handle: Handle, emailNormalized: string) {
  const [row] = await handle
    .select({ subscriptionId: subscriptions.id, email: subscriptions.email })
    .from(subscriptions)
    .where(eq(subscriptions.emailNormalized, emailNormalized))
    .orderBy(desc(subscriptions.id))
    .limit(1);
  return row?.email ? { subscriptionId: row.subscriptionId, email: row.email } : null;
}

/** Records a link unless the address asked for `limit` within the last hour. Two at once are counted one after the other. */
export async function insertSignInToken(
  handle: Handle,
  token: { tokenHash: string; emailNormalized: string; lifetimeMinutes: number; limit: number },
): Promise<boolean> {
  await handle.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${token.emailNormalized}, ${NAMESPACES.signInLink}))`,
  );
  const inserted = await handle.execute(sql`
    insert into sign_in_tokens (token_hash, email_normalized, expires_at)
    select ${token.tokenHash}, ${token.emailNormalized}, now() + make_interval(mins => ${token.lifetimeMinutes})
     where (select count(*) from sign_in_tokens
             where email_normalized = ${token.emailNormalized} and created_at > now() - interval '1 hour') < ${token.limit}
    returning 1`);
  return inserted.length > 0;
}

/** What a link is worth now, without using it up. */
export async function findSignInToken(handle: Handle, tokenHash: string) {
  const [row] = await handle
    .select({
      emailNormalized: signInTokens.emailNormalized,
      state: sql<"valid" | "used" | "expired">`case when ${signInTokens.usedAt} is not null then 'used'
        when ${signInTokens.expiresAt} <= now() then 'expired' else 'valid' end`,
    })
    .from(signInTokens)
    .where(eq(signInTokens.tokenHash, tokenHash));
  return row ?? null;
}

/** Uses a link up and returns its address; null when it is unknown, used or expired. Of two at once one gets it. */
export async function consumeSignInToken(handle: Handle, tokenHash: string): Promise<string | null> {
  const [row] = await handle
    .update(signInTokens)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(signInTokens.tokenHash, tokenHash),
        isNull(signInTokens.usedAt),
        sql`${signInTokens.expiresAt} > now()`,
      ),
    )
    .returning({ emailNormalized: signInTokens.emailNormalized });
  return row?.emailNormalized ?? null;
}
