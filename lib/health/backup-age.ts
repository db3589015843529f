import type { BackupState } from "@/db/queries/backup-state";
import type { Env } from "@/lib/runtime/env";
import { HOUR_MS } from "@/lib/time";

export interface BackupAge {
  /** null: none was ever taken. */
  hours: number | null;
  /** None for half as long again as the setting says, and an hour. */
  isLate: boolean;
}

/** How old the newest good backup is; null where none are configured. */
export function backupAge(backup: Env["backup"], last: BackupState | null, now: Date): BackupAge | null {
  if (backup === null) return null;
  const hours = last === null ? null : Math.max(0, now.getTime() - Date.parse(last.takenAt)) / HOUR_MS;
  const allowed = backup.everyHours * 1.5 + 1;
  return { hours, isLate: backup.everyHours > 0 && (hours === null || hours > allowed) };
}
