import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { z } from "zod";
import { type FeedPlan, parseMarketFeed } from "./feed-plan";
import { processWide } from "./process-wide";

/** What the service is called until its operator names it. */
export const DEFAULT_NAME = "Signal Delivery Service";

const blankIsUnset = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? undefined : value;
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(blankIsUnset, schema.optional());
const url = (protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`,
    );
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,6}$/, `must be a number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a number from ${min} to ${max}`);
const address = z
  .string()
  .trim()
  .refine((text) => text === "localhost" || isIP(text) !== 0, "must be an IP address or localhost");
const networks = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (parts) => parts.every(isNetwork),
    "must be IP addresses or networks such as 10.0.0.0/8, with commas",
  );
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a UUID");
const port = z
  .string()
  .regex(/^[0-9]{1,5}$/, "must be a port number")
  .transform(Number)
  .refine((number) => number <= 65_535, "must be a port number");
const count = (max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,7}$/, `must be a number from 0 to ${max}`)
    .transform(Number)
    .refine((n) => n <= max, `must be a number from 0 to ${max}`);
const secret = z.string().trim().min(1, "must not be blank");
/** A secret that stands in an address. */
const addressSecret = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{24,200}$/, "must be 24 to 200 letters, digits, - or _");
/** As Standard Webhooks spells it. */
const signingSecret = z
  .string()
  .trim()
  .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, "must be whsec_ and at least 24 bytes in Base64");
/** `version:key`, with commas; the first one seals. */
const versionedKeys = z.string().transform((text, context) => {
  const keys = text.split(",").map((part) => {
    const [, version, secret] = /^\s*([1-9][0-9]{0,3}):(\S+)\s*$/.exec(part) ?? [];
    return { version: Number(version), secret: secret ?? "" };
  });
  if (keys.some(({ secret }) => secret === ""))
    context.addIssue("must be versions and keys such as 2:KEY,1:KEY");
  if (new Set(keys.map(({ version }) => version)).size < keys.length)
    context.addIssue("must name each version once");
  return keys;
});

const marketFeed = z.string().transform((text, context) => {
  const plan = parseMarketFeed(text);
  if (!("problem" in plan)) return plan;
  context.addIssue(plan.problem);
  return z.NEVER;
});

/** What is not kept for ever, and for how many days unless the operator says otherwise. */
export const RETENTION_DAYS = {
  "sign-in-links": 1,
  sessions: 90,
  "rejected-reports": 90,
  "client-addresses": 90,
  fetches: 91,
  "webhook-deliveries": 30,
  "telegram-messages": 30,
  "channel-deliveries": 30,
  "audit-addresses": 180,
  mails: 180,
  probes: 400,
  "feature-values": 400,
  "payment-payloads": 730,
  "platform-customers": 1095,
  "candle-corrections": 730,
  "execution-changes": 730,
  "account-requests": 30,
  "alert-posts": 30,
  alerts: 180,
  "invoices-of-deleted": 3650,
} as const;
export type Retained = keyof typeof RETENTION_DAYS;

/** `what=days`, with commas, over these days; 0 keeps for ever. */
const retention = z.string().transform((text, context) => {
  const days: Record<Retained, number> = { ...RETENTION_DAYS };
  for (const part of text.split(",")) {
    const [, what = "", number = ""] = /^\s*([a-z-]+)=([0-9]{1,5})\s*$/.exec(part) ?? [];
    if (!isRetained(what)) context.addIssue(`must be ${Object.keys(RETENTION_DAYS).join("=, ")}= and days`);
    else days[what] = Number(number);
  }
  return days;
});
const isRetained = (what: string): what is Retained => Object.hasOwn(RETENTION_DAYS, what);

const Variables = z.object({
  NODE_ENV: optional(z.enum(["development", "production", "test"])),
  PORT: optional(port),
  HOST: optional(address),
  BASE_URL: optional(url(["http:", "https:"])),
  DATABASE_URL: optional(url(["postgres:", "postgresql:"])),
  DATABASE_DIRECT_URL: optional(url(["postgres:", "postgresql:"])),
  DATABASE_REPLICA_URL: optional(url(["postgres:", "postgresql:"])),
  DATA_DIR: optional(z.string()),
  ADMIN_SECRET: optional(secret),
  ADMIN_SECRET_PREVIOUS: optional(secret),
  PAYMENT_WEBHOOK_SECRET: optional(z.string()),
  PAYMENT_WEBHOOK_SECRET_PREVIOUS: optional(z.string()),
  STRIPE_WEBHOOK_SECRET: optional(z.string()),
  STRIPE_WEBHOOK_SECRET_PREVIOUS: optional(z.string()),
  PADDLE_WEBHOOK_SECRET: optional(z.string()),
  PADDLE_WEBHOOK_SECRET_PREVIOUS: optional(z.string()),
  LEMONSQUEEZY_WEBHOOK_SECRET: optional(z.string()),
  LEMONSQUEEZY_WEBHOOK_SECRET_PREVIOUS: optional(z.string()),
  PADDLE_SANDBOX_WEBHOOK_SECRET: optional(z.string()),
  WHOP_SANDBOX_WEBHOOK_SECRET: optional(z.string()),
  WHOP_WEBHOOK_SECRET: optional(z.string()),
  WHOP_WEBHOOK_SECRET_PREVIOUS: optional(z.string()),
  GUMROAD_WEBHOOK_SECRET: optional(addressSecret),
  GUMROAD_WEBHOOK_SECRET_PREVIOUS: optional(addressSecret),
  OWNER_API_KEY: optional(uuid),
  NEXTAUTH_SECRET: optional(secret),
  NEXTAUTH_SECRET_PREVIOUS: optional(secret),
  ENCRYPTION_KEY: optional(secret),
  ENCRYPTION_KEYS: optional(versionedKeys),
  UPSTASH_REDIS_REST_URL: optional(url(["http:", "https:"])),
  UPSTASH_REDIS_REST_TOKEN: optional(z.string()),
  REDIS_URL: optional(url(["redis:", "rediss:"])),
  RESEND_API_KEY: optional(z.string()),
  SMTP_URL: optional(url(["smtp:", "smtps:"])),
  MAIL_FROM: optional(z.string().refine((text) => /@/.test(text), "must be a mail address")),
  TELEGRAM_BOT_TOKEN: optional(
    z
      .string()
      .trim()
      .regex(/^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$/, "must be a token such as BotFather gives"),
  ),
  TELEGRAM_API_ROOT: optional(url(["http:", "https:"])),
  TELEGRAM_MODE: optional(z.enum(["polling", "webhook"], "must be polling or webhook")),
  MARKET_FEED: optional(marketFeed),
  OANDA_TOKEN: optional(secret),
  OANDA_API_ROOT: optional(url(["http:", "https:"])),
  CCXT_API_ROOT: optional(url(["http:", "https:"])),
  FEED_BACKFILL_CANDLES: optional(count(100_000)),
  TRUST_PROXY_HOPS: optional(
    z
      .string()
      .regex(/^[0-9]$/, "must be a number from 0 to 9")
      .transform(Number),
  ),
  TRUST_PROXY_FROM: optional(networks),
  ADMIN_FAILURES_PER_MIN: optional(whole(1, 100_000)),
  DRAIN_DELAY_SECONDS: optional(whole(0, 300)),
  KEY_OPEN_REQUESTS: optional(count(1_000)),
  LOG_LEVEL: optional(z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])),
  LOG_FILE: optional(z.string()),
  METRICS_TOKEN: optional(secret),
  METRICS_PORT: optional(port),
  METRICS_HOST: optional(address),
  WORKER_PORT: optional(port),
  AUDIT_WEBHOOK_URL: optional(url(["http:", "https:"])),
  AUDIT_WEBHOOK_SECRET: optional(signingSecret),
  WORKER: optional(z.enum(["inside", "none"])),
  PRELOAD_PAGES: optional(z.enum(["on", "off"], "must be on or off")),
  BACKUP_PASSPHRASE: optional(z.string().min(12, "must have at least 12 characters")),
  BACKUP_DIR: optional(z.string()),
  BACKUP_EVERY_HOURS: optional(whole(0, 720)),
  BACKUP_KEEP: optional(whole(1, 1_000)),
  RETENTION: optional(retention),
  PUBLIC_RECORD: optional(z.enum(["on", "off"])),
  PUBLIC_CANDLES: optional(z.enum(["on", "off"])),
  LEDGER_KEY: optional(secret.min(32, "must have at least 32 characters")),
});

/** A key of what is stored encrypted. ENCRYPTION_KEY is version 1. */
export interface EncryptionKey {
  version: number;
  secret: string;
}

/** Payment platforms with a secret of their own. */
export type SigningPlatform = "stripe" | "paddle" | "lemonsqueezy" | "whop" | "gumroad";

/** The configuration in force. Secrets are present here and nowhere else. */
export interface Env {
  production: boolean;
  test: boolean;
  port: number;
  /** The address that is listened on; null: every address of the machine. */
  host: string | null;
  /** Whether the operator has said what the base address is; without that it is a guess. */
  baseUrlIsSet: boolean;
  /** Public base address without a trailing slash. */
  baseUrl: string;
  /** null: the embedded database under dataDir. */
  databaseUrl: string | null;
  /** The same database without the pooler that databaseUrl leads to; null: there is none. */
  databaseDirectUrl: string | null;
  /** A replica of it that answers readings which may be large; null: there is none. */
  databaseReplicaUrl: string | null;
  dataDir: string;
  adminSecret: string;
  adminSecretGenerated: boolean;
  /** The one before, which still opens while callers change over; null: none. So with the two below. */
  adminSecretPrevious: string | null;
  paymentWebhookSecret: string | null;
  paymentWebhookSecretPrevious: string | null;
  /** What other payment platforms sign with: the present secret first, then the one before. None: not configured. */
  platformSecrets: Readonly<Record<SigningPlatform, readonly string[]>>;
  /** What the sandboxes of platforms sign with that mark their test events in no other way. None: not configured. */
  sandboxSecrets: Readonly<Partial<Record<SigningPlatform, readonly string[]>>>;
  ownerApiKey: string | null;
  nextauthSecret: string;
  nextauthSecretPrevious: string | null;
  /** The first one seals, every one opens. */
  encryptionKeys: readonly [EncryptionKey, ...EncryptionKey[]];
  upstash: { url: string; token: string } | null;
  redisUrl: string | null;
  resendApiKey: string | null;
  smtpUrl: string | null;
  mailFrom: string;
  /** null: nothing is sent to Telegram. */
  telegramBotToken: string | null;
  /** Where the Bot API answers, without a trailing slash. */
  telegramApiRoot: string;
  /** Whether the bot asks for updates or is sent them. */
  telegramMode: "polling" | "webhook";
  /** `feeds`: candles come from the feeds below, and from what is ingested. */
  marketFeed: "demo" | "off" | "feeds";
  /** In the order of MARKET_FEED: of two that bring the same slot the first one leads. */
  feeds: readonly FeedPlan[];
  oandaToken: string | null;
  /** Where OANDA's v20 interface answers, without a trailing slash. */
  oandaApiRoot: string;
  /** Another address of the exchange, for all its calls; tests point it at a local server. */
  ccxtApiRoot: string | null;
  /** How many candles of the past a feed asks for where a slot has none. */
  feedBackfillCandles: number;
  trustProxyHops: number;
  /** Addresses and networks of the proxies whose forwarded headers are believed. */
  trustProxyFrom: readonly string[];
  /** Wrong administrator secrets a minute, of all addresses together, after which further wrong ones get 429. */
  adminFailuresPerMin: number;
  /** From SIGTERM until the listener closes; meanwhile /api/health/ready is 503. */
  drainDelaySeconds: number;
  /** Requests of one key that may wait or stream at once. */
  openPerKey: number;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** null: standard output. */
  logFile: string | null;
  /** What opens /metrics as a bearer; null: the administrator secret alone. */
  metricsToken: string | null;
  /** A port that answers /metrics without a secret; null: none. */
  metricsPort: number | null;
  /** The address that it listens on, and workerPort too. */
  metricsHost: string;
  /** A port at which a worker of its own process answers probes and /metrics; null: none. */
  workerPort: number | null;
  /** The operator's own server that each entry of the audit log is posted to; null: none. */
  auditWebhook: { url: string; secret: string } | null;
  /** Whether this process runs the background jobs itself. */
  worker: "inside" | "none";
  /** Whether what makes pages is loaded after a start, or when the first page is asked for. */
  preloadPages: boolean;
  /** null: without a passphrase there are no backups. */
  backup: {
    passphrase: string;
    dir: string;
    /** 0: only by hand. */
    everyHours: number;
    keep: number;
  } | null;
  /** Days for which each kind is kept; 0: for ever. */
  retentionDays: Readonly<Record<Retained, number>>;
  /** Whether anyone may see the record and the ledger. */
  publicRecord: boolean;
  /** Whether anyone may download candles; null: those of the simulated market alone. */
  publicCandles: boolean | null;
  /** What the ledger's signing key is made from; null: the oldest encryption key. */
  ledgerKey: string | null;
}

/** A configuration that cannot be used. The message names every bad variable and no value. */
export class EnvError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join("\n")}`,
    );
    this.name = "EnvError";
  }
}

/** Loopback and private networks: where a proxy of one's own stands. */
const NEAR = ["127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];

/** Whether the text is an IP address, or one with the length of its network after a slash. */
function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^[0-9]{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

const GeneratedSecrets = z.object({ adminSecret: secret, nextauthSecret: secret, encryptionKey: secret });

/** Reads DATA_DIR/secrets.json, or creates it once with mode 0600. Two processes at once agree on one file. */
function generatedSecrets(dataDir: string): z.infer<typeof GeneratedSecrets> {
  const path = resolve(dataDir, "secrets.json");
  try {
    mkdirSync(dataDir, { recursive: true });
    createOnce(
      path,
      `${JSON.stringify(
        {
          adminSecret: randomBytes(24).toString("base64url"),
          nextauthSecret: randomBytes(32).toString("base64url"),
          encryptionKey: randomBytes(32).toString("base64url"),
        },
        null,
        2,
      )}\n`,
    );
  } catch {
    throw new EnvError(["DATA_DIR: is not a folder that this process can write to"]);
  }
  try {
    return GeneratedSecrets.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new EnvError(["DATA_DIR: its secrets.json cannot be used"]);
  }
}

/** Makes the file unless it exists. The finished file is linked into place, so that a reader never sees half of it. */
function createOnce(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Turns raw variables into the configuration. Throws EnvError with every problem at once. */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const parsed = Variables.safeParse(source);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${describe(issue)}`);
  const raw = parsed.success ? parsed.data : null;

  const given = (name: string) => Boolean(source[name]?.trim());
  if (given("DATABASE_URL")) {
    if (!given("NEXTAUTH_SECRET")) problems.push("NEXTAUTH_SECRET: is required when DATABASE_URL is set");
    if (!given("ENCRYPTION_KEY") && !given("ENCRYPTION_KEYS"))
      problems.push("ENCRYPTION_KEY: is required when DATABASE_URL is set");
  }
  if (raw?.ENCRYPTION_KEY && raw.ENCRYPTION_KEYS?.some(({ version }) => version === 1))
    problems.push("ENCRYPTION_KEYS: names version 1, which ENCRYPTION_KEY is");
  if (raw?.MARKET_FEED?.feeds.some(({ kind }) => kind === "oanda") && !given("OANDA_TOKEN"))
    problems.push("OANDA_TOKEN: is required when MARKET_FEED names oanda");
  // A Bot API server of one's own also sends to plain addresses.
  if (raw?.TELEGRAM_MODE === "webhook" && !given("TELEGRAM_API_ROOT") && !raw.BASE_URL?.startsWith("https:"))
    problems.push("TELEGRAM_MODE: webhook needs a BASE_URL with https, to which Telegram can send");
  if (given("DATABASE_DIRECT_URL") && !given("DATABASE_URL"))
    problems.push("DATABASE_DIRECT_URL: is set beside DATABASE_URL only");
  if (given("DATABASE_REPLICA_URL") && !given("DATABASE_URL"))
    problems.push("DATABASE_REPLICA_URL: is set beside DATABASE_URL only");
  if (given("UPSTASH_REDIS_REST_URL") !== given("UPSTASH_REDIS_REST_TOKEN")) {
    problems.push("UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN: are set together or not at all");
  }
  if (given("AUDIT_WEBHOOK_URL") !== given("AUDIT_WEBHOOK_SECRET"))
    problems.push("AUDIT_WEBHOOK_URL and AUDIT_WEBHOOK_SECRET: are set together or not at all");
  if (!raw || problems.length > 0) throw new EnvError(problems);

  const port = raw.PORT ?? 3000;
  // Unmarked, the bundler takes a path that it cannot know for the whole project.
  const dataDir = resolve(/* turbopackIgnore: true */ raw.DATA_DIR ?? ".data");
  const listed = raw.ENCRYPTION_KEYS ?? [];
  const complete = raw.ADMIN_SECRET && raw.NEXTAUTH_SECRET && (raw.ENCRYPTION_KEY || listed.length > 0);
  const generated = complete ? null : generatedSecrets(dataDir);
  const pick = (value: string | undefined, name: keyof z.infer<typeof GeneratedSecrets>) => {
    const chosen = value ?? generated?.[name];
    if (chosen === undefined) throw new EnvError([`${name}: could not be generated`]);
    return chosen;
  };
  const first = raw.ENCRYPTION_KEY ?? generated?.encryptionKey;
  const isListed = first === undefined || listed.some(({ version }) => version === 1);
  const [sealing, ...opening] = isListed ? listed : [...listed, { version: 1, secret: first }];
  if (sealing === undefined) throw new EnvError(["ENCRYPTION_KEY: could not be generated"]);

  return {
    production: raw.NODE_ENV === "production",
    test: raw.NODE_ENV === "test",
    port,
    host: raw.HOST ?? null,
    baseUrlIsSet: raw.BASE_URL !== undefined,
    baseUrl: (raw.BASE_URL ?? `http://localhost:${port}`).replace(/\/+$/, ""),
    databaseUrl: raw.DATABASE_URL ?? null,
    databaseDirectUrl: raw.DATABASE_DIRECT_URL ?? null,
    databaseReplicaUrl: raw.DATABASE_REPLICA_URL ?? null,
    dataDir,
    adminSecret: pick(raw.ADMIN_SECRET, "adminSecret"),
    adminSecretGenerated: raw.ADMIN_SECRET === undefined,
    adminSecretPrevious: raw.ADMIN_SECRET_PREVIOUS ?? null,
    paymentWebhookSecret: raw.PAYMENT_WEBHOOK_SECRET ?? null,
    paymentWebhookSecretPrevious: raw.PAYMENT_WEBHOOK_SECRET_PREVIOUS ?? null,
    platformSecrets: {
      stripe: inForce(raw.STRIPE_WEBHOOK_SECRET, raw.STRIPE_WEBHOOK_SECRET_PREVIOUS),
      paddle: inForce(raw.PADDLE_WEBHOOK_SECRET, raw.PADDLE_WEBHOOK_SECRET_PREVIOUS),
      lemonsqueezy: inForce(raw.LEMONSQUEEZY_WEBHOOK_SECRET, raw.LEMONSQUEEZY_WEBHOOK_SECRET_PREVIOUS),
      whop: inForce(raw.WHOP_WEBHOOK_SECRET, raw.WHOP_WEBHOOK_SECRET_PREVIOUS),
      gumroad: inForce(raw.GUMROAD_WEBHOOK_SECRET, raw.GUMROAD_WEBHOOK_SECRET_PREVIOUS),
    },
    sandboxSecrets: {
      paddle: inForce(raw.PADDLE_SANDBOX_WEBHOOK_SECRET, undefined),
      whop: inForce(raw.WHOP_SANDBOX_WEBHOOK_SECRET, undefined),
    },
    ownerApiKey: raw.OWNER_API_KEY?.toLowerCase() ?? null,
    nextauthSecret: pick(raw.NEXTAUTH_SECRET, "nextauthSecret"),
    nextauthSecretPrevious: raw.NEXTAUTH_SECRET_PREVIOUS ?? null,
    encryptionKeys: [sealing, ...opening],
    upstash:
      raw.UPSTASH_REDIS_REST_URL && raw.UPSTASH_REDIS_REST_TOKEN
        ? { url: raw.UPSTASH_REDIS_REST_URL, token: raw.UPSTASH_REDIS_REST_TOKEN }
        : null,
    redisUrl: raw.REDIS_URL ?? null,
    resendApiKey: raw.RESEND_API_KEY ?? null,
    smtpUrl: raw.SMTP_URL ?? null,
    mailFrom: raw.MAIL_FROM ?? `${DEFAULT_NAME} <no-reply@localhost.localdomain>`,
    telegramBotToken: raw.TELEGRAM_BOT_TOKEN ?? null,
    telegramMode: raw.TELEGRAM_MODE ?? "polling",
    telegramApiRoot: (raw.TELEGRAM_API_ROOT ?? "https://api.telegram.org").replace(/\/+$/, ""),
    marketFeed: raw.MARKET_FEED?.kind ?? (raw.DATABASE_URL ? "off" : "demo"),
    feeds: raw.MARKET_FEED?.feeds ?? [],
    oandaToken: raw.OANDA_TOKEN ?? null,
    oandaApiRoot: (raw.OANDA_API_ROOT ?? "https://api-fxpractice.oanda.com").replace(/\/+$/, ""),
    ccxtApiRoot: raw.CCXT_API_ROOT?.replace(/\/+$/, "") ?? null,
    feedBackfillCandles: raw.FEED_BACKFILL_CANDLES ?? 5_000,
    trustProxyHops: raw.TRUST_PROXY_HOPS ?? 0,
    trustProxyFrom: raw.TRUST_PROXY_FROM ?? NEAR,
    adminFailuresPerMin: raw.ADMIN_FAILURES_PER_MIN ?? 100,
    drainDelaySeconds: raw.DRAIN_DELAY_SECONDS ?? 0,
    openPerKey: raw.KEY_OPEN_REQUESTS ?? 3,
    logLevel: raw.LOG_LEVEL ?? "info",
    logFile: raw.LOG_FILE ?? null,
    metricsToken: raw.METRICS_TOKEN ?? null,
    metricsPort: raw.METRICS_PORT ?? null,
    metricsHost: raw.METRICS_HOST ?? raw.HOST ?? "127.0.0.1",
    workerPort: raw.WORKER_PORT ?? null,
    auditWebhook:
      raw.AUDIT_WEBHOOK_URL && raw.AUDIT_WEBHOOK_SECRET
        ? { url: raw.AUDIT_WEBHOOK_URL, secret: raw.AUDIT_WEBHOOK_SECRET }
        : null,
    worker: raw.WORKER ?? "inside",
    preloadPages: raw.PRELOAD_PAGES !== "off",
    backup:
      raw.BACKUP_PASSPHRASE === undefined
        ? null
        : {
            passphrase: raw.BACKUP_PASSPHRASE,
            dir: resolve(/* turbopackIgnore: true */ raw.BACKUP_DIR ?? join(dataDir, "backups")),
            everyHours: raw.BACKUP_EVERY_HOURS ?? 24,
            keep: raw.BACKUP_KEEP ?? 14,
          },
    retentionDays: raw.RETENTION ?? RETENTION_DAYS,
    publicRecord: raw.PUBLIC_RECORD !== "off",
    publicCandles: raw.PUBLIC_CANDLES === undefined ? null : raw.PUBLIC_CANDLES === "on",
    ledgerKey: raw.LEDGER_KEY ?? null,
  };
}

/** The secrets that open; one before counts only beside a present one. */
function inForce(present: string | undefined, previous: string | undefined): readonly string[] {
  return present === undefined ? [] : previous === undefined ? [present] : [present, previous];
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small" || issue.code === "custom" || issue.code === "invalid_format")
    return issue.message;
  return "is not usable";
}

/** The validated environment, parsed on first use: a build has no secrets and must not need any. */
export function env(): Env {
  return processWide("env", () => parseEnv(process.env));
}

/** Variables of former releases that are not read any more: a setting took their place, or a constant. */
const RETIRED = ["SHOP_URL", "HYPOTHETICAL_STATEMENT", "RESEND_BASE_URL", "OPEN_REQUESTS"] as const;
export type RetiredVariable = (typeof RETIRED)[number];

/** Those of them that are still set, with what stands in them. */
export function retiredVariables(): Partial<Record<RetiredVariable, string>> {
  return Object.fromEntries(
    RETIRED.flatMap((name) => {
      const value = process.env[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** What a process that this one starts is given: the same variables, and the market that this one chose where none is named. */
export function handedOn(): NodeJS.ProcessEnv {
  return { ...process.env, MARKET_FEED: process.env.MARKET_FEED?.trim() || env().marketFeed };
}
