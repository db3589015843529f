import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { ConfiguredFeed } from "./feed-plan";
import { processWide } from "./process-wide";
import { withSecretFiles } from "./secret-files";
import {
  DEFAULT_API_ROOTS,
  DEFAULT_TUNING,
  DEPRECATED_VARIABLES,
  parseVariables,
  type RotatedSecretName,
  SECRET_VARIABLES,
  SERVICE_SECRET_NAMES,
  type ServiceSecretName,
} from "./variables";

/** Name of the service until the operator sets one. */
export const DEFAULT_SERVICE_NAME = "Signal Delivery Service";

/** An encryption key for stored values. The key in the variable ENCRYPTION_KEY has version 1. */
export interface EncryptionKey {
  version: number;
  secret: string;
}

/** The validated configuration. It holds every secret that comes from variables or generated files. */
export interface Env {
  production: boolean;
  test: boolean;
  port: number;
  /** Address to listen on; null: every address of the machine. */
  host: string | null;
  /** Whether BASE_URL is set. Otherwise `baseUrl` is http://localhost with the port. */
  baseUrlIsSet: boolean;
  baseUrl: string;
  /** null: the embedded database under dataDir. */
  databaseUrl: string | null;
  /** Address of the same database without a connection pooler in between; null: not configured. */
  databaseDirectUrl: string | null;
  /** Address of a read replica for queries that may be large; null: not configured. */
  databaseReplicaUrl: string | null;
  /** Factor, at least 1, by which the time limits of all database pools but the worker's are multiplied. */
  databaseTimeoutFactor: number;
  dataDir: string;
  adminSecret: string;
  adminSecretGenerated: boolean;
  nextauthSecret: string;
  ownerApiKey: string | null;
  /** Values of `NAME_PREVIOUS` and `NAME_NEXT`, accepted in addition to the current secret during a rotation. */
  alternates: Readonly<Record<RotatedSecretName, readonly string[]>>;
  /**
   * Secrets of external services that variables set: the current one first, then its `_PREVIOUS` and `_NEXT` values.
   * Empty if the current one is not set.
   */
  serviceSecrets: Readonly<Record<ServiceSecretName, readonly string[]>>;
  /** The first key encrypts, every key decrypts. */
  encryptionKeys: readonly [EncryptionKey, ...EncryptionKey[]];
  upstash: { url: string; token: string } | null;
  redisUrl: string | null;
  mailFrom: string;
  /** Base address of the Telegram Bot API, without a trailing slash. */
  telegramApiRoot: string;
  /** `feeds`: candles come from the feeds below and from the ingest interface. */
  marketFeed: "demo" | "off" | "feeds";
  /** The feeds of MARKET_FEED in its order. If two deliver the same slot, candles of the first are used. */
  feeds: readonly ConfiguredFeed[];
  /** Base address of OANDA's v20 API, without a trailing slash. */
  oandaApiRoot: string;
  /** Replaces the address of every exchange; tests point it at a local server. null: each exchange's usual address. */
  ccxtApiRoot: string | null;
  /** Number of past candles that a feed requests for a slot without candles. */
  feedBackfillCandles: number;
  trustProxyHops: number;
  /** Addresses and networks of trusted proxies. Forwarded headers of others are ignored. */
  trustProxyFrom: readonly string[];
  /** Wrong administrator secrets per minute, over all addresses and replicas. Further wrong ones get 429. */
  adminFailuresPerMin: number;
  /** Seconds between SIGTERM and the closing of the listener; /api/health/ready answers 503 meanwhile. */
  drainDelaySeconds: number;
  /** Number of long polls and streams that one key may have open in a process at the same time. */
  openPerKey: number;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** null: standard output. */
  logFile: string | null;
  /** Bearer token for /metrics; null: only the administrator secret is accepted. */
  metricsToken: string | null;
  /** Port that serves /metrics without a secret; null: none. */
  metricsPort: number | null;
  /** Address of metricsPort and workerPort. */
  metricsHost: string;
  /** Port on which a separate worker process answers probes and /metrics; null: none. */
  workerPort: number | null;
  /** The operator's server that receives each entry of the audit log; null: none. */
  auditWebhook: { url: string; secret: string } | null;
  /** The OpenID Connect provider for administrators; null: none. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null;
  /** Whether this process runs the background jobs. */
  worker: "inside" | "none";
  /** true: start the page process with the server. false: start it at the first page request. */
  preloadPages: boolean;
  /** null: BACKUP_PASSPHRASE is not set, so no backups are taken. */
  backup: {
    passphrase: string;
    dir: string;
  } | null;
  /**
   * Secret from which releases up to 1.2.0 derived the ledger's signing key; null: they derived it from the oldest
   * encryption key.
   */
  ledgerKey: string | null;
}

/** An invalid configuration. The message names invalid variables and no value. */
export class EnvError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join("\n")}`,
    );
    this.name = "EnvError";
  }
}

/** Loopback and private networks: the default of TRUST_PROXY_FROM. */
const NEAR = ["127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];

const secret = z.string().trim().min(1);
const GeneratedSecrets = z.object({ adminSecret: secret, nextauthSecret: secret, encryptionKey: secret });

/**
 * Reads DATA_DIR/secrets.json, or creates it with mode 0600. Two processes that start together use the same file.
 * Throws EnvError if the folder cannot be written to or the file is invalid.
 */
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

/**
 * Creates the file unless it exists. The complete file is linked to its name, so that no other process reads half of
 * it.
 */
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

/**
 * Parses raw variables. Throws EnvError with all invalid variables at once. Secrets that were not given are read from
 * or written to DATA_DIR only if all variables are valid; EnvError then names DATA_DIR alone.
 */
export function parseEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const { source, problems } = withSecretFiles(variables, SECRET_VARIABLES);
  const parsed = parseVariables(source);
  problems.push(...parsed.problems);
  const raw = parsed.values;

  const given = (name: string) => Boolean(source[name]?.trim());
  if (given("DATABASE_URL")) {
    if (!given("NEXTAUTH_SECRET")) problems.push("NEXTAUTH_SECRET: is required when DATABASE_URL is set");
    if (!given("ENCRYPTION_KEY") && !given("ENCRYPTION_KEYS"))
      problems.push("ENCRYPTION_KEY: is required when DATABASE_URL is set");
  }
  if (raw?.ENCRYPTION_KEY && raw.ENCRYPTION_KEYS?.some(({ version }) => version === 1))
    problems.push("ENCRYPTION_KEYS: names version 1, which ENCRYPTION_KEY is");
  if (given("DATABASE_DIRECT_URL") && !given("DATABASE_URL"))
    problems.push("DATABASE_DIRECT_URL: needs DATABASE_URL");
  if (given("DATABASE_REPLICA_URL") && !given("DATABASE_URL"))
    problems.push("DATABASE_REPLICA_URL: needs DATABASE_URL");
  if (given("UPSTASH_REDIS_REST_URL") !== given("UPSTASH_REDIS_REST_TOKEN")) {
    problems.push("UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN: are set together or not at all");
  }
  if (given("AUDIT_WEBHOOK_URL") !== given("AUDIT_WEBHOOK_SECRET"))
    problems.push("AUDIT_WEBHOOK_URL and AUDIT_WEBHOOK_SECRET: are set together or not at all");
  const oidc = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"].filter(given);
  if (oidc.length === 1 || oidc.length === 2)
    problems.push("OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: are set together or not at all");
  if (!raw || problems.length > 0) throw new EnvError(problems);

  const port = raw.PORT ?? 3000;
  // The comment `turbopackIgnore` keeps the bundler from including the whole project, because it cannot know this path.
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

  const roots = raw.API_ROOTS ?? DEFAULT_API_ROOTS;
  const tuning = raw.TUNING ?? DEFAULT_TUNING;

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
    databaseTimeoutFactor: Math.max(1, tuning["timeout-factor"]),
    dataDir,
    adminSecret: pick(raw.ADMIN_SECRET, "adminSecret"),
    adminSecretGenerated: raw.ADMIN_SECRET === undefined,
    ownerApiKey: raw.OWNER_API_KEY?.toLowerCase() ?? null,
    nextauthSecret: pick(raw.NEXTAUTH_SECRET, "nextauthSecret"),
    alternates: parsed.alternates,
    serviceSecrets: serviceSecretsOf(raw, parsed.alternates),
    encryptionKeys: [sealing, ...opening],
    upstash:
      raw.UPSTASH_REDIS_REST_URL && raw.UPSTASH_REDIS_REST_TOKEN
        ? { url: raw.UPSTASH_REDIS_REST_URL, token: raw.UPSTASH_REDIS_REST_TOKEN }
        : null,
    redisUrl: raw.REDIS_URL ?? null,
    mailFrom: raw.MAIL_FROM ?? `${DEFAULT_SERVICE_NAME} <no-reply@localhost.localdomain>`,
    telegramApiRoot: roots.telegram,
    marketFeed: raw.MARKET_FEED?.kind ?? (raw.DATABASE_URL ? "off" : "demo"),
    feeds: raw.MARKET_FEED?.feeds ?? [],
    oandaApiRoot: roots.oanda,
    ccxtApiRoot: roots.ccxt || null,
    feedBackfillCandles: tuning.backfill,
    trustProxyHops: raw.TRUST_PROXY_HOPS ?? 0,
    trustProxyFrom: raw.TRUST_PROXY_FROM ?? NEAR,
    adminFailuresPerMin: tuning["admin-failures"],
    drainDelaySeconds: raw.DRAIN_DELAY_SECONDS ?? 0,
    openPerKey: tuning["open-requests"],
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
    oidc:
      raw.OIDC_ISSUER && raw.OIDC_CLIENT_ID && raw.OIDC_CLIENT_SECRET
        ? { issuer: raw.OIDC_ISSUER, clientId: raw.OIDC_CLIENT_ID, clientSecret: raw.OIDC_CLIENT_SECRET }
        : null,
    worker: raw.WORKER ?? "inside",
    preloadPages: tuning.preload > 0,
    backup:
      raw.BACKUP_PASSPHRASE === undefined
        ? null
        : {
            passphrase: raw.BACKUP_PASSPHRASE,
            dir: resolve(/* turbopackIgnore: true */ raw.BACKUP_DIR ?? join(dataDir, "backups")),
          },
    ledgerKey: raw.LEDGER_KEY ?? null,
  };
}

/**
 * Secrets of external services from variables. A `_PREVIOUS` or `_NEXT` value counts only if the current one is set.
 */
function serviceSecretsOf(
  raw: Partial<Record<ServiceSecretName, string | undefined>>,
  alternates: Readonly<Record<string, readonly string[]>>,
): Env["serviceSecrets"] {
  const values = SERVICE_SECRET_NAMES.map((name) => {
    const inUse = raw[name];
    return [name, inUse === undefined ? [] : [inUse, ...(alternates[name] ?? [])]] as const;
  });
  // The cast is safe: SERVICE_SECRET_NAMES has every name of the record.
  return Object.fromEntries(values) as Record<ServiceSecretName, string[]>;
}

/** Names of the secrets for which NAME_PREVIOUS or NAME_NEXT is set. */
export const rotatingSecretNames = ({ alternates }: Env): string[] =>
  Object.entries(alternates).flatMap(([name, { length }]) => (length > 0 ? [name] : []));

/** The configuration, parsed from the environment on first use, because a build has no secrets. Throws EnvError. */
export function env(): Env {
  return processWide("env", () => parseEnv(process.env));
}

/** Variables of former releases that are ignored, because a setting or a constant replaced them. */
const RETIRED = [
  "SHOP_URL",
  "HYPOTHETICAL_STATEMENT",
  "RESEND_BASE_URL",
  "OPEN_REQUESTS",
  "BACKUP_EVERY_HOURS",
  "BACKUP_KEEP",
  "RETENTION",
  "PUBLIC_RECORD",
  "PUBLIC_CANDLES",
  "TELEGRAM_MODE",
] as const;
export type RetiredVariableName = (typeof RETIRED)[number];

/** Variables of former releases that are set although they are ignored, with their values. */
export function retiredVariables(): Partial<Record<RetiredVariableName, string>> {
  return Object.fromEntries(
    RETIRED.flatMap((name) => {
      const value = process.env[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/**
 * Variables of former releases that are set and still read, each as `NAME (VARIABLE=part=...)` with its present form.
 */
export function deprecatedVariables(): string[] {
  return Object.entries(DEPRECATED_VARIABLES).flatMap(([name, [variable, part]]) =>
    process.env[name]?.trim() ? [`${name} (${variable}=${part}=...)`] : [],
  );
}

/**
 * The environment for a child process: the variables of this process, with MARKET_FEED set to the feed kind in use if
 * it is unset.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, MARKET_FEED: process.env.MARKET_FEED?.trim() || env().marketFeed };
}
