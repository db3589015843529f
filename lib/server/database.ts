import { setTimeout as pause } from "node:timers/promises";
import { db, directDatabaseUrl } from "@/db/client";
import { isEmbeddedDatabaseDown, startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { listSharedAddresses } from "@/db/queries/payment-deliveries";
import { requireDirectConnection } from "@/db/require-direct";
import { migrateRetiredSettings } from "@/lib/admin/settings/migrate-retired-settings";
import { type Env, env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

export interface OpenDatabase {
  /** Resolves when the schema is current and retired settings are carried over. */
  ready: Promise<void>;
  /** Stops the embedded database if this process owns it. */
  close(): Promise<void>;
}

/** Starts the embedded database when none is configured, and brings the schema up to date. */
export async function openDatabase(config: Env): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return { ready: migrateWhenReachable(), close: async () => undefined };
  const embedded = await startEmbeddedDatabase(config.dataDir);
  const closing = new AbortController();
  const watched = watchEmbeddedDatabase(config.dataDir, closing.signal);
  return {
    ready: migrateWhenReachable(),
    close: async () => {
      closing.abort();
      await watched;
      await embedded.leave();
    },
  };
}

const WATCH_MS = 500;
/** Pause after a failed start. On a full disk, for example, every start fails until there is space. */
const RETRY_MS = 2_000;

/** Restarts the embedded database after a crash, even when the process that owned it has ended. */
async function watchEmbeddedDatabase(dataDir: string, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    await pause(WATCH_MS, undefined, { signal: closing, ref: false }).catch(() => undefined);
    if (closing.aborted || !isEmbeddedDatabaseDown(dataDir)) continue;
    log("warn", "the embedded database went down and is being restarted");
    try {
      await startEmbeddedDatabase(dataDir);
    } catch (error) {
      log("warn", "could not start the embedded database", { error: errorFacts(error) });
      await pause(RETRY_MS, undefined, { signal: closing, ref: false }).catch(() => undefined);
    }
  }
}

/**
 * Logs the number of unreviewed groups of subscribers with the same e-mail address, at most 100. They are listed among
 * the payments that need review.
 */
async function reportSharedAddresses(): Promise<void> {
  const count = (await listSharedAddresses(db())).length;
  if (count > 0)
    log("warn", "groups of subscribers with one address need review on the page Payments", { count });
}

/** Migrates the schema and retired settings as soon as the database answers. */
const migrateWhenReachable = (): Promise<void> =>
  retryUntilReachable(async () => {
    const url = directDatabaseUrl();
    await requireDirectConnection(url, directVariable());
    await migrateDatabase(url);
    await migrateRetiredSettings(db());
    await reportSharedAddresses();
  }, directVariable());

const directVariable = () => (env().databaseDirectUrl === null ? "DATABASE_URL" : "DATABASE_DIRECT_URL");

/**
 * Repeats `work` until the database answers: the process stays up, answers 503 and recovers without a restart. Rejects
 * with any other error. `variable` is the environment variable with the database's address, named in the log.
 */
export async function retryUntilReachable<T>(work: () => Promise<T>, variable = "DATABASE_URL"): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const reason = env().databaseUrl === null ? undefined : `is ${variable} its address?`;
      log("warn", "the database is not reachable yet", { attempt, reason, error: errorFacts(error) });
      await pause(Math.min(5_000, 250 * attempt));
    }
  }
}
