import { FOREIGN_OPERATIONS, OPERATIONS } from "@/app/operations.generated";
import type { Access } from "@/lib/api/openapi/operation";
import { SETTINGS } from "@/lib/settings/registry";
import { CALLERS, type Caller } from "./callers";

const KEYS = [
  "the subscriber",
  "a telegram key",
  "a basic key",
  "a pro key",
  "an owner key",
  "the owner key of the environment",
] as const;
const SUBSCRIBERS = ["the subscriber's session", "another subscriber's session"] as const;

/** A caller who may read a subscriber's portal pages but change nothing. */
const VIEW = "a view of a subscriber";

const OWNERS = ["the administrator's session", "an owner's session"] as const;

interface Rule {
  /** Callers that the route accepts. */
  admits: readonly Caller[];
  /** Status for all other callers. */
  refuses: (caller: Caller) => number;
}

/** The kinds of protection of a route. */
export const ACCESS_RULES = {
  anyone: { admits: CALLERS, refuses: () => 0 },
  "a form for anyone": { admits: CALLERS, refuses: () => 0 },
  "a key": { admits: KEYS, refuses: () => 401 },
  "the administrator's secret": {
    admits: ["the administrator's secret"],
    refuses: (caller) => (caller === "a wrong secret" ? 403 : 401),
  },
  "the administrator's secret or a producer's token": {
    admits: ["the administrator's secret", "a producer's token"],
    refuses: (caller) => (caller === "a wrong secret" ? 403 : 401),
  },
  "a feed's token": { admits: [], refuses: () => 401 },
  // No caller has the signing secret.
  "a signature": { admits: [], refuses: () => 403 },
  "a subscriber's page": { admits: [...SUBSCRIBERS, VIEW], refuses: () => 307 },
  "a subscriber's news": { admits: [...SUBSCRIBERS, VIEW], refuses: () => 303 },
  "a subscriber's form or file": {
    admits: SUBSCRIBERS,
    refuses: (caller) => (caller === VIEW ? 403 : 303),
  },
  "a signed-in person's page": {
    admits: [...SUBSCRIBERS, "a session whose key was revoked"],
    refuses: () => 307,
  },
  "a signed-in person's form or file": {
    admits: [...SUBSCRIBERS, "a session whose key was revoked"],
    refuses: () => 303,
  },
  "the administrator's page": {
    admits: [...OWNERS, "a supporter's session", "a reader's session"],
    refuses: () => 307,
  },
  "a supporter's page": { admits: [...OWNERS, "a supporter's session"], refuses: () => 307 },
  "an owner's page": { admits: OWNERS, refuses: () => 307 },
  "a reader's file": {
    admits: [...OWNERS, "a supporter's session", "a reader's session"],
    refuses: () => 303,
  },
  "a supporter's form or file": { admits: [...OWNERS, "a supporter's session"], refuses: () => 303 },
  "an owner's form": { admits: OWNERS, refuses: () => 303 },
  // Development pages, missing from production builds.
  "not there": { admits: [], refuses: () => 404 },
} as const satisfies Record<string, Rule>;
export type AccessRuleName = keyof typeof ACCESS_RULES;

const RULE_OF_ACCESS: Record<Access, AccessRuleName> = {
  key: "a key",
  admin: "the administrator's secret",
  producer: "the administrator's secret or a producer's token",
  feed: "a feed's token",
  signature: "a signature",
  anyone: "anyone",
};

/** The rule of every route. A route that is neither declared as an operation nor listed below fails the test. */
export function ruleByRoute(): Map<string, AccessRuleName> {
  const rules = new Map<string, AccessRuleName>();
  for (const { method, path, access } of [...OPERATIONS, ...FOREIGN_OPERATIONS])
    rules.set(`${method.toUpperCase()} ${path}`, RULE_OF_ACCESS[access]);
  // The table's keys are the rule names.
  for (const [rule, routes] of Object.entries(TABLE))
    for (const route of routes) rules.set(route, rule as AccessRuleName);
  return rules;
}

/** Pages, forms and files, with their protection. */
const TABLE: Partial<Record<AccessRuleName, readonly string[]>> = {
  anyone: [
    "GET /",
    "GET /.well-known/security.txt",
    "GET /.well-known/signal-ledger",
    "GET /admin/{rest}",
    "GET /admin/sign-in",
    "GET /admin/sign-in/link",
    "GET /admin/sign-in/oidc",
    "GET /api/auth/callback/oidc",
    "GET /api/auth/{nextauth}",
    "POST /api/auth/{nextauth}",
    "GET /brand/{file}",
    "GET /changelog",
    "GET /docs",
    "GET /docs/{page}",
    "GET /docs/markdown/{page}",
    "GET /docs/search",
    "GET /imprint",
    "GET /login",
    "GET /login/account",
    "GET /login/account/done",
    "GET /login/confirm",
    "GET /login/mails",
    "GET /login/mails/decline",
    "GET /login/sent",
    "GET /login/try-out",
    "GET /models/{id}",
    "GET /llms.txt",
    "GET /privacy",
    "GET /r/{token}",
    "GET /r/{token}/badge.svg",
    "GET /record",
    "GET /record/{symbol}/{tf}",
    "GET /record/{symbol}/{tf}/entered-later.csv",
    "GET /record/{symbol}/{tf}/entered-later.ndjson",
    "GET /record/{symbol}/{tf}/signals.csv",
    "GET /record/{symbol}/{tf}/signals.ndjson",
    "GET /record/{symbol}/{tf}/tester.csv",
    "GET /risk",
    "GET /security",
    "GET /status",
    "GET /status/badge.svg",
    "GET /status/feed.json",
    "GET /terms",
    "GET /verify",
  ],
  "a form for anyone": [
    "POST /admin/sign-in/by-mail",
    "POST /admin/sign-in/enter",
    "POST /admin/sign-in/link/confirm",
    "POST /login/account/confirm",
    "POST /login/mails/decline",
    "POST /admin/sign-out",
    "POST /login/by-key",
    "POST /login/try",
    "POST /login/try-out/confirm",
    "POST /login/try-out/request",
    "POST /login/by-link",
    "POST /login/request-link",
    "POST /login/sign-out",
  ],
  "a subscriber's page": [
    "GET /login/texts",
    "GET /portal",
    "GET /portal/delivery",
    "GET /portal/delivery/webhooks/{id}",
    "GET /portal/delivery/webhooks/{id}/secret",
    "GET /portal/executions",
    "GET /portal/executions/{id}",
    "GET /portal/executions/list",
    "GET /portal/key",
    "GET /portal/key/new",
    "GET /portal/payments",
    "GET /portal/record",
    "GET /portal/settings",
    "GET /portal/setup",
    "GET /portal/signals",
    "GET /portal/signals/history",
    "GET /portal/signals/{symbol}/{tf}",
    "GET /portal/{rest}",
  ],
  "a subscriber's news": ["GET /portal/live"],
  "a subscriber's form or file": [
    "POST /login/texts/accept",
    "POST /portal/act?intent=clock",
    "POST /portal/delivery/channels/{channel}/act?intent=remove",
    "POST /portal/delivery/channels/{channel}/act?intent=save",
    "POST /portal/delivery/channels/{channel}/act?intent=test",
    "POST /portal/delivery/act?intent=link-telegram",
    "POST /portal/delivery/act?intent=unlink-telegram",
    "POST /portal/delivery/act?intent=create-webhook",
    "POST /portal/delivery/webhooks/{id}/act?intent=again",
    "POST /portal/delivery/webhooks/{id}/act?intent=delete",
    "POST /portal/delivery/webhooks/{id}/act?intent=pause",
    "POST /portal/delivery/webhooks/{id}/act?intent=resume",
    "POST /portal/delivery/webhooks/{id}/act?intent=rotate",
    "POST /portal/delivery/webhooks/{id}/act?intent=save",
    "POST /portal/delivery/webhooks/{id}/act?intent=test",
    "GET /portal/executions/export",
    "GET /portal/signals/{symbol}/{tf}/tester.csv",
    "POST /portal/key/act?intent=rotate",
    "GET /portal/payments/export",
    "POST /portal/signals/act?intent=pause",
    "POST /portal/signals/act?intent=resume",
    "POST /portal/record/act?intent=share",
    "POST /portal/record/act?intent=withdraw",
    "POST /portal/act?intent=seen",
    "GET /portal/settings/my-data",
    "POST /portal/settings/act?intent=address",
    "POST /portal/settings/act?intent=cancel-address",
    "POST /portal/settings/act?intent=delete-account",
    "POST /portal/settings/act?intent=save",
    "POST /portal/settings/act?intent=sign-out-everywhere",
  ],
  "a signed-in person's page": ["GET /login/subscriptions"],
  "a signed-in person's form or file": [
    "POST /login/pick",
    "POST /login/subscriptions/act?intent=delete-account",
    "GET /login/subscriptions/{id}/my-data",
    "GET /login/subscriptions/{id}/payments",
  ],
  "the administrator's page": [
    "GET /admin",
    "GET /admin/delivery",
    "GET /admin/feeds",
    "GET /admin/mail",
    "GET /admin/mail/notice",
    "GET /admin/mail/templates",
    "GET /admin/mail/{id}",
    "GET /admin/models",
    "GET /admin/models/{symbol}/{tf}",
    "GET /admin/models/upload",
    "GET /admin/operations",
    "GET /admin/operations/audit",
    "GET /admin/payments",
    "GET /admin/payments/credits",
    "GET /admin/payments/platforms",
    "GET /admin/payments/weeks",
    "GET /admin/payments/{id}",
    "GET /admin/recovery-codes",
    "GET /admin/settings",
    "GET /admin/settings/access",
    "GET /admin/settings/brand",
    "GET /admin/settings/calendars",
    "GET /admin/settings/plans",
    "GET /admin/settings/plans/new",
    "GET /admin/settings/plans/{name}",
    "GET /admin/settings/products",
    "GET /admin/settings/service",
    "GET /admin/settings/symbols",
    "GET /admin/settings/texts",
    "GET /admin/settings/texts/{name}",
    "GET /admin/settings/thresholds",
    "GET /admin/settings/transfer",
    "GET /admin/setup",
    "GET /admin/signals",
    "GET /admin/signals/{symbol}/{tf}",
    "GET /admin/status",
    "GET /admin/subscribers",
    "GET /admin/search",
    "GET /admin/subscribers/extend",
    "GET /admin/subscribers/stop",
    "GET /admin/subscribers/{id}",
  ],
  "a supporter's page": ["GET /admin/subscribers/new", "GET /admin/subscribers/{id}/key"],
  "an owner's page": ["GET /admin/alerts", "GET /admin/settings/people"],
  "an owner's form": [
    "POST /admin/alerts/act?intent=save",
    "POST /admin/alerts/act?intent=test",
    // The form of every setting in the registry.
    ...SETTINGS.map(({ address }) => `POST /admin/settings/${address}`),
    "POST /admin/settings/brand/logo",
    "POST /admin/settings/calendars/act?intent=remove-own",
    "POST /admin/settings/calendars/act?intent=save-own",
    "POST /admin/settings/calendars/remove",
    "POST /admin/settings/calendars/save",
    "POST /admin/settings/texts/{name}/save",
    "POST /admin/settings/thresholds/slot",
    "POST /admin/settings/people/invite",
    "POST /admin/settings/people/{id}/invite-again",
    "POST /admin/settings/people/{id}/remove",
    "POST /admin/settings/people/{id}/renew-factor",
    "POST /admin/settings/people/new-codes",
    "POST /admin/settings/people/{id}/role",
    "POST /admin/settings/plans/{name}/save",
    "POST /admin/settings/products/remove",
    "POST /admin/settings/products/save",
    "POST /admin/settings/symbols/save",
    "POST /admin/feeds/act?intent=candles",
    "POST /admin/feeds/act?intent=create-token",
    "POST /admin/feeds/act?intent=revoke-token",
    "POST /admin/models/act?intent=beside",
    "POST /admin/models/act?intent=create-token",
    "POST /admin/models/act?intent=promote",
    "POST /admin/models/act?intent=retire",
    "POST /admin/models/act?intent=revoke-token",
    "POST /admin/mail/act?intent=notice",
    "POST /admin/models/upload/act?intent=upload",
    "POST /admin/settings/transfer/act?intent=import",
    "POST /admin/settings/transfer/act?intent=preview",
    "GET /admin/settings/transfer/settings.json",
    "POST /admin/setup/act?intent=hide",
    "POST /admin/setup/act?intent=show",
    "POST /admin/subscribers/{id}/act?intent=delete-account",
    "POST /admin/payments/credits/decline",
    "POST /admin/payments/credits/{id}/decline",
    "POST /admin/secrets/{name}/act?intent=end-former",
    "POST /admin/secrets/{name}/act?intent=remove",
    "POST /admin/secrets/{name}/act?intent=store",
    "POST /admin/secrets/{name}/act?intent=try",
    "POST /admin/subscribers/act?intent=extend-many",
    "POST /admin/subscribers/act?intent=stop-many",
  ],
  "a reader's file": [
    "GET /admin/mail/templates/{file}",
    "GET /admin/mail/{id}/preview.html",
    "GET /admin/search/found",
  ],
  "a supporter's form or file": [
    "POST /admin/delivery/act?intent=again",
    "POST /admin/mail/act?intent=test",
    "POST /admin/mail/{id}/act?intent=resend",
    "GET /admin/operations/export/{what}",
    "POST /admin/payments/platforms/{adapter}/test",
    "POST /admin/payments/shared-addresses",
    "POST /admin/payments/{id}/give-back",
    "POST /admin/payments/{id}/reapply",
    "POST /admin/payments/{id}/reveal",
    "POST /admin/payments/{id}/review",
    "POST /admin/payments/{id}/won",
    "POST /admin/status/act?intent=announce",
    "POST /admin/status/act?intent=post",
    "POST /admin/status/act?intent=update",
    "POST /admin/status/act?intent=withdraw",
    "POST /admin/signals/act?intent=pause",
    "POST /admin/signals/act?intent=end-pause",
    "POST /admin/subscribers/act?intent=create",
    "POST /admin/subscribers/{id}/act?intent=key-mail",
    "POST /admin/subscribers/{id}/act?intent=contact",
    "POST /admin/subscribers/{id}/act?intent=extend",
    "POST /admin/subscribers/{id}/act?intent=grant",
    "POST /admin/subscribers/{id}/act?intent=issue",
    "POST /admin/subscribers/{id}/act?intent=make-full",
    "POST /admin/subscribers/{id}/act?intent=reinstate",
    "POST /admin/subscribers/{id}/act?intent=replace",
    "POST /admin/subscribers/{id}/act?intent=revoke",
    "POST /admin/subscribers/{id}/act?intent=stop-try-out",
    "POST /admin/subscribers/{id}/act?intent=suspend",
    "POST /admin/subscribers/{id}/act?intent=view",
    "POST /admin/subscribers/{id}/act?intent=end-view",
  ],
  "not there": ["GET /gallery"],
};

/** Routes that end the caller's session or replace the caller's key. */
export const CREDENTIAL_ENDING_ROUTES: readonly string[] = [
  "POST /api/account/regenerate-key",
  "POST /portal/settings/act?intent=sign-out-everywhere",
  "POST /login/sign-out",
  "POST /admin/sign-out",
];

/**
 * Statuses of accepted callers where they may differ from 200 for a page or file, 303 for a form and the documented one
 * for an operation. Most path parameters are ids of missing things.
 */
export const UNUSUAL_STATUSES: Readonly<Record<string, readonly number[]>> = {
  "DELETE /admin/keys/{key_id}": [404],
  "POST /mcp": [200],
  "GET /admin/payments/{id}": [404],
  "GET /admin/settings/plans/{name}": [404],
  "GET /admin/settings/texts/{name}": [404],
  "GET /brand/{file}": [404],
  // No texts need acceptance.
  "GET /login/texts": [307],
  "GET /portal/{rest}": [404],
  "GET /models/{id}": [404],
  "GET /docs/{page}": [404],
  "GET /docs/markdown/{page}": [404],
  "GET /r/{token}": [404],
  "GET /r/{token}/badge.svg": [404],
  "GET /portal/delivery/webhooks/{id}": [404],
  "GET /portal/executions/{id}": [404],
  "GET /login/subscriptions/{id}/my-data": [404],
  "GET /login/subscriptions/{id}/payments": [404],
  // No secret is available.
  "GET /portal/delivery/webhooks/{id}/secret": [307],
  // An empty ledger has no checkpoint.
  "GET /api/public/ledger/checkpoint": [404],
  // No signal has a complete horizon, and none has the example's number.
  "GET /record/{symbol}/{tf}/tester.csv": [404],
  "GET /portal/signals/{symbol}/{tf}/tester.csv": [404],
  "POST /api/executions/not-traded": [422],
  // JSON for programs; a browser without a session is redirected to sign-in.
  "GET /admin/{rest}": [404, 307],
  // A required parameter is missing.
  "GET /api/public/ledger/entries": [422],
  "GET /api/public/ledger/proof": [422],
  "GET /api/public/ledger/consistency": [422],
  "GET /api/public/candles": [422],
  // The codes were already shown, and the link is invalid.
  "GET /admin/recovery-codes": [307],
  "GET /admin/sign-in/link": [307],
  // No identity provider is configured.
  "GET /admin/sign-in/oidc": [303],
  "GET /api/auth/callback/oidc": [303],
  // Redirects to the page with the button.
  "GET /login/mails/decline": [303],
  // Already signed in.
  "GET /admin/sign-in": [200, 307],
  "GET /login": [200, 307],
  // No new key is available.
  "GET /portal/key/new": [307],
  // An empty system is unhealthy.
  "GET /api/health": [503],
  // next-auth accepts no form here.
  "POST /api/auth/{nextauth}": [405],
  // The owner's key is set in the environment.
  "POST /api/account/regenerate-key": [200, 409],
  // A caller may have one download at a time, and the matrix sends requests concurrently.
  "GET /portal/executions/export": [200, 429],
  "GET /portal/payments/export": [200, 429],
  "GET /portal/settings/my-data": [200, 429],
  "GET /admin/operations/export/{what}": [200, 429],
};
