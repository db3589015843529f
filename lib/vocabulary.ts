/**
 * The product's vocabulary, each list defined once: schema, SQL checks, contracts, pages and mails use these. Imports
 * nothing.
 */

/** The plans of the specification, the lowest rank first. They always exist; an operator may add others. */
export const BUILT_IN_PLAN_TIERS = ["telegram", "basic", "pro", "owner"] as const;
/** Name of a plan: `plan_tier` on the wire. */
export type PlanTier = string;
export const PLAN_NAME_PATTERN = /^[a-z][a-z0-9_-]{1,23}$/;

/** Names of subscribers whose name is unknown. They are not used to address a person. */
export const PLACEHOLDER_NAMES = { buyer: "Subscriber", visitor: "Visitor" } as const;

export const isPlaceholderName = (name: string): boolean =>
  Object.values<string>(PLACEHOLDER_NAMES).includes(name);

/** Directions of a signal, in the order of every triple of probabilities. */
export const DIRECTIONS = ["BUY", "SELL", "NO_TRADE"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Sides of a position. */
export const SIDES = ["BUY", "SELL"] as const satisfies readonly Direction[];
export type Side = (typeof SIDES)[number];

/**
 * Maximum delay of a try-out key, in candles. After 12 candles, the horizon of the outcome rule, a signal's outcome
 * can be computed, and the public record shows both.
 */
export const MAX_TRY_OUT_DELAY_CANDLES = 12;

/** The timeframes of MetaTrader 5, shortest first. */
// biome-ignore format: minutes, hours, longer
export const TIMEFRAMES = [
  "M1", "M2", "M3", "M4", "M5", "M6", "M10", "M12", "M15", "M20", "M30",
  "H1", "H2", "H3", "H4", "H6", "H8", "H12",
  "D1", "W1", "MN1",
] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];

/** Unit of the round-trip cost: price units, or a fraction of the entry price. */
export const COST_UNITS = ["absolute", "fraction"] as const;
export type CostUnit = (typeof COST_UNITS)[number];

/** How a position that follows a signal ends: by take-profit, by stop loss, or at the end of the horizon. */
export const EXIT_REASONS = ["TP", "SL", "TIMEOUT"] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** Effect of a training run on the slot's champion. */
export const CHAMPION_CHANGES = ["kept", "promoted", "demoted"] as const;
export type ChampionChange = (typeof CHAMPION_CHANGES)[number];

/**
 * Whose models forecast a slot, as the operator chose: the built-in ones, the operator's (`own`), or both. With `both`,
 * subscribers receive the signals of one; the other forecasts the same candles for comparison.
 */
export const FORECAST_SOURCES = ["built_in", "own", "both"] as const;
export type ForecastSource = (typeof FORECAST_SOURCES)[number];

/** How a subscription fetched a signal: scan, scan that waited (long poll), stream, or history of the slot. */
export const SIGNAL_FETCH_WAYS = ["scan", "wait", "stream", "history"] as const;
export type SignalFetchWay = (typeof SIGNAL_FETCH_WAYS)[number];

/** The built-in calendars. Others are rows of the database. */
export const BUILT_IN_CALENDARS = ["fx", "metal", "energy", "us_index", "us_share", "crypto"] as const;
export type BuiltInCalendar = (typeof BUILT_IN_CALENDARS)[number];
/** Name of a trading calendar: built-in or the operator's. */
export type CalendarName = string;
export const CALENDAR_NAME_PATTERN = /^[a-z][a-z0-9_]{1,23}$/;
/** Calendars that the database contains from the start. The operator can change but not remove them. */
export const PRESET_CALENDARS = ["de_index", "uk_index", "jp_index"] as const;

/** The operator's overrides of a day: no trading, an early close, or trading despite the rules. */
export const DAY_OVERRIDE_KINDS = ["closed", "early", "open"] as const;
export type DayOverrideKind = (typeof DAY_OVERRIDE_KINDS)[number];

/** Why a stored candle may be wrong: a price spike, or a split of the share. */
export const ODD_CANDLE_KINDS = ["bad_tick", "split"] as const;
export type OddCandleKind = (typeof ODD_CANDLE_KINDS)[number];

/** Legal texts and notices that the operator writes for the site. */
export const SITE_TEXTS = ["terms", "privacy", "imprint", "risk", "hypothetical"] as const;
export type SiteTextName = (typeof SITE_TEXTS)[number];
/** Texts that a subscriber has to accept, if the operator has written them. */
export const TEXTS_TO_ACCEPT = ["terms", "risk"] as const satisfies readonly SiteTextName[];

/** Accepted file types of a logo. */
export const LOGO_TYPES = ["image/png", "image/webp"] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/**
 * State of a candle feed. `waiting`: not started yet, or retries after a failure. `held`: its candles are not stored,
 * because its clock differs too much from this service's. `refused`: the source rejects the requests, and an
 * administrator must act.
 */
export const FEED_STATES = ["ok", "waiting", "held", "refused"] as const;
export type FeedState = (typeof FEED_STATES)[number];

/**
 * Feeds whose terms forbid showing their candles to others. The candles of these feeds are not published unless the
 * operator allows it.
 */
export const NO_REDISTRIBUTION_FEEDS: readonly string[] = ["oanda", "dukascopy"];

/** State of a trading client, by the time since its last call. */
export const EA_STATES = ["online", "delayed", "offline", "never"] as const;
export type EaStateName = (typeof EA_STATES)[number];
/** Minutes after the last call up to which a client is `online`. */
export const EA_ONLINE_MINUTES = 5;
/** Minutes after the last call up to which a client is `delayed`; later it is `offline`. */
export const EA_DELAYED_MINUTES = 30;

/** Hours after expiry or suspension in which a key may still report closed positions. */
export const CLOSE_ONLY_HOURS = 72;

/** State of the service and of each component. */
export const HEALTH_STATES = ["ok", "degraded", "down"] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/**
 * State of the read replica: it copies this database (`follows`), answers but does not copy it (`apart`), or does not
 * answer (`silent`).
 */
export const READ_REPLICA_STATES = ["follows", "apart", "silent"] as const;

/** Why a load balancer should send no requests to a process. */
export const NOT_READY_REASONS = ["stopping", "database_unavailable", "schema_not_current"] as const;
export type NotReadyReason = (typeof NOT_READY_REASONS)[number];

/** Severity of an incident. */
export const INCIDENT_SEVERITIES = ["degraded", "down"] as const satisfies readonly HealthState[];
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

/** Stage of an incident in its updates; `update` leaves the stage unchanged. */
export const INCIDENT_STAGES = ["investigating", "identified", "monitoring", "update", "resolved"] as const;
export type IncidentStage = (typeof INCIDENT_STAGES)[number];

/** State of a queued mail. `dead`: no further attempt is made. */
export const MAIL_STATES = ["pending", "sent", "dead"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** Events of subscribers' webhooks. */
export const WEBHOOK_EVENTS = ["signal.created", "signal.resolved", "model.changed", "key.expiring"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** Event of a subscriber's test of an endpoint. */
export const WEBHOOK_TEST_EVENT = "endpoint.test";

/** State of a webhook endpoint. */
export const WEBHOOK_ENDPOINT_STATES = ["active", "paused"] as const;
export type WebhookEndpointState = (typeof WEBHOOK_ENDPOINT_STATES)[number];
/** Why an endpoint is paused: by its owner, after ten failed attempts of one delivery, or after status 410. */
export const WEBHOOK_PAUSE_REASONS = ["by_owner", "failing", "gone"] as const;
export type WebhookPauseReason = (typeof WEBHOOK_PAUSE_REASONS)[number];

/**
 * State of a delivery to a webhook or a channel. `dead`: no further attempt is made. `dropped`: not sent, because it
 * was no longer due or the receiver no longer had access.
 */
export const OUTBOUND_DELIVERY_STATES = ["pending", "sent", "dead", "dropped"] as const;
export type OutboundDeliveryState = (typeof OUTBOUND_DELIVERY_STATES)[number];

/** Kinds of Telegram messages: signals, a notice of the service, or the answer to a command. */
export const TELEGRAM_MESSAGE_KINDS = ["signals", "notice", "reply"] as const;
export type TelegramMessageKind = (typeof TELEGRAM_MESSAGE_KINDS)[number];
/** State of a Telegram message. `doubtful`: it is unknown whether it arrived, so it is not sent again. */
export const TELEGRAM_MESSAGE_STATES = ["pending", "sending", "sent", "doubtful", "dead", "dropped"] as const;
export type TelegramMessageState = (typeof TELEGRAM_MESSAGE_STATES)[number];

/**
 * Channels whose recipients are addresses that subscribers enter. They share their tables; each one is a file of
 * `lib/outbound/channels`.
 */
export const ADDRESS_CHANNEL_NAMES = ["discord"] as const;
export type AddressChannelName = (typeof ADDRESS_CHANNEL_NAMES)[number];
/** Events that a recipient of one of ADDRESS_CHANNEL_NAMES can choose; webhooks and Telegram have their own. */
export const RECIPIENT_EVENTS = ["signal.created", "signal.no_trade", "signal.resolved", "incident"] as const;
export type RecipientEventName = (typeof RECIPIENT_EVENTS)[number];

/**
 * State of a key for requests. `closing`: the time after its end in which closings are still accepted;
 * `suspended-closing`: the same after a suspension.
 */
export const KEY_STATES = [
  "live",
  "closing",
  "expired",
  "suspended-closing",
  "suspended",
  "rotated",
  "revoked",
] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** State of a subscriber's newest key for the operator: a rotated key counts as revoked. */
export const ACCESS_STATES = ["active", "expired", "suspended", "revoked", "none"] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

/** Bulk actions on keys: `suspend` can be undone by `reinstate`, `revoke` cannot. */
export const BULK_KEY_ACTIONS = ["suspend", "revoke", "reinstate"] as const;
export type BulkKeyAction = (typeof BULK_KEY_ACTIONS)[number];

/** Roles of administrators: each includes the permissions of those after it. */
export const ADMIN_ROLES = ["owner", "support", "reader"] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Kinds of sessions. `view`: an administrator looking at a subscriber's portal. */
export const SESSION_ROLES = ["subscriber", "admin", "view"] as const;

/** State of an invoice: paid, or ended by a cancellation, refund or chargeback. */
export const INVOICE_STATES = ["paid", "ended"] as const;

/** Effect of a payment: created a key, moved its end, or revived an expired one. */
export const PAYMENT_EFFECTS = ["created", "renewed", "revived"] as const;
export type PaymentEffect = (typeof PAYMENT_EFFECTS)[number];

/**
 * Source of a key's time. `change`: paid time moved to another row, after a plan change on the platform or when the
 * operator changed plans. `gift`: an administrator or a try-out. `extension`: an administrator. `credit`: for
 * downtime. `grace`: after a failed payment. `carried`: an end that was set without a record of its source.
 */
export const PAID_TIME_KINDS = [
  "payment",
  "trial",
  "change",
  "gift",
  "extension",
  "credit",
  "grace",
  "carried",
] as const;
export type PaidTimeKind = (typeof PAID_TIME_KINDS)[number];

/** Supported payment platforms; `generic` is the format of the specification. */
export const PAYMENT_ADAPTERS = ["generic", "stripe", "paddle", "lemonsqueezy", "whop", "gumroad"] as const;
export type PaymentAdapterName = (typeof PAYMENT_ADAPTERS)[number];

/** Requests that a subscriber confirms by mail. */
export const ACCOUNT_REQUESTS = ["delete", "address"] as const;
export type AccountRequestKind = (typeof ACCOUNT_REQUESTS)[number];

/** Topics of alerts to owners. */
export const ALERT_TOPICS = [
  "health",
  "payments_refused",
  "unmapped_product",
  "dead_letters",
  "disk_or_backup",
  "champion_demoted",
  "silent_clients",
  "own_model_late",
] as const;
export type AlertTopic = (typeof ALERT_TOPICS)[number];

/** Delivery methods of alerts. */
export const ALERT_METHODS = ["mail", "telegram", "webhook"] as const;
export type AlertMethod = (typeof ALERT_METHODS)[number];

/** State of a downtime credit. `declined`: by the operator. `void`: no key in force with an end could be extended. */
export const DOWNTIME_CREDIT_STATES = ["proposed", "granted", "declined", "void"] as const;
export type DowntimeCreditState = (typeof DOWNTIME_CREDIT_STATES)[number];

/** The event of the generic payment format that pays for access. */
export const INVOICE_PAID_EVENT = "payment.invoice_paid";
/** The events of the generic payment format that end access. */
export const REVOKING_EVENTS = [
  "payment.invoice_canceled",
  "payment.invoice_refunded",
  "payment.invoice_chargeback",
] as const;
export type RevokingEvent = (typeof REVOKING_EVENTS)[number];

/** Kinds of clock that pages can show times by: UTC, the visitor's local time, or the broker's time. */
export const CLOCK_KINDS = ["utc", "local", "broker"] as const;
export type ClockKind = (typeof CLOCK_KINDS)[number];

/** Kinds of ledger entries: see docs/decisions/ledger.md. */
export const LEDGER_KINDS = [
  "commitment",
  "reveal",
  "outcome",
  "candles",
  "claim",
  "promotion",
  "correction",
  "delay",
  "handover",
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** Why a signal is not revealed although its horizon should have ended. */
export type RevealDelayReason = "market_closed" | "slot_withdrawn" | "candles_missing";

/** Forecasters that the record scores: the model, a coin flip, and the frequencies of past outcomes. */
export const FORECASTERS = ["model", "coin", "frequencies"] as const;
export type Forecaster = (typeof FORECASTERS)[number];

/** Why a trading client did not trade a signal. */
export const NOT_TRADED_REASONS = [
  "SPREAD",
  "CONFIDENCE",
  "OWN_POSITION",
  "DAILY_LOSS",
  "DRAWDOWN",
  "MOST_POSITIONS",
  "HOURS",
  "TOO_LATE",
  "PAUSE",
  "VOLUME",
  "NO_SYMBOL",
  "TERMINAL_ERROR",
] as const;
export type NotTradedReason = (typeof NOT_TRADED_REASONS)[number];

/** Kinds of records that are deleted after a time. */
export const RETAINED_KINDS = [
  "sign-in-links",
  "sessions",
  "rejected-reports",
  "client-addresses",
  "fetches",
  "untraded-signals",
  "webhook-deliveries",
  "telegram-messages",
  "channel-deliveries",
  "audit-addresses",
  "mails",
  "probes",
  "feature-values",
  "payment-payloads",
  "platform-customers",
  "candle-corrections",
  "execution-changes",
  "account-requests",
  "alert-posts",
  "alerts",
  "invoices-of-deleted",
] as const;
export type RetainedKind = (typeof RETAINED_KINDS)[number];
