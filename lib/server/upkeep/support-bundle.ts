import { open } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { availableParallelism, freemem, totalmem } from "node:os";
import { db } from "@/db/client";
import { readAppliedMigrations, readSchemaFloor } from "@/db/queries/applied-migrations";
import { listTableSizes, readDatabaseStatus } from "@/db/queries/database-status";
import { listLastJobRuns } from "@/db/queries/jobs";
import { MIGRATIONS } from "@/db/schema-guard";
import { describeConfiguration } from "@/lib/admin/describe-configuration";
import { readGauges } from "@/lib/health/read-gauges";
import { readHealth } from "@/lib/health/read-health";
import { childEnvironment, type Env } from "@/lib/runtime/env";
import { errorFacts } from "@/lib/runtime/log";
import { API_VERSION } from "@/lib/runtime/version";
import { runDoctorChecks } from "./doctor";

/** Bytes at the end of LOG_FILE that are searched for warnings. */
const LOG_BYTES = 4_194_304;
const LOG_LINES = 300;
/** Fields of a log line that are copied; none contains personal data. */
const LOG_FIELDS = [
  "time",
  "level",
  "msg",
  "route",
  "method",
  "status",
  "ms",
  "code",
  "kind",
  "job",
  "slot",
  "count",
  "reason",
  "component",
  "error",
];
const WARN = 40;
/** Shorter values of variables are not replaced: they are words such as "on", which also occur elsewhere. */
const MIN_SECRET_LENGTH = 6;

/**
 * The support bundle as JSON, with configuration, the doctor's report, facts about the database, and warnings of
 * LOG_FILE. It holds no secret, no personal or network address, and no row of a subscriber. Parts that cannot be read
 * say so.
 */
export async function buildSupportBundle(
  config: Env,
  variables: NodeJS.ProcessEnv = childEnvironment(),
): Promise<string> {
  const read = async <T>(part: () => Promise<T>) =>
    part().catch((error: unknown) => ({ unreadable: errorFacts(error) }));
  const bundle = {
    made_at: new Date().toISOString(),
    version: API_VERSION,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    memory_mb: { total: Math.round(totalmem() / 1e6), free: Math.round(freemem() / 1e6) },
    configuration: Object.fromEntries(describeConfiguration(config).map(({ name, value }) => [name, value])),
    doctor: await read(() => runDoctorChecks(config)),
    health: await read(() => readHealth()),
    database: await read(() => readDatabaseStatus(db())),
    schema: await read(async () => ({
      applied: await readAppliedMigrations(db()),
      floor_ms: await readSchemaFloor(db()),
      of_this_build: MIGRATIONS.at(-1),
    })),
    tables: await read(() => listTableSizes(db())),
    jobs: await read(() => listLastJobRuns(db())),
    figures: await read(() => readGauges()),
    log: await read(() => readWarnings(config.logFile)),
  };
  const secrets = secretsOf(variables, config);
  const redact = (_: string, value: unknown) =>
    typeof value === "string" ? redactSecretsAndAddresses(value, secrets) : value;
  return JSON.stringify(bundle, redact, 2);
}

/**
 * The last 300 warnings and errors in the last 4 MiB of the log, without personal fields; null: LOG_FILE is not set.
 */
async function readWarnings(logFile: string | null): Promise<object[] | null> {
  if (logFile === null) return null;
  const file = await open(logFile);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - LOG_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n");
    return lines.flatMap(parseWarning).slice(-LOG_LINES);
  } finally {
    await file.close();
  }
}

function parseWarning(line: string): object[] {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(line);
  } catch {
    // The first line is cut off, and packages may print lines that are not JSON.
    return [];
  }
  const { level } = parsed;
  if (typeof level !== "number" || level < WARN) return [];
  return [Object.fromEntries(LOG_FIELDS.flatMap((name) => (name in parsed ? [[name, parsed[name]]] : [])))];
}

/** Every secret value: those of the configuration and of its variables, and the passwords inside addresses. */
function secretsOf(variables: NodeJS.ProcessEnv, config: Env): string[] {
  return [...secretsIn(variables), ...secretsIn(config)].filter(
    (secret) => secret.length >= MIN_SECRET_LENGTH,
  );
}

function secretsIn(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    if (Array.isArray(value))
      return secretsIn(Object.fromEntries(value.map((each, n) => [`${name}${n}`, each])));
    if (typeof value === "object" && value !== null)
      return secretsIn(/secrets/i.test(name) ? { secrets: Object.values(value).flat() } : value);
    if (typeof value !== "string") return [];
    if (/secret|key|token|pass|credential/i.test(name)) return [value];
    if (!/url|root/i.test(name) || !URL.canParse(value)) return [];
    const { username, password, search } = new URL(value);
    return [username, password, decodeURIComponent(password), search.slice(1)];
  });
}

/** Replaces every secret and every mail or network address in the text. */
export function redactSecretsAndAddresses(text: string, secrets: readonly string[]): string {
  // Longest first, because one may be part of another.
  return secrets
    .toSorted((a, b) => b.length - a.length)
    .reduce((redacted, secret) => redacted.replaceAll(secret, "[secret]"), text)
    .replaceAll(/[^\s"'<>@\\/(),;:]+@[^\s"'<>@\\/(),;:]+/g, "[address]")
    .replaceAll(/\bwhsec_[\w+/=]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "[secret]")
    .replaceAll(/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, "[network]")
    .replaceAll(/[0-9a-f:]*:[0-9a-f:]+/gi, (text) => (isIPv6(text) ? "[network]" : text));
}
