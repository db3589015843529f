import { type Database, directDatabaseUrl } from "@/db/client";
import { readBackupHistory, writeBackupState, writeFirstBackupTry } from "@/db/queries/backup-state";
import { backupPlan } from "@/lib/health/backup-age";
import { log } from "@/lib/runtime/log";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { HOUR_MS } from "@/lib/time";
import { takeBackup } from "./backup";

/**
 * Takes a backup when the newest recorded one is older than the configured interval. Does nothing if backups are off
 * or only taken by command.
 */
export async function takeDueBackup(database: Database, now: Date): Promise<void> {
  await settingsCache().get();
  const backup = backupPlan();
  if (backup === null || backup.everyHours === 0) return;
  const { last, firstTry } = await readBackupHistory(database);
  if (last !== null && now.getTime() - Date.parse(last.takenAt) < backup.everyHours * HOUR_MS) return;
  const attempt = { startedAt: now.toISOString(), hasFailed: firstTry?.hasFailed ?? false };
  if (last === null) await writeFirstBackupTry(database, attempt);
  const state = await takeBackup(directDatabaseUrl(), backup).catch(async (error) => {
    if (last === null) await writeFirstBackupTry(database, { ...attempt, hasFailed: true });
    throw error;
  });
  await writeBackupState(database, state);
  log("info", "a backup was taken", { kind: state.proof, count: state.rows, seconds: state.seconds });
}
