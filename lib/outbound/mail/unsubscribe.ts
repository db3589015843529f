import type { Database } from "@/db/client";
import { patchPreferences } from "@/db/queries/subscriptions";
import type { SubscriptionPreferences } from "@/db/schema";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { isSigned, signText } from "@/lib/runtime/secrets";
import type { MailKind } from "./kinds";

/** Mails that a subscriber can unsubscribe from, each with the preference that unsubscribing turns off. */
const PREFERENCE_OF = {
  "expiry-reminder": "mailReminders",
  "plan-ending": "mailReminders",
  "ea-offline": "mailEaOffline",
  "model-changed": "mailModels",
  notice: "mailNotices",
} as const satisfies Partial<Record<MailKind, keyof SubscriptionPreferences>>;

/** Part of what is signed. Changing it would invalidate the links in mails that were sent before. */
const PURPOSE = "decline";

export type OptionalMailKind = keyof typeof PREFERENCE_OF;

const isDeclinable = (kind: string): kind is OptionalMailKind => Object.hasOwn(PREFERENCE_OF, kind);

/**
 * Token for unsubscribing a subscription from a kind of mails without signing in; null: not possible for this kind, or
 * the mail belongs to no subscription.
 */
export function unsubscribeToken(kind: string, subscriptionId: number | null): string | null {
  if (subscriptionId === null || !isDeclinable(kind)) return null;
  const content = `${subscriptionId}.${kind}`;
  return `${content}.${signText(PURPOSE, content)}`;
}

/** The mails that a token unsubscribes from; null: not issued by this service. */
export function readUnsubscribeToken(
  token: string,
): { subscriptionId: number; kind: OptionalMailKind } | null {
  const [, id = "", kind = "", signed = ""] = /^([0-9]{1,9})\.([a-z-]{1,40})\.([\w-]{43})$/.exec(token) ?? [];
  if (!isDeclinable(kind)) return null;
  const subscriptionId = Number(id);
  return isSigned(PURPOSE, `${subscriptionId}.${kind}`, signed) ? { subscriptionId, kind } : null;
}

/**
 * Unsubscribes from the mails of a token, with an audit row. Returns their kind; null: invalid token or deleted
 * account.
 */
export async function unsubscribe(
  database: Database,
  token: string,
  { address, requestId }: { address: string; requestId: string },
): Promise<OptionalMailKind | null> {
  const found = readUnsubscribeToken(token);
  if (found === null) return null;
  const { subscriptionId, kind } = found;
  const actor: Actor = { kind: "subscriber", subscriptionId, address, requestId };
  return database.transaction(async (tx) => {
    const preference = PREFERENCE_OF[kind];
    if (!(await patchPreferences(tx, subscriptionId, { [preference]: false }))) return null;
    await recordAudit(tx, {
      actor,
      action: "preferences.decline_mails",
      target: `subscription/${subscriptionId}`,
      subscriptionId,
      details: { changed: [preference] },
    });
    return kind;
  });
}
