import type { AdminRole, PlanTier, RevokingEvent } from "@/lib/vocabulary";

/**
 * Every mail that the service sends and the values that are stored for each while it waits: no secrets, instants as ISO
 * 8601 text. Addresses of pages are not stored; they are made when the mail is rendered.
 */
export interface MailProps {
  /** Access was opened. `delayCandles`: the key is a try-out. Secret: the key. */
  "key-created": { userName: string; planTier: PlanTier; expiresAt: string | null; delayCandles?: number };
  /** A key was replaced. Secret: the new key; the old one is never mailed. */
  "key-rotated": { userName: string; rotatedAt: string };
  /** A cancellation, refund or chargeback switched keys off. */
  "access-revoked": { userName: string; event: RevokingEvent; revokedAt: string; keysRevoked: number };
  /** A further payment moved the end of a key, or made an expired one work again. */
  renewed: {
    userName: string;
    planTier: PlanTier;
    /** Decimal text; null where the platform named no amount. */
    amount: string | null;
    currency: string | null;
    paidAt: string;
    expiresAt: string | null;
    revived: boolean;
  };
  /** A payment failed; access lasts until `expiresAt` all the same. */
  "payment-failed": { userName: string; planTier: PlanTier; expiresAt: string };
  /** The operator holds a key back. */
  "access-suspended": { userName: string; suspendedAt: string };
  /** A key that was held back works again. */
  "access-reinstated": { userName: string; expiresAt: string | null };
  /** Someone asked for a link to sign in and go on to `next`. Secret: the token that goes into the link. */
  "sign-in": { expiresMinutes: number; next?: string };
  /** A visitor asked for a try-out key. Secret: the token that goes into the link. */
  "try-out": { expiresHours: number };
  /** Somebody is to administer the service. Secret: the token that goes into the link. */
  "admin-invitation": { name: string; role: AdminRole; expiresHours: number };
  /** An administrator asked for a link to sign in. Secret: the token that goes into the link. */
  "admin-sign-in": { expiresMinutes: number };
  /** A browser was signed in by the administrator secret. */
  "admin-secret-used": { at: string; address: string };
  /** Too many wrong codes of an administrator's authenticator. */
  "second-factor-locked": { name: string; wrongCodes: number; until: string };
  /** Somebody asked to have the account deleted. Secret: the token that goes into the link. */
  "account-deletion": { userName: string; expiresMinutes: number };
  /** The account is to have another address; to both mailboxes. Secret: the token that goes into the link. */
  "address-change": { userName: string; isNew: boolean; expiresMinutes: number };
  /** The account has another address, or none; to both mailboxes. `byOperator`: an administrator changed it. */
  "address-changed": { userName: string; isNew: boolean; byOperator?: boolean };
  /** What an owner wants to be told of, with the pages to open below the base address. */
  "owner-alert": { name: string; items: { title: string; text: string; path: string }[] };
  /** Access ends in `daysLeft` days. */
  "expiry-reminder": { userName: string; planTier: PlanTier; expiresAt: string; daysLeft: number };
  /** The days of a plan are used up at `changesAt`, and those of a lower one begin. */
  "plan-ending": {
    userName: string;
    planTier: PlanTier;
    nextPlan: PlanTier;
    changesAt: string;
    expiresAt: string | null;
  };
  /** A trading client has gone silent while the market is open. */
  "ea-offline": { userName: string; lastSeenAt: string; silentMinutes: number };
  /** Time was added to the end of access, because the service kept back fresh signals in a month. */
  "downtime-credited": {
    userName: string;
    month: string;
    minutes: number;
    stretches: { from: string; to: string; what: string }[];
    expiresAt: string;
  };
  /** Slots in the plan have another model. `slots` are those that are named, `nSlots` how many it was. */
  "model-changed": { userName: string; slots: { slot: string; modelV: string }[]; nSlots: number };
  /** An endpoint took nothing for a day, or said that it is gone. `code` is a word for the last answer. */
  "webhook-paused": { userName: string; host: string; code: string; attempts: number; pausedAt: string };
  /** A channel such as Discord no longer knows the stored address. */
  "channel-paused": { userName: string; channel: string; pausedAt: string };
  /** What the operator has to say, or a test of the transport. */
  notice: { userName: string; title: string; text: string };
}

export type MailKind = keyof MailProps;

/** In order of urgency: for the first ones a person is waiting at a screen. */
export const MAIL_KINDS = [
  "sign-in",
  "try-out",
  "admin-sign-in",
  "admin-invitation",
  "admin-secret-used",
  "second-factor-locked",
  "account-deletion",
  "address-change",
  "address-changed",
  "owner-alert",
  "key-created",
  "key-rotated",
  "access-revoked",
  "access-suspended",
  "access-reinstated",
  "payment-failed",
  "renewed",
  "downtime-credited",
  "expiry-reminder",
  "plan-ending",
  "ea-offline",
  "webhook-paused",
  "channel-paused",
  "model-changed",
  "notice",
] as const satisfies readonly MailKind[];

/**
 * Mails with a link that signs in or changes an account. They go to the address that asked or was invited and are never
 * sent a second time. The sentence says who gets a new link, and how.
 */
export const NEW_LINK_INSTEAD = {
  "sign-in": "The link signs its recipient in. They get a new one by asking on the sign-in page.",
  "try-out": "The link gives its recipient a key. They get a new one by asking on the home page.",
  "admin-sign-in": "The link signs its recipient in. They get a new one by asking on the sign-in page.",
  "admin-invitation": "An owner sends a new invitation under Settings, People.",
  "account-deletion":
    "The link deletes an account. Its owner asks for a new one in the portal, under Settings.",
  "address-change":
    "The link changes an address. The account's owner asks for a new one in the portal, under Settings.",
} as const satisfies Partial<Record<MailKind, string>>;

/** Why a mail of this kind is never sent again; null when it may be. */
export const newLinkInstead = (kind: string): string | null =>
  Object.entries(NEW_LINK_INSTEAD).find(([name]) => name === kind)?.[1] ?? null;

/** Mails that cannot be written without their secret. */
export const KINDS_WITH_SECRET: ReadonlySet<MailKind> = new Set([
  "sign-in",
  "try-out",
  "admin-sign-in",
  "admin-invitation",
  "account-deletion",
  "address-change",
  "key-created",
  "key-rotated",
]);
