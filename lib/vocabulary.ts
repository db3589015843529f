/**
 * The words of the product, each list once: the schema, SQL checks, contracts, pages and mails are made from these.
 * Imports nothing.
 */

/** The plans of the interface, which always exist, in order of rank. An operator may add others. */
export const PLAN_TIERS = ["telegram", "basic", "pro", "owner"] as const;
/** The name of a plan: what `plan_tier` says on the wire. */
export type PlanTier = string;
/** What such a name looks like. */
export const PLAN_NAME = /^[a-z][a-z0-9_-]{1,23}$/;

/** What a signal says, in the order of every triple of probabilities. */
export const DIRECTIONS = ["BUY", "SELL", "NO_TRADE"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What a position is. */
export const SIDES = ["BUY", "SELL"] as const satisfies readonly Direction[];
export type Side = (typeof SIDES)[number];

/** The longest delay of a try-out key: after 12 candles the public record shows a signal and its outcome in any case. */
export const MOST_DELAY_CANDLES = 12;

/** The timeframes of MetaTrader 5, shortest first. */
// biome-ignore format: minutes, hours, longer
export const TIMEFRAMES = [
  "M1", "M2", "M3", "M4", "M5", "M6", "M10", "M12", "M15", "M20", "M30",
  "H1", "H2", "H3", "H4", "H6", "H8", "H12",
  "D1", "W1", "MN1",
] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];

/** What a round trip costs: price units, or a part of the entry price. */
export const COST_KINDS = ["absolute", "fraction"] as const;
export type CostKind = (typeof COST_KINDS)[number];

/** How a followed position ends: at its target, at its stop, or with its horizon. */
export const EXIT_REASONS = ["TP", "SL", "TIMEOUT"] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** What a training did with the recipe that forecasts. */
export const CHAMPION_CHANGES = ["kept", "promoted", "demoted"] as const;
export type ChampionChange = (typeof CHAMPION_CHANGES)[number];

/** Whose models an operator chose to forecast a slot; with both, one is shown and the other is kept beside it. */
export const FORECAST_SOURCES = ["built_in", "own", "both"] as const;
export type ForecastSource = (typeof FORECAST_SOURCES)[number];

/** By which way a subscription was shown a signal: the scan, a scan that waited, the stream, the history of its slot. */
export const FETCH_WAYS = ["scan", "wait", "stream", "history"] as const;
export type FetchWay = (typeof FETCH_WAYS)[number];

/** The calendars that are part of the service. Others are rows. */
export const CALENDARS = ["fx", "metal", "energy", "us_index", "us_share", "crypto"] as const;
export type BuiltInCalendar = (typeof CALENDARS)[number];
/** When a market trades: a built-in calendar, or one of the operator. */
export type CalendarName = string;
/** What the name of an operator's calendar looks like. */
export const CALENDAR_NAME = /^[a-z][a-z0-9_]{1,23}$/;
/** Calendars that are rows from the start: they can be changed and not removed. */
export const PRESET_CALENDARS = ["de_index", "uk_index", "jp_index"] as const;

/** What an operator may say of a day: no trading, an early close, or trading whatever the rules say. */
export const CALENDAR_DAY_KINDS = ["closed", "early", "open"] as const;
export type CalendarDayKind = (typeof CALENDAR_DAY_KINDS)[number];

/** Why a stored candle looks wrong. */
export const ODD_CANDLES = ["bad_tick", "split"] as const;
export type OddCandleKind = (typeof ODD_CANDLES)[number];

/** The texts that an operator writes. */
export const SITE_TEXTS = ["terms", "privacy", "imprint", "risk", "hypothetical"] as const;
export type SiteTextName = (typeof SITE_TEXTS)[number];
/** Those of them that a subscriber is asked to accept. */
export const ACCEPTED_TEXTS = ["terms", "risk"] as const satisfies readonly SiteTextName[];

/** What a logo may be. */
export const LOGO_TYPES = ["image/png", "image/webp"] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/**
 * How a feed of candles does: it works; it tries again after a failure; it stores nothing because its clock and ours
 * disagree; its source turned it away, which a person has to mend.
 */
export const FEED_STATES = ["ok", "waiting", "held", "refused"] as const;
export type FeedState = (typeof FEED_STATES)[number];

/** Feeds whose terms do not let others see their candles, unless the operator says otherwise. */
export const CLOSED_FEEDS: readonly string[] = ["oanda", "dukascopy"];

/** State of a trading client, by the time since its last call. */
export const EA_STATES = ["online", "delayed", "offline", "never"] as const;
export type EaStateName = (typeof EA_STATES)[number];
/** Up to so many minutes after its last call a client is `online`, ... */
export const ONLINE_MINUTES = 5;
/** ... and up to so many `delayed`; then it is `offline`. */
export const DELAYED_MINUTES = 30;

/** Hours after its end, or its suspension, in which a key may still report that a position was closed. */
export const CLOSING_WINDOW_HOURS = 72;

/** State of the service and of each of its parts. */
export const HEALTH_STATES = ["ok", "degraded", "down"] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** How the database's replica does. */
export const REPLICA_STATES = ["follows", "apart", "silent"] as const;

/** Why a balancer should send no requests to a process. */
export const NOT_READY_REASONS = ["stopping", "database_unavailable", "schema_not_current"] as const;
export type NotReadyReason = (typeof NOT_READY_REASONS)[number];

/** How bad an incident is. */
export const INCIDENT_SEVERITIES = ["degraded", "down"] as const satisfies readonly HealthState[];
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

/** Where an incident stands, as its updates say; `update` says nothing of it. */
export const INCIDENT_STAGES = ["investigating", "identified", "monitoring", "update", "resolved"] as const;
export type IncidentStage = (typeof INCIDENT_STAGES)[number];

/** A mail waits, is out, or was given up. */
export const MAIL_STATES = ["pending", "sent", "dead"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** What subscribers' own servers are told. */
export const WEBHOOK_EVENTS = ["signal.created", "signal.resolved", "model.changed", "key.expiring"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** What a subscriber sends to try an endpoint. */
export const TEST_EVENT = "endpoint.test";

/** An endpoint is served, or waits for its owner. */
export const ENDPOINT_STATES = ["active", "paused"] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];
/** Why it waits: its owner wanted it, ten tries failed, or the receiver answered 410. */
export const PAUSE_REASONS = ["by_owner", "failing", "gone"] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** A delivery waits, was taken, was given up, or fell outside what its receiver may see. */
export const DELIVERY_STATES = ["pending", "sent", "dead", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A message of signals, one that the service has to say, or the answer to a command. */
export const TELEGRAM_KINDS = ["signals", "notice", "reply"] as const;
export type TelegramKind = (typeof TELEGRAM_KINDS)[number];
/** `doubtful`: on its way when its process died, and never sent again. */
export const TELEGRAM_STATES = ["pending", "sending", "sent", "doubtful", "dead", "dropped"] as const;
export type TelegramState = (typeof TELEGRAM_STATES)[number];

/** Channels whose recipients and deliveries are kept in the same tables. Each is a file in `lib/outbound/channels`. */
export const CHANNELS = ["discord"] as const;
export type ChannelName = (typeof CHANNELS)[number];
/** What a recipient of a channel chooses from. */
export const CHANNEL_EVENTS = ["signal.created", "signal.no_trade", "signal.resolved", "incident"] as const;
export type ChannelEventName = (typeof CHANNEL_EVENTS)[number];

/**
 * What a key amounts to for requests: `closing` is the window after its end in which closings are still taken,
 * `suspended-closing` the same after its suspension.
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

/** What a subscriber's newest key amounts to for the operator: a replaced one counts as revoked. */
export const ACCESS_STATES = ["active", "expired", "suspended", "revoked", "none"] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

/** What is done to the keys of a whole list: stopped until they are reinstated, stopped for good, or reinstated. */
export const LIST_ACTS = ["suspend", "revoke", "reinstate"] as const;
export type ListAct = (typeof LIST_ACTS)[number];

/** What an administrator may do, from all to least: a role may what those after it may. */
export const ADMIN_ROLES = ["owner", "support", "reader"] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Who is signed in; a view is an administrator who looks at a subscriber's portal. */
export const SESSION_ROLES = ["subscriber", "admin", "view"] as const;

/** An invoice is paid once and ended for good. */
export const INVOICE_STATES = ["paid", "ended"] as const;

/** What a payment did: made a key, moved its end, or made an expired one work again. */
export const PAYMENT_EFFECTS = ["created", "renewed", "revived"] as const;
export type PaymentEffect = (typeof PAYMENT_EFFECTS)[number];

/**
 * Why a key has time: a payment, a trial, a plan that the platform changed, an administrator's gift or extension, a credit
 * for downtime, the grace after a failed payment, or an end that was written without the ledger, as before there was one.
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

/** Payment platforms whose deliveries are understood; `generic` is the one of the interface. */
export const PAYMENT_ADAPTERS = ["generic", "stripe", "paddle", "lemonsqueezy", "whop", "gumroad"] as const;
export type PaymentAdapterName = (typeof PAYMENT_ADAPTERS)[number];

/** What a subscriber asks for and confirms by mail. */
export const ACCOUNT_REQUESTS = ["delete", "address"] as const;
export type AccountRequestKind = (typeof ACCOUNT_REQUESTS)[number];

/** What owners may be told of. */
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

/** How they are told. */
export const ALERT_WAYS = ["mail", "telegram", "webhook"] as const;
export type AlertWay = (typeof ALERT_WAYS)[number];

/** Days for an outage wait a day for the operator, then are given, taken out of it, or have nobody left to go to. */
export const CREDIT_STATES = ["proposed", "granted", "declined", "void"] as const;
export type CreditState = (typeof CREDIT_STATES)[number];

/** The event of the payment platform that pays for access, ... */
export const PAID_EVENT = "payment.invoice_paid";
/** ... and those that end it. */
export const REVOKING_EVENTS = [
  "payment.invoice_canceled",
  "payment.invoice_refunded",
  "payment.invoice_chargeback",
] as const;
export type RevokingEvent = (typeof REVOKING_EVENTS)[number];

/** Whose clock times are read on. */
export const CLOCK_KINDS = ["utc", "local", "broker"] as const;
export type ClockKind = (typeof CLOCK_KINDS)[number];

/** What the ledger holds: see docs/decisions/ledger.md. */
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

/** Why a signal is not revealed although its horizon should be over. */
export type DelayReason = "market_closed" | "slot_withdrawn" | "candles_missing";

/** Whose probabilities and directions the record judges: the model's, and two bots that know nothing. */
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

/** Kinds of what is not kept for ever. */
export const RETAINED = [
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
export type Retained = (typeof RETAINED)[number];
