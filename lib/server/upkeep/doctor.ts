import { resolveTxt } from "node:dns/promises";
import { statfs } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import {
  db,
  directDatabaseUrl,
  probeDatabase,
  WEB_CONNECTIONS,
  WORKER_PROCESS_CONNECTIONS,
} from "@/db/client";
import { readBackupHistory } from "@/db/queries/backup-state";
import { readClock } from "@/db/queries/clock";
import { listDisabledTimeouts, readDatabaseStatus } from "@/db/queries/database-status";
import { readIgnoredForwardedFor } from "@/db/queries/ignored-forwarded-for";
import { readLedgerState } from "@/db/queries/ledger";
import { closeReplica, readReplicaState } from "@/db/replica";
import { requireDirectConnection } from "@/db/require-direct";
import { isSchemaCurrent } from "@/db/schema-guard";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { backupAge, backupPlan } from "@/lib/health/backup-age";
import { readFeedHealth } from "@/lib/health/feed-health";
import { readServiceState } from "@/lib/health/service-state";
import { findUnreadableValues, namesOfValues } from "@/lib/health/unreadable-values";
import { brandOf } from "@/lib/runtime/brand";
import { NO_BRAND } from "@/lib/runtime/brand-settings";
import { type Env, rotatingSecretNames } from "@/lib/runtime/env";
import { bareIssuer, discoveryDocumentUrl } from "@/lib/runtime/oidc-issuer";
import { decryptStoredSecret, serviceSecret } from "@/lib/runtime/service-secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { withDeadline } from "@/lib/runtime/unavailable";
import { SERVICE_SECRET_NAMES } from "@/lib/runtime/variables";
import { minutesBetween, SECOND_MS } from "@/lib/time";

/** The result of one check, with advice if the operator must act. */
export interface CheckResult {
  part: string;
  /** `look`: it works, but the operator should know. */
  state: "ok" | "look" | "wrong";
  text: string;
  advice?: string;
}

type Check = (config: Env) => Promise<CheckResult[]>;

const CHECK_LIMIT_MS = 8 * SECOND_MS;

/** Runs all CHECKS. No result contains a secret. */
export async function runDoctorChecks(config: Env): Promise<CheckResult[]> {
  const findings = await Promise.all(
    Object.entries(CHECKS).map(async ([part, check]) => {
      try {
        return await withDeadline(check(config), CHECK_LIMIT_MS);
      } catch (error) {
        const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
        return [{ part, state: "wrong" as const, text: `could not be checked${code}` }];
      }
    }),
  );
  return findings.flat();
}

const database: Check = async (config) => {
  const part = "database";
  const startedAt = performance.now();
  const answers = probeDatabase().then(
    () => true,
    () => false,
  );
  if (!(await withDeadline(answers, CHECK_LIMIT_MS).catch(() => false))) {
    const advice = "Is it running, and is DATABASE_URL its address?";
    return [{ part, state: "wrong", text: "does not answer", advice }];
  }
  const connectMs = performance.now() - startedAt;
  const facts = await readDatabaseStatus(db());
  const latencies: number[] = [];
  for (let n = 0; n < 5; n++) {
    const from = performance.now();
    await readClock(db());
    latencies.push(performance.now() - from);
  }
  const latencyMs = latencies.toSorted((a, b) => a - b)[2] ?? 0;
  const major = Number.parseInt(facts.version, 10);
  const behind = config.databaseDirectUrl === null ? "no pooler" : "behind a pooler";
  const found: CheckResult[] = [
    {
      part,
      state: major < 15 || latencyMs > 50 ? "look" : "ok",
      text: `PostgreSQL ${facts.version}, ${behind}, ${latencyMs.toFixed(1)} ms for a statement, ${connectMs.toFixed(0)} ms to connect, ${facts.connections} of ${facts.maxConnections} connections`,
      ...(major < 15 ? { advice: "Upgrade to PostgreSQL 15 or newer." } : {}),
      ...(latencyMs > 50 ? { advice: "It is far away or busy: move it closer to the service." } : {}),
    },
  ];
  if (facts.connections > 0.8 * facts.maxConnections) {
    const advice = "Raise max_connections or put a PgBouncer in between: docs/operations, PgBouncer.";
    found.push({ part, state: "look", text: "most of its connections are in use", advice });
  }
  const most = WEB_CONNECTIONS + WORKER_PROCESS_CONNECTIONS;
  if (config.databaseDirectUrl === null && most > facts.maxConnections)
    found.push({
      part,
      state: "look",
      text: `a web replica and a worker take up to ${most} of its ${facts.maxConnections} connections`,
      advice: "Raise max_connections or put a PgBouncer in between: docs/operations, PgBouncer.",
    });
  if (!(await isSchemaCurrent(db()))) {
    const text = "its schema is older than this build";
    found.push({
      part,
      state: "look",
      text,
      advice: "Start the service once: it brings the schema up to date.",
    });
  }
  return [...found, ...(await pooler(config)), ...(await replica())];
};

/** The read replica, if one is configured. */
async function replica(): Promise<CheckResult[]> {
  const part = "replica";
  const state = await readReplicaState();
  await closeReplica();
  if (state === null) return [];
  if (state.state === "silent")
    return [
      { part, state: "wrong", text: "does not answer", advice: "Is DATABASE_REPLICA_URL its address?" },
    ];
  if (state.state === "apart") {
    const text = "is not a current replica of this database";
    return [{ part, state: "wrong", text, advice: "Recreate it: docs/operations, Replica." }];
  }
  const isLate = (state.behindSeconds ?? 0) > 60;
  const text = `follows, ${state.behindBytes} bytes and ${(state.behindSeconds ?? 0).toFixed(1)} s behind`;
  const advice = "It cannot keep up: reads use the primary meanwhile.";
  return [{ part, state: isLate ? "look" : "ok", text, ...(isLate ? { advice } : {}) }];
}

async function pooler(config: Env): Promise<CheckResult[]> {
  if (config.databaseUrl === null) return [];
  const variable = config.databaseDirectUrl === null ? "DATABASE_URL" : "DATABASE_DIRECT_URL";
  try {
    await requireDirectConnection(directDatabaseUrl(), variable);
    return config.databaseDirectUrl === null ? [] : await limitsOfRole();
  } catch (error) {
    const advice = error instanceof Error ? error.message : "";
    return [
      { part: "database", state: "wrong", text: `${variable} does not point to PostgreSQL itself`, advice },
    ];
  }
}

/** Behind a pooler the role must have the limits that a connection cannot set. */
async function limitsOfRole(): Promise<CheckResult[]> {
  const missing = await listDisabledTimeouts(db());
  if (missing.length === 0) return [];
  const text = `connections through the pooler have no ${missing.join(", ")}`;
  return [
    { part: "database", state: "wrong", text, advice: "Set them on the role: docs/operations, PgBouncer." },
  ];
}

const redis: Check = async (config) => {
  const part = "redis";
  const shared = sharedLimiter();
  if (shared === null) {
    const text = "none: each replica counts requests for itself";
    return [
      {
        part,
        state: config.databaseUrl === null ? "ok" : "look",
        text,
        advice: "Set REDIS_URL when there is more than one replica.",
      },
    ];
  }
  try {
    // Not measured, because the first call waits for the connection.
    await shared.redis.eval("return 1", [], []);
    const startedAt = performance.now();
    await shared.redis.eval("return 1", [], []);
    const ms = performance.now() - startedAt;
    return [{ part, state: ms > 20 ? "look" : "ok", text: `answers in ${ms.toFixed(1)} ms` }];
  } catch {
    const text = "does not answer: each replica counts for itself";
    return [{ part, state: "wrong", text, advice: "Is it running, and is its address right?" }];
  } finally {
    shared.close();
  }
};

const mail: Check = async (config) => {
  const part = "mail";
  // Read from the database, because mails are sent with the stored brand and the stored secret if these are set.
  const { brand } = await settingsCache()
    .read()
    .catch(() => ({ brand: NO_BRAND }));
  const [resendApiKey, smtpUrl] = [serviceSecret("RESEND_API_KEY"), serviceSecret("SMTP_URL")];
  if (resendApiKey === null && smtpUrl === null) {
    const text = "is not sent: mails are written to files in DATA_DIR/outbox";
    return [
      {
        part,
        state: config.marketFeed === "demo" ? "look" : "wrong",
        text,
        advice: "Enter one on the administrator's page Mail, or set RESEND_API_KEY or SMTP_URL.",
      },
    ];
  }
  const found: CheckResult[] = [];
  if (smtpUrl !== null && resendApiKey === null) {
    const { hostname, port, protocol } = new URL(smtpUrl);
    const isOpen = await opensTcp(hostname, Number(port || (protocol === "smtps:" ? 465 : 587)));
    found.push({
      part,
      state: isOpen ? "ok" : "wrong",
      text: isOpen ? "the SMTP server answers" : "the SMTP server cannot be reached",
    });
  }
  const sender = brandOf(brand).mailFrom;
  const domain = /@([^\s>]+)>?\s*$/.exec(sender)?.[1]?.toLowerCase() ?? "";
  if (!domain.includes(".") || domain.endsWith(".localdomain")) {
    const text = "the sender has no domain";
    return [
      ...found,
      {
        part,
        state: "wrong",
        text,
        advice: "Set MAIL_FROM, or the sender under Settings, Brand, to an address of yours.",
      },
    ];
  }
  const has = async (name: string, mark: RegExp) =>
    (await resolveTxt(name).catch(() => [])).some((record) => mark.test(record.join("")));
  const records = [
    { name: "SPF", there: await has(domain, /^v=spf1\b/i), where: domain },
    { name: "DMARC", there: await has(`_dmarc.${domain}`, /^v=DMARC1\b/i), where: `_dmarc.${domain}` },
  ];
  // The name of the DKIM key is the sender's choice; only Resend's is known.
  if (resendApiKey !== null) {
    const where = `resend._domainkey.${domain}`;
    records.push({ name: "DKIM", there: await has(where, /\bp=/), where });
  }
  return [
    ...found,
    ...records.map(
      ({ name, there, where }): CheckResult =>
        there
          ? { part, state: "ok", text: `${name} of ${domain} is published` }
          : {
              part,
              state: "look",
              text: `${name} was not found at ${where}`,
              advice: "Publish it as your mail provider describes: without it mails end up as spam.",
            },
    ),
  ];
};

const clock: Check = async () => {
  const before = Date.now();
  const there = await readClock(db());
  const offMs = Math.abs(there.getTime() - (before + Date.now()) / 2);
  const text = `${(offMs / SECOND_MS).toFixed(1)} s off the database's`;
  if (offMs < 2 * SECOND_MS) return [{ part: "clock", state: "ok", text }];
  return [
    {
      part: "clock",
      state: "look",
      text,
      advice: "Switch on time synchronisation (chrony) on both machines.",
    },
  ];
};

const proxy: Check = async (config) => {
  const part = "proxy";
  const seen = await readIgnoredForwardedFor(db());
  const text = `TRUST_PROXY_HOPS is ${config.trustProxyHops}`;
  if (seen !== null && minutesBetween(new Date(seen.at), await readClock(db())) < IGNORED_LATELY_MINUTES) {
    const advice =
      "A proxy seems to be in front. Set TRUST_PROXY_HOPS (and TRUST_PROXY_FROM): until then all visitors share one " +
      "address, and one of them can lock the administrator out.";
    return [{ part, state: "wrong", text: `${text}, and nearly all requests have X-Forwarded-For`, advice }];
  }
  if (config.trustProxyHops === 0 && config.baseUrl.startsWith("https:"))
    return [
      {
        part,
        state: "look",
        text: `${text} and BASE_URL is https`,
        advice: "Set it to the number of proxies in front.",
      },
    ];
  return [{ part, state: "ok", text }];
};

/**
 * Minutes for which a note of an ignored X-Forwarded-For counts. A process writes the note every ten minutes while nearly
 * all requests have the header.
 */
const IGNORED_LATELY_MINUTES = 30;
const CERTIFICATE_DAYS = 14;

const tls: Check = async ({ baseUrl, baseUrlIsSet }) => {
  const part = "tls";
  const { protocol, hostname, port } = new URL(baseUrl);
  if (!baseUrlIsSet) {
    const text = "BASE_URL is not set: links in mails point to localhost";
    return [{ part, state: "look", text, advice: "Set BASE_URL to the public address." }];
  }
  if (protocol !== "https:")
    return [
      { part, state: "look", text: "BASE_URL is not https", advice: "Put Caddy or nginx in front: deploy/." },
    ];
  const certificate = await peerCertificate(hostname, Number(port || 443));
  if (certificate === null) {
    const text = `${hostname} has no valid certificate`;
    return [{ part, state: "wrong", text, advice: "Is the proxy running, and does the name resolve to it?" }];
  }
  const days = Math.floor(minutesBetween(new Date(), new Date(certificate.valid_to)) / 1_440);
  const text = `the certificate of ${hostname} is valid for ${days} days`;
  if (days >= CERTIFICATE_DAYS) return [{ part, state: "ok", text }];
  return [{ part, state: "wrong", text, advice: "It is not being renewed: check the proxy's log." }];
};

const disk: Check = async ({ dataDir, backup }) => {
  const folders = { DATA_DIR: dataDir, ...(backup === null ? {} : { BACKUP_DIR: backup.dir }) };
  return Promise.all(
    Object.entries(folders).map(async ([name, folder]): Promise<CheckResult> => {
      const part = "disk";
      const facts = await statfs(folder).catch(() => null);
      if (facts === null) return { part, state: "look", text: `${name} does not exist yet` };
      const [free, share] = [facts.bavail * facts.bsize, facts.bavail / facts.blocks];
      const text = `${(free / 1e9).toFixed(1)} GB free under ${name} (${Math.round(100 * share)} %)`;
      if (share > 0.1 && free > 1e9) return { part, state: "ok", text };
      return {
        part,
        state: "wrong",
        text,
        advice: "Free space: a full disk stops backups, logs and the database.",
      };
    }),
  );
};

const STRONG_SECRET = 24;
const IDENTITY_MS = 5 * SECOND_MS;

const secrets: Check = async (config) => {
  const part = "secrets";
  const given = {
    ADMIN_SECRET: config.adminSecret,
    NEXTAUTH_SECRET: config.nextauthSecret,
    PAYMENT_WEBHOOK_SECRET: config.serviceSecrets.PAYMENT_WEBHOOK_SECRET[0] ?? null,
    METRICS_TOKEN: config.metricsToken,
    BACKUP_PASSPHRASE: config.backup?.passphrase ?? null,
    ...Object.fromEntries(
      config.encryptionKeys.map(({ version, secret }) => [`encryption key ${version}`, secret]),
    ),
  };
  const weak = Object.entries(given)
    .filter(([, secret]) => secret !== null && (secret.length < STRONG_SECRET || new Set(secret).size < 10))
    .map(([name]) => name);
  const found: CheckResult[] = [];
  if (weak.length > 0) {
    const advice = "Generate new ones with openssl rand -base64 32: docs/operations, Secrets.";
    found.push({ part, state: "look", text: `easy to guess: ${weak.join(", ")}`, advice });
  }
  const rotating = rotatingSecretNames(config);
  if (rotating.length > 0)
    found.push({
      part,
      state: "look",
      text: `a second value is accepted for ${rotating.join(", ")}`,
      advice: "Remove it when all clients have changed.",
    });
  await settingsCache()
    .read()
    .catch(() => undefined);
  const unreadable = SERVICE_SECRET_NAMES.filter((name) => {
    const stored = settingsCache().now.serviceSecrets.find((secret) => secret.name === name);
    const isUsed = stored !== undefined && config.serviceSecrets[name].length === 0;
    return isUsed && decryptStoredSecret(name, stored.valueEncrypted) === null;
  });
  if (unreadable.length > 0)
    found.push({
      part,
      state: "wrong",
      text: `no configured encryption key decrypts the stored ${unreadable.join(", ")}`,
      advice: "Set the encryption key that encrypted it, or enter the secret again.",
    });
  // The secrets of services are named above, each.
  const lost = (await findUnreadableValues(db())).filter((value) => value !== "serviceSecrets");
  if (lost.length > 0)
    found.push({
      part,
      state: "wrong",
      text: `no configured encryption key decrypts ${namesOfValues(lost)}`,
      advice: "Start the service with the encryption keys of the installation that stored them.",
    });
  const signing = SERVICE_SECRET_NAMES.filter((name) => name.endsWith("_WEBHOOK_SECRET"));
  if (signing.every((name) => serviceSecret(name) === null))
    found.push({ part, state: "look", text: "no payment platform has a secret: every payment is refused" });
  return found.length > 0 ? found : [{ part, state: "ok", text: "long and varied" }];
};

/** The administrators' identity provider, if one is configured. */
const identity: Check = async ({ oidc }) => {
  const part = "identity";
  if (oidc === null) return [];
  const { host } = new URL(oidc.issuer);
  const document = await fetch(discoveryDocumentUrl(oidc.issuer), {
    signal: AbortSignal.timeout(IDENTITY_MS),
  }).catch(() => null);
  const body: unknown = document?.ok ? await document.json().catch(() => null) : null;
  if (typeof body !== "object" || body === null || !("issuer" in body)) {
    const advice = "Is OIDC_ISSUER the provider's issuer? Until it answers, administrators sign in by mail.";
    return [{ part, state: "wrong", text: `${host} has no discovery document`, advice }];
  }
  if (bareIssuer(String(body.issuer)) === bareIssuer(oidc.issuer))
    return [{ part, state: "ok", text: `${host} matches OIDC_ISSUER` }];
  const text = `${host} names another issuer than OIDC_ISSUER`;
  return [{ part, state: "wrong", text, advice: "Set OIDC_ISSUER to `issuer` of its document." }];
};

const flow: Check = async () => {
  const now = await readClock(db());
  const { components } = await readServiceState(now);
  return components
    .filter(({ name }) => name === "candles" || name === "predictions" || name === "worker")
    .map((component): CheckResult => {
      const lag = "lagMinutes" in component ? component.lagMinutes : null;
      return {
        part: component.name,
        state: component.status === "ok" ? "ok" : component.status === "degraded" ? "look" : "wrong",
        text: lag === null ? "none yet" : `${Math.round(lag)} min since the last`,
        ...(component.status === "ok" ? {} : { advice: ADVICE[component.name] ?? "" }),
      };
    });
};

/** Whether the ledger can be signed. The worker stores why it refuses to. */
const ledger: Check = async () => {
  const [{ refusal }, lost] = await Promise.all([readLedgerState(db()), findUnreadableValues(db())]);
  const part = "ledger";
  if (lost.includes("ledgerKey"))
    return [{ part, state: "wrong", text: "no configured encryption key decrypts its signing key" }];
  if (refusal === null) return [{ part, state: "ok", text: "it can be signed" }];
  const text = `no checkpoint is signed: ${refusal}`;
  return [{ part, state: "wrong", text, advice: "See docs/operations/alerts.md, LedgerRefuses." }];
};

const feeds: Check = async (config) => {
  const found = await readFeedHealth(db(), config.feeds, await readClock(db()));
  return found.map(({ name, lastOkAt, trouble, needsPerson }): CheckResult => {
    const part = "feeds";
    if (trouble !== null)
      return {
        part,
        state: needsPerson ? "wrong" : "look",
        text: `${name} ${trouble}`,
        advice: "See the administrator's page Feeds, where you can also enter OANDA's token.",
      };
    return { part, state: "ok", text: lastOkAt === null ? `${name} has not started yet` : `${name} works` };
  });
};

const ADVICE: Record<string, string> = {
  candles: "Check your ingest of candles: POST /admin/ingest/candles, or npm run ingest.",
  predictions: "The administrator's page Signals lists slots without a fresh signal.",
  worker: "Start it: npm run worker, or a server without WORKER=none.",
};

const backup: Check = async (config) => {
  const part = "backup";
  const plan = backupPlan(config);
  const age = backupAge(plan, await readBackupHistory(db()), await readClock(db()));
  if (plan === null || age === null) {
    const advice = "Set BACKUP_PASSPHRASE: docs/operations, Backup and restore.";
    return [{ part, state: "wrong", text: "none are taken", advice }];
  }
  const text =
    age.hours === null ? "there is none yet" : `the newest verified one is ${age.hours.toFixed(1)} h old`;
  const isMissing = age.hours === null && plan.everyHours > 0;
  if (!age.isLate && !isMissing) return [{ part, state: "ok", text }];
  return [
    { part, state: "wrong", text, advice: "Run npm run backup: it takes one, or reports the problem." },
  ];
};

const CHECKS: Record<string, Check> = {
  database,
  redis,
  mail,
  clock,
  proxy,
  tls,
  disk,
  secrets,
  identity,
  flow,
  ledger,
  feeds,
  backup,
};

function opensTcp(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connectTcp({ host, port, timeout: 3 * SECOND_MS });
    const end = (isOpen: boolean) => {
      socket.destroy();
      done(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

function peerCertificate(host: string, port: number): Promise<PeerCertificate | null> {
  return new Promise((done) => {
    const socket = connectTls({ host, port, servername: host, timeout: 3 * SECOND_MS });
    const end = (certificate: PeerCertificate | null) => {
      socket.destroy();
      done(certificate);
    };
    socket.once("secureConnect", () => end(socket.getPeerCertificate()));
    socket.once("error", () => end(null));
    socket.once("timeout", () => end(null));
  });
}
