import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { ADVISORY_LOCK_NAMESPACES } from "@/db/advisory-locks";
import type { DatabaseHandle } from "@/db/client";
import { signInTokens, subscriptions } from "@/db/schema";
import { columns, number, text } from "./columns";

/** The newest subscription of a normalised address, with the address as the subscriber wrote it; null: none. */
export async function findMailRecipient(handle: DatabaseHandle, emailNormalized: string) {
  const [row] = await handle
    .select({ subscriptionId: subscriptions.id, email: subscriptions.email })
    .from(subscriptions)
    .where(eq(subscriptions.emailNormalized, emailNormalized))
    .orderBy(desc(subscriptions.id))
    .limit(1);
  return row?.email ? { subscriptionId: row.subscriptionId, email: row.email } : null;
}

const REPEATED = columns({
  tokenHash: text("token_hash"),
  tokenEncrypted: text("token_encrypted"),
  nMails: number("n_mails"),
  minutesLeft: number("floor(extract(epoch from expires_at - now()) / 60)::int"),
});

/** Takes the lock under which sign-in links for this address are created, until commit. */
export async function lockSignInLinks(handle: DatabaseHandle, emailNormalized: string): Promise<void> {
  await handle.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${emailNormalized}, ${ADVISORY_LOCK_NAMESPACES.signInLink}))`,
  );
}

/**
 * The newest unused sign-in link of this address, requested in the last hour, that is valid for more than `minutesLeft` more
 * minutes; null: none.
 */
export function findRepeatableSignInLink(
  handle: DatabaseHandle,
  emailNormalized: string,
  minutesLeft: number,
) {
  return REPEATED.first(
    handle,
    sql`select ${REPEATED.list} from sign_in_tokens
         where email_normalized = ${emailNormalized} and created_at > now() - interval '1 hour'
           and used_at is null and token_encrypted is not null
           and expires_at > now() + make_interval(mins => ${minutesLeft})
         order by created_at desc limit 1`,
  );
}

/** Increases the stored number of mails that contained this sign-in link by one. */
export async function recordSignInLinkMail(handle: DatabaseHandle, tokenHash: string): Promise<void> {
  await handle
    .update(signInTokens)
    .set({ nMails: sql`${signInTokens.nMails} + 1` })
    .where(eq(signInTokens.tokenHash, tokenHash));
}

/**
 * Stores a sign-in link. Returns false, and stores nothing, if this network has already requested `limit` links for the
 * address in the last hour.
 */
export async function insertSignInToken(
  handle: DatabaseHandle,
  token: {
    tokenHash: string;
    tokenEncrypted: string;
    emailNormalized: string;
    network: string;
    lifetimeMinutes: number;
    limit: number;
  },
): Promise<boolean> {
  const inserted = await handle.execute(sql`
    insert into sign_in_tokens (token_hash, token_encrypted, email_normalized, network, expires_at)
    select ${token.tokenHash}, ${token.tokenEncrypted}, ${token.emailNormalized}, ${token.network},
           now() + make_interval(mins => ${token.lifetimeMinutes})
     where (select count(*) from sign_in_tokens
             where email_normalized = ${token.emailNormalized} and network = ${token.network}
               and created_at > now() - interval '1 hour') < ${token.limit}
    returning 1`);
  return inserted.length > 0;
}

/** Address and state of a sign-in link, which is not consumed; null: unknown. */
export async function findSignInToken(handle: DatabaseHandle, tokenHash: string) {
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

/** Consumes a sign-in link and returns its address; null: unknown, used or expired. Of two concurrent uses one succeeds. */
export async function consumeSignInToken(handle: DatabaseHandle, tokenHash: string): Promise<string | null> {
  const [row] = await handle
    .update(signInTokens)
    .set({ usedAt: sql`now()`, tokenEncrypted: null })
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
