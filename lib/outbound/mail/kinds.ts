import type { PlanInterval } from "@/db/schema";
import type { AdminRole, PlanTier, RevokingEvent } from "@/lib/vocabulary";
import type { NewWay, StoredSignalDelivery } from "./signal-delivery";

/**
 * The kinds of mails and the values stored for each: no secrets, instants as ISO 8601 text. Addresses of pages are not
 * stored, but built when the mail is rendered. `paidUntil` is the end of the paid time, if days of grace follow it.
 * `delivery` says how the signals of the key arrive.
 */
export interface MailPropsByKind {
  /** Access was opened. `delayCandles` is set for a try-out key. Secret: the key. */
  "key-created": {
    userName: string;
    planTier: PlanTier;
    expiresAt: string | null;
    paidUntil?: string;
    /** The plans in order, if there are several. */
    stretches?: PlanInterval[];
    delayCandles?: number;
    /** The end had passed when the payment arrived. */
    isLate?: true;
  };
  /** A key was rotated, by the operator with `byOperator`. Secret: the new key; the old one is never mailed. */
  "key-rotated": {
    userName: string;
    rotatedAt: string;
    byOperator?: boolean;
    delivery?: StoredSignalDelivery;
  };
  /** A cancellation, refund or chargeback revoked keys. */
  "access-revoked": {
    userName: string;
    event: RevokingEvent;
    revokedAt: string;
    keysRevoked: number;
    /** Missing: false. */
    hasOtherPayments?: boolean;
    delivery?: StoredSignalDelivery;
  };
  /** A further payment extended a key or revived an expired one. */
  renewed: {
    userName: string;
    planTier: PlanTier;
    /** Decimal text; null: the platform sent no amount. */
    amount: string | null;
    currency: string | null;
    paidAt: string;
    expiresAt: string | null;
    paidUntil?: string | null;
    /** What the payment bought; missing in mails that a former release queued. */
    bought?: { planTier: PlanTier; days: number };
    /** The plans in order, if there are several. */
    stretches?: PlanInterval[];
    revived: boolean;
    /** How signals arrive now, if that has changed. */
    newWay?: NewWay;
    /** The end had passed when the payment arrived. */
    isLate?: true;
  };
  /** A payment failed; access still lasts until `expiresAt`. */
  "payment-failed": {
    userName: string;
    planTier: PlanTier;
    expiresAt: string;
    paidUntil?: string;
    /** The plans in order, if there are several. */
    stretches?: PlanInterval[];
  };
  /** The operator suspended a key. */
  "access-suspended": { userName: string; suspendedAt: string; delivery?: StoredSignalDelivery };
  /** A suspended key works again, or one that a chargeback or another subscriber's payment had revoked (`after`). */
  "access-reinstated": {
    userName: string;
    after?: "chargeback" | "other_payment";
    expiresAt: string | null;
    paidUntil?: string;
  };
  /** A requested sign-in link, which leads to `next`. Secret: the token of the link. */
  "sign-in": { expiresMinutes: number; next?: string };
  /** A visitor requested a try-out key. Secret: the token of the link. */
  "try-out": { expiresHours: number };
  /**
   * An invitation to administer the service, or a replaced authenticator. `invitedBy`: name of the owner; missing: the
   * administrator secret was used. Secret: the token of the link.
   */
  "admin-invitation": {
    name: string;
    role: AdminRole;
    expiresHours: number;
    isRenewal?: boolean;
    invitedBy?: string;
  };
  /** An administrator's requested sign-in link. Secret: the token of the link. */
  "admin-sign-in": { expiresMinutes: number };
  /** A browser signed in with the administrator secret. */
  "admin-secret-used": { at: string; address: string };
  /** Too many wrong codes for an administrator's authenticator. */
  "second-factor-locked": { name: string; wrongCodes: number; until: string };
  /** Confirmation of a requested account deletion. Secret: the token of the link. */
  "account-deletion": { userName: string; expiresMinutes: number };
  /** Confirmation of a new mail address, to both mailboxes. Secret: the token of the link. */
  "address-change": { userName: string; isNew: boolean; expiresMinutes: number };
  /** The mail address was changed or removed; to both mailboxes. `byOperator`: by an administrator. */
  "address-changed": { userName: string; isNew: boolean; byOperator?: boolean };
  /** Alerts for an owner, each with the path of its page. */
  "owner-alert": { name: string; items: { title: string; text: string; path: string }[] };
  /** Access ends in `daysLeft` days. */
  "expiry-reminder": {
    userName: string;
    planTier: PlanTier;
    expiresAt: string;
    paidUntil?: string;
    daysLeft: number;
    /** Whether the plan is for a trading client, or one has called; missing: true. */
    hasEa?: boolean;
  };
  /** The time of a plan is used up at `changesAt`, and time of a lower plan begins. */
  "plan-ending": {
    userName: string;
    planTier: PlanTier;
    nextPlan: PlanTier;
    changesAt: string;
    expiresAt: string | null;
    paidUntil?: string;
  };
  /** A trading client has been silent while the market is open. */
  "ea-offline": { userName: string; lastSeenAt: string; silentMinutes: number };
  /** A downtime credit extended access. */
  "downtime-credited": {
    userName: string;
    month: string;
    minutes: number;
    stretches: { from: string; to: string; what: string }[];
    expiresAt: string;
    paidUntil?: string;
  };
  /** Slots of the plan have a new champion. `slots` may list only some of these slots, `nSlots` is their number. */
  "model-changed": { userName: string; slots: { slot: string; modelV: string }[]; nSlots: number };
  /** The last attempt of a delivery failed, or the endpoint answered 410. `code`: why the last attempt failed. */
  "webhook-paused": { userName: string; host: string; code: string; attempts: number; pausedAt: string };
  /** A channel such as Discord no longer accepts the stored address. */
  "channel-paused": { userName: string; channel: string; pausedAt: string };
  /** A payment was moved to another subscriber, so that the key that it had created was revoked. */
  "payment-moved": { userName: string; reason: "renewal_link" | "two_addresses" };
  /** A notice of the operator, or an update of the status page. */
  notice: { userName: string; title: string; text: string };
  /** A test of the transport. */
  test: Record<string, never>;
  /** A recovery code signed an administrator in. */
  "recovery-code-used": { name: string; at: string; codesLeft: number };
}

export type MailKind = keyof MailPropsByKind;

/** In order of urgency: a person is waiting at a screen for the first ones. */
export const MAIL_KINDS = [
  "sign-in",
  "try-out",
  "admin-sign-in",
  "admin-invitation",
  "admin-secret-used",
  "second-factor-locked",
  "recovery-code-used",
  "account-deletion",
  "address-change",
  "address-changed",
  "owner-alert",
  "test",
  "key-created",
  "key-rotated",
  "access-revoked",
  "access-suspended",
  "access-reinstated",
  "payment-failed",
  "payment-moved",
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
 * Kinds of mails with a link that signs in, creates a key or changes an account, each with a sentence that says how to
 * get a new link. Such a mail is never sent again, and never to another address.
 */
export const NEW_LINK_HINTS = {
  "sign-in": "The link signs its recipient in. They get a new one by asking on the sign-in page.",
  "try-out": "The link creates a key for its recipient. They can request a new link on the home page.",
  "admin-sign-in": "The link signs its recipient in. They get a new one by asking on the sign-in page.",
  "admin-invitation": "An owner sends a new invitation under Settings, People.",
  "account-deletion":
    "The link deletes an account. Its owner asks for a new one in the portal, under Settings.",
  "address-change":
    "The link changes an address. The account's owner asks for a new one in the portal, under Settings.",
} as const satisfies Partial<Record<MailKind, string>>;

/** How to get a new link, because mails of this kind are never sent again; null: they may be sent again. */
export const newLinkHint = (kind: string): string | null =>
  Object.entries(NEW_LINK_HINTS).find(([name]) => name === kind)?.[1] ?? null;

/**
 * Kinds of mails that stay at their recipient when the subscriber's address changes: links, and the warning about it.
 */
export const KINDS_KEEPING_THEIR_RECIPIENT: readonly string[] = [
  ...Object.keys(NEW_LINK_HINTS),
  "address-changed" satisfies MailKind,
];

/** Mails that cannot be rendered without their secret. */
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
