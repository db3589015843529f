/** API changes, newest first. `date` is the UTC day of the release. */
export const CHANGELOG_ENTRIES: readonly { version: string; date: string; changes: readonly string[] }[] = [
  {
    version: "1.3.0",
    date: "2026-11-27",
    changes: [
      "The record counts only signals that were committed in time. Signals entered later are listed separately: entered_later on GET /api/public/record, and its own files.",
      "GET /api/public/record: coverage, and a verdict over all slots together.",
      "The header Signal-Receipt on GET /api/scan and /api/signals: the ledger's signature over the answer. The verifier checks a saved answer (--receipt) and a head that you kept (--head).",
      "A close is recorded whatever the client's clock or label says. JSON errors name the field at which a body ends.",
      "Streams recognise an event id of another history, and of a signal that was replaced.",
      "POST /admin/ingest/*: a producer token of named slots in X-Producer-Token, and check=true, which stores nothing.",
      "auc_wf and pf_wf of the baseline; n_wf on GET /api/public/models. Slots of W1 and MN1 have signals.",
      "Discord: signals, results and incidents as messages of a channel's webhook.",
      "The portal leads with the EA's state and today's result, and an open page outlives an outage of the service.",
      "/record: growth and drawdown in percent, months of all slots, the distribution of results and the last 20 trades.",
    ],
  },
  {
    version: "1.2.0",
    date: "2026-11-26",
    changes: [
      "Webhook endpoints for Stripe, Paddle, Lemon Squeezy, Whop and Gumroad beside the generic one.",
      "Execution reports take volume, commission, swap, currency, magic and comment; GET /api/account/executions?expand=details returns them.",
      "GET /api/scan?expand=range: quantiles of the largest move within 12 candles. GET /api/calibration?expand=ranges: how often they held.",
      "POST /mcp: read-only tools of the Model Context Protocol with the same key, plan and limit.",
      "403 not_in_plan where a plan does not include long polling or the stream; plan_tier may hold plans that the operator adds.",
      "The operator can pause slots; the header Paused-Slots of GET /api/scan names them.",
      "The EA kit for MetaTrader 4, and TypeScript and Python clients that can be installed.",
      "The portal: a page for each position, actionable signals as cards, downloads of a slot's history, a public link to your record.",
      "Change your address and delete your account under Settings.",
    ],
  },
  {
    version: "1.1.0",
    date: "2026-11-22",
    changes: [
      "Every signal has a number in the order of commit; the header Signal-Seq of GET /api/scan names the newest.",
      "GET /api/scan?wait=25 with If-None-Match answers as soon as the list changes.",
      "GET /api/stream: signals, champions and the state of the service as server-sent events, with replay by number.",
      "Webhooks (plan Pro) and Telegram (every plan): signals and results are sent to you. See the portal, page Delivery.",
      "The header Next-Signal-At of GET /api/scan names the next close of a candle in scope.",
      "The portal's page My record: signals made, fetched, followed and closed, and the way from the model's result to yours.",
      "The EA kit and the Python client use long polling instead of one request a minute.",
      "GET /api/public/record, calibration, models and signals: results, forecasts and sealed claims for anyone, beside a coin and the class frequencies.",
      "A ledger of every signal, outcome and claim under GET /api/public/ledger, and /verify/verify.mjs, which recomputes the record from it.",
    ],
  },
  {
    version: "1.0.0",
    date: "2026-11-21",
    changes: [
      "The first release: signals per slot, execution reports, account and key management, health and public figures.",
      "Opt-in ?expand=validity on GET /api/scan: pred_id, valid_until, age_minutes and stale for each signal.",
      "A closing report is accepted for 72 hours after a key has expired.",
      "The EA kit: an MQL5 include, a sample EA and a Python client.",
    ],
  },
];
