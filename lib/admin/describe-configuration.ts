import type { ResealState } from "@/db/queries/sealed-values";
import type { ReplicaState } from "@/db/replica";
import type { Env } from "@/lib/runtime/env";

export interface ConfigurationEntry {
  name: string;
  value: string;
}

/** The configuration in force, for a person: secrets only as set, generated or missing. */
export function describeConfiguration(config: Env): ConfigurationEntry[] {
  const isSet = (value: unknown) => (value === null ? "not set" : "set");
  const host = (address: string | null) => (address === null ? null : new URL(address).host);
  return [
    { name: "BASE_URL", value: config.baseUrl },
    { name: "PORT", value: String(config.port) },
    { name: "HOST", value: config.host ?? "every address" },
    {
      name: "DATABASE_URL",
      value: config.databaseUrl === null ? "not set: embedded database" : (host(config.databaseUrl) ?? "set"),
    },
    {
      name: "DATABASE_DIRECT_URL",
      value:
        config.databaseDirectUrl === null ? "not set: no pooler" : (host(config.databaseDirectUrl) ?? "set"),
    },
    ...(config.databaseReplicaUrl === null
      ? []
      : [{ name: "DATABASE_REPLICA_URL", value: host(config.databaseReplicaUrl) ?? "set" }]),
    { name: "DATA_DIR", value: config.dataDir },
    { name: "ADMIN_SECRET", value: config.adminSecretGenerated ? "generated" : "set" },
    { name: "PAYMENT_WEBHOOK_SECRET", value: isSet(config.paymentWebhookSecret) },
    {
      name: "Other payment platforms",
      value:
        Object.entries(config.platformSecrets)
          .flatMap(([name, secrets]) => (secrets.length > 0 ? [name] : []))
          .join(", ") || "none",
    },
    {
      name: "Encryption keys",
      value: config.encryptionKeys
        .map(({ version }, at) => `${version} (${at === 0 ? "seals" : "opens"})`)
        .join(", "),
    },
    { name: "Former secrets still taken", value: formerSecrets(config) },
    { name: "OWNER_API_KEY", value: isSet(config.ownerApiKey) },
    {
      name: "Rate limit store",
      value: config.upstash
        ? `Upstash at ${host(config.upstash.url)}`
        : config.redisUrl
          ? `Redis at ${host(config.redisUrl)}`
          : "this process",
    },
    {
      name: "Mail",
      value: config.resendApiKey
        ? "Resend"
        : config.smtpUrl
          ? `SMTP at ${host(config.smtpUrl)}`
          : "local outbox",
    },
    { name: "MAIL_FROM", value: config.mailFrom },
    { name: "MARKET_FEED", value: config.feeds.map(({ name }) => name).join(", ") || config.marketFeed },
    { name: "TRUST_PROXY_HOPS", value: String(config.trustProxyHops) },
    { name: "TRUST_PROXY_FROM", value: config.trustProxyFrom.join(", ") },
    { name: "ADMIN_FAILURES_PER_MIN", value: String(config.adminFailuresPerMin) },
    { name: "DRAIN_DELAY_SECONDS", value: String(config.drainDelaySeconds) },
    {
      name: "Backups",
      value:
        config.backup === null
          ? "none: BACKUP_PASSPHRASE is not set"
          : `${config.backup.everyHours === 0 ? "by hand" : `every ${config.backup.everyHours} h`} to ${config.backup.dir}, the newest ${config.backup.keep} kept`,
    },
    { name: "LOG_LEVEL", value: config.logLevel },
    { name: "WORKER", value: config.worker },
  ];
}

/** How far everything stored is sealed with the key in use; null where there is one key only. */
export function describeSealed(config: Env, last: ResealState | null): ConfigurationEntry | null {
  const [{ version }, ...others] = config.encryptionKeys;
  if (others.length === 0) return null;
  const value =
    last?.version !== version
      ? `being sealed anew with key ${version}`
      : last.nUnreadable > 0
        ? `${last.nUnreadable} values that no key opens`
        : last.nResealed > 0
          ? `${last.nResealed} values sealed anew with key ${version}; looked through once more within the hour`
          : `all with key ${version}: the others can be removed`;
  return { name: "Stored secrets are sealed", value };
}

/** How the replica does, for a person; null where there is none. */
export function describeReplica(state: ReplicaState | null): ConfigurationEntry | null {
  if (state === null) return null;
  const { behind, failed } = state;
  const words = {
    follows:
      state.behindBytes === 0
        ? "has caught up"
        : `${formatBytes(state.behindBytes ?? 0)} and ${(state.behindSeconds ?? 0).toFixed(1)} s behind`,
    apart: "is no copy of the database that follows it",
    silent: "does not answer",
  };
  const spared = `${behind + failed} by the database: ${behind} because it was behind, ${failed} because it failed`;
  return {
    name: "Replica",
    value: `${words[state.state]}; of the readings since the start it took ${state.reads}, ${spared}`,
  };
}

const formatBytes = (bytes: number) => (bytes < 1e6 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`);

function formerSecrets(config: Env): string {
  const names = Object.entries({
    ADMIN_SECRET_PREVIOUS: config.adminSecretPrevious,
    PAYMENT_WEBHOOK_SECRET_PREVIOUS: config.paymentWebhookSecretPrevious,
    NEXTAUTH_SECRET_PREVIOUS: config.nextauthSecretPrevious,
    ...Object.fromEntries(
      Object.entries(config.platformSecrets).map(([name, [, previous]]) => [
        `${name.toUpperCase()}_WEBHOOK_SECRET_PREVIOUS`,
        previous ?? null,
      ]),
    ),
  }).flatMap(([name, value]) => (value === null ? [] : [name]));
  return names.join(", ") || "none";
}
