import { type Database, directDatabaseUrl } from "@/db/client";
import { readBackupState, writeBackupState } from "@/db/queries/backup-state";
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
  const last = await readBackupState(database);
  if (last !== null && now.getTime() - Date.parse(last.takenAt) < backup.everyHours * HOUR_MS) return;
  const state = await takeBackup(directDatabaseUrl(), backup);
  await writeBackupState(database, state);
  log("info", "a backup was taken", { kind: state.proof, count: state.rows, seconds: state.seconds });
}
