import type { ReencryptionState } from "@/db/queries/encrypted-values";
import type { ReplicaState } from "@/db/replica";
import { backupPlan } from "@/lib/health/backup-age";
import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import { type Env, rotatingSecretNames } from "@/lib/runtime/env";
import { serviceSecret, serviceSecrets } from "@/lib/runtime/service-secrets";
import { SERVICE_SECRET_NAMES } from "@/lib/runtime/variables";

export interface ConfigurationEntry {
  name: string;
  value: string;
}

/** The configuration in force, for administrators. Of a secret it says only whether it is set, generated or entered on a page. */
export function describeConfiguration(config: Env): ConfigurationEntry[] {
  const plan = backupPlan(config);
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
    ...SERVICE_SECRET_NAMES.filter((name) => serviceSecrets(name).length > 0).map((name) => ({
      name,
      value: config.serviceSecrets[name].length > 0 ? "set" : "entered on its page",
    })),
    {
      name: "Encryption keys",
      value: config.encryptionKeys
        .map(({ version }, at) => `${version} (${at === 0 ? "encrypts" : "decrypts"})`)
        .join(", "),
    },
    { name: "Secrets accepted during rotation", value: rotatingSecretNames(config).join(", ") || "none" },
    {
      name: "OIDC_ISSUER",
      value: config.oidc === null ? "not set: administrators sign in by mail" : config.oidc.issuer,
    },
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
      value: mailWords(host(serviceSecret("SMTP_URL"))),
    },
    { name: "MAIL_FROM", value: config.mailFrom },
    { name: "MARKET_FEED", value: config.feeds.map(({ name }) => name).join(", ") || config.marketFeed },
    { name: "TRUST_PROXY_HOPS", value: String(config.trustProxyHops) },
    { name: "TRUST_PROXY_FROM", value: config.trustProxyFrom.join(", ") },
    { name: "DRAIN_DELAY_SECONDS", value: String(config.drainDelaySeconds) },
    {
      name: "Backups",
      value:
        plan === null
          ? "none: BACKUP_PASSPHRASE is not set"
          : `${plan.everyHours === 0 ? "by hand" : `every ${plan.everyHours} h`}, the newest ${plan.keep} kept`,
    },
    { name: "LOG_LEVEL", value: config.logLevel },
    { name: "WORKER", value: config.worker },
  ];
}

/** Progress of re-encrypting stored data with the current key; null if there is only one key. */
export function describeReencryption(config: Env, last: ReencryptionState | null): ConfigurationEntry | null {
  const [{ version }, ...others] = config.encryptionKeys;
  if (others.length === 0) return null;
  const value =
    last?.version !== version
      ? `re-encrypting with key ${version}`
      : last.nUnreadable > 0
        ? `${countWithNoun(last.nUnreadable, "value")} cannot be decrypted with any key`
        : last.nResealed > 0
          ? `${countWithNoun(last.nResealed, "value")} re-encrypted with key ${version}; checked again within the hour`
          : `all with key ${version}; the other keys can be removed`;
  return { name: "Encryption of stored secrets", value };
}

/** State of the replica for administrators; null without one. */
export function describeReadReplica(state: ReplicaState | null): ConfigurationEntry | null {
  if (state === null) return null;
  const { behind, failed } = state;
  const words = {
    follows:
      state.behindBytes === 0
        ? "has caught up"
        : `${formatBytes(state.behindBytes ?? 0)} and ${(state.behindSeconds ?? 0).toFixed(1)} s behind`,
    apart: "is not a replica of this database",
    silent: "does not answer",
  };
  const spared = `${behind + failed} by the database (${behind} because the replica was behind, ${failed} because it failed)`;
  return {
    name: "Replica",
    value: `${words[state.state]}; reads since the start: ${state.reads} by the replica, ${spared}`,
  };
}

const formatBytes = (bytes: number) => (bytes < 1e6 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`);

const mailWords = (smtpHost: string | null): string =>
  ({ resend: "Resend", smtp: `SMTP at ${smtpHost}`, outbox: "local outbox" })[mailTransport().name];
