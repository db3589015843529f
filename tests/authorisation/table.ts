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

interface Rule {
  /** Whom the route lets in. */
  admits: readonly Caller[];
  /** Status for everybody else. */
  refuses: (caller: Caller) => number;
}

/** The ways in which a route may be guarded. */
export const RULES = {
  anyone: { admits: CALLERS, refuses: () => 0 },
  "a form for anyone": { admits: CALLERS, refuses: () => 0 },
  "a key": { admits: KEYS, refuses: () => 401 },
  "the administrator's secret": {
    admits: ["the administrator's secret"],
    refuses: (caller) => (caller === "a wrong secret" ? 403 : 401),
  },
  "a feed's token": { admits: [], refuses: () => 401 },
  // None of the callers can sign.
  "a signature": { admits: [], refuses: () => 403 },
  "a subscriber's page": { admits: SUBSCRIBERS, refuses: () => 307 },
  "a subscriber's form or file": { admits: SUBSCRIBERS, refuses: () => 303 },
  "a signed-in person's page": {
    admits: [...SUBSCRIBERS, "a session whose key was revoked"],
    refuses: () => 307,
  },
  "a signed-in person's form": {
    admits: [...SUBSCRIBERS, "a session whose key was revoked"],
    refuses: () => 303,
  },
  "the administrator's page": { admits: ["the administrator's session"], refuses: () => 307 },
  "the administrator's form or file": { admits: ["the administrator's session"], refuses: () => 303 },
  // Drawn for those who work on the site, and in no production build.
  "not there": { admits: [], refuses: () => 404 },
} as const satisfies Record<string, Rule>;
export type RuleName = keyof typeof RULES;

/** Every route of the product and how it is guarded. A route that is missing here fails the test. */
export const TABLE: Record<RuleName, readonly string[]> = {
  anyone: [
    "GET /",
    "GET /.well-known/security.txt",
    "GET /.well-known/signal-ledger",
    "GET /admin/sign-in",
    "GET /api/auth/{nextauth}",
    "POST /api/auth/{nextauth}",
    "GET /api/health",
    "GET /api/health/live",
    "GET /api/health/ready",
    "GET /api/public/calibration",
    "GET /api/public/candles",
    "GET /api/public/ledger/checkpoint",
    "GET /api/public/ledger/consistency",
    "GET /api/public/ledger/entries",
    "GET /api/public/ledger/proof",
    "GET /api/public/models",
    "GET /api/public/record",
    "GET /api/public/signals",
    "GET /api/public/stats",
    "GET /changelog",
    "GET /docs",
    "GET /docs/authentication",
    "GET /docs/ea-kit",
    "GET /docs/errors",
    "GET /docs/executions",
    "GET /docs/limits",
    "GET /docs/live",
    "GET /docs/metatrader",
    "GET /docs/reference",
    "GET /docs/signals",
    "GET /docs/telegram",
    "GET /docs/webhooks",
    "GET /docs/webhooks-out",
    "GET /login",
    "GET /login/confirm",
    "GET /login/sent",
    "GET /models/{id}",
    "GET /openapi.json",
    "GET /record",
    "GET /record/{symbol}/{tf}",
    "GET /security",
    "GET /status",
    "GET /status/badge.svg",
    "GET /status/feed.json",
    "GET /verify",
  ],
  "a form for anyone": [
    "POST /admin/sign-in/enter",
    "POST /admin/sign-out",
    "POST /login/by-key",
    "POST /login/by-link",
    "POST /login/request-link",
    "POST /login/sign-out",
  ],
  "a key": [
    "GET /api/account/executions",
    "GET /api/account/me",
    "POST /api/account/regenerate-key",
    "GET /api/account/signals",
    "GET /api/calibration",
    "GET /api/ea-status",
    "POST /api/executions",
    "GET /api/history/predictions",
    "GET /api/models",
    "GET /api/performance",
    "GET /api/scan",
    "GET /api/signals/{symbol}/{tf}",
    "GET /api/status",
    "GET /api/stream",
  ],
  "the administrator's secret": [
    "POST /admin/ingest/candles",
    "POST /admin/ingest/features",
    "POST /admin/ingest/models",
    "POST /admin/ingest/signals",
    "GET /admin/keys",
    "POST /admin/keys",
    "DELETE /admin/keys/{key_id}",
    "GET /admin/monitoring-data",
    "GET /metrics",
  ],
  // None of the callers has one.
  "a feed's token": ["POST /api/feed/bars"],
  "a signature": ["POST /webhooks/payment", "POST /webhooks/payments"],
  "a subscriber's page": [
    "GET /portal",
    "GET /portal/delivery",
    "GET /portal/delivery/webhooks/{id}",
    "GET /portal/delivery/webhooks/{id}/secret",
    "GET /portal/executions",
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
  "a subscriber's form or file": [
    "POST /portal/clock",
    "POST /portal/delivery/telegram/link",
    "POST /portal/delivery/telegram/unlink",
    "POST /portal/delivery/webhooks/create",
    "POST /portal/delivery/webhooks/{id}/again",
    "POST /portal/delivery/webhooks/{id}/delete",
    "POST /portal/delivery/webhooks/{id}/pause",
    "POST /portal/delivery/webhooks/{id}/resume",
    "POST /portal/delivery/webhooks/{id}/rotate",
    "POST /portal/delivery/webhooks/{id}/save",
    "POST /portal/delivery/webhooks/{id}/test",
    "GET /portal/executions/export",
    "POST /portal/key/rotate",
    "GET /portal/live",
    "GET /portal/payments/export",
    "POST /portal/seen",
    "GET /portal/settings/my-data",
    "POST /portal/settings/save",
    "POST /portal/settings/sign-out-everywhere",
  ],
  "a signed-in person's page": ["GET /login/subscriptions"],
  "a signed-in person's form": ["POST /login/pick"],
  "the administrator's page": [
    "GET /admin",
    "GET /admin/delivery",
    "GET /admin/feeds",
    "GET /admin/mail",
    "GET /admin/mail/templates",
    "GET /admin/mail/{id}",
    "GET /admin/models",
    "GET /admin/models/{symbol}/{tf}",
    "GET /admin/operations",
    "GET /admin/operations/audit",
    "GET /admin/payments",
    "GET /admin/payments/{id}",
    "GET /admin/signals",
    "GET /admin/signals/{symbol}/{tf}",
    "GET /admin/subscribers",
    "GET /admin/subscribers/new",
    "GET /admin/subscribers/{id}",
    "GET /admin/subscribers/{id}/key",
  ],
  "the administrator's form or file": [
    "POST /admin/delivery/again",
    "POST /admin/feeds/tokens/create",
    "POST /admin/feeds/tokens/{id}/revoke",
    "GET /admin/mail/templates/{file}",
    "GET /admin/mail/{id}/preview.html",
    "POST /admin/mail/{id}/resend",
    "POST /admin/operations/announce",
    "GET /admin/operations/export/{what}",
    "POST /admin/operations/maintenance/{id}/withdraw",
    "POST /admin/payments/{id}/give-back",
    "POST /admin/payments/{id}/reapply",
    "POST /admin/payments/{id}/reveal",
    "POST /admin/payments/{id}/review",
    "POST /admin/subscribers/create",
    "POST /admin/subscribers/{id}/contact",
    "POST /admin/subscribers/{id}/extend",
    "POST /admin/subscribers/{id}/grant",
    "POST /admin/subscribers/{id}/issue",
    "POST /admin/subscribers/{id}/reinstate",
    "POST /admin/subscribers/{id}/replace",
    "POST /admin/subscribers/{id}/revoke",
    "POST /admin/subscribers/{id}/suspend",
  ],
  "not there": ["GET /gallery"],
};

/** Routes whose call uses up what the caller came with. */
export const ENDING: readonly string[] = [
  "POST /api/account/regenerate-key",
  "POST /portal/settings/sign-out-everywhere",
  "POST /login/sign-out",
  "POST /admin/sign-out",
];

/**
 * Statuses for callers who are let in where they are not 200 for a page or file, 303 for a form and the documented one
 * for an operation: the addresses of the matrix name things that are not there, so that nothing is changed by it.
 */
export const OTHERWISE: Readonly<Record<string, readonly number[]>> = {
  "DELETE /admin/keys/{key_id}": [404],
  "GET /admin/payments/{id}": [404],
  "GET /portal/{rest}": [404],
  "GET /models/{id}": [404],
  "GET /portal/delivery/webhooks/{id}": [404],
  // There is no secret to show.
  "GET /portal/delivery/webhooks/{id}/secret": [307],
  // An empty ledger has no checkpoint.
  "GET /api/public/ledger/checkpoint": [404],
  // They want to know which.
  "GET /api/public/ledger/entries": [422],
  "GET /api/public/ledger/proof": [422],
  "GET /api/public/ledger/consistency": [422],
  "GET /api/public/candles": [422],
  // Signed in already.
  "GET /admin/sign-in": [200, 307],
  "GET /login": [200, 307],
  // There is no new key to show.
  "GET /portal/key/new": [307],
  // An empty system is in bad health.
  "GET /api/health": [503],
  // next-auth takes no form here.
  "POST /api/auth/{nextauth}": [405],
  // The owner's key stands in the environment.
  "POST /api/account/regenerate-key": [200, 409],
  // One at a time for its owner: callers of the matrix meet.
  "GET /portal/executions/export": [200, 429],
  "GET /portal/payments/export": [200, 429],
  "GET /portal/settings/my-data": [200, 429],
  "GET /admin/operations/export/{what}": [200, 429],
};
