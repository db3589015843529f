import type { BackupState } from "@/db/queries/backup-state";
import { type Env, env } from "@/lib/runtime/env";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { HOUR_MS } from "@/lib/time";

export interface BackupAge {
  /** Hours since the newest verified backup began; null: there is none. */
  hours: number | null;
  /**
   * No backup for longer than one and a half intervals plus an hour, or never. Always false if backups are taken by
   * command only.
   */
  isLate: boolean;
}

/** The backup configuration; null: backups are off. */
export function backupPlan({ backup }: Env = env()) {
  return backup === null ? null : { ...backup, ...cachedSetting("backups") };
}
export type BackupPlan = NonNullable<ReturnType<typeof backupPlan>>;

/** Age of the newest verified backup (`last`); null: backups are off. */
export function backupAge(backup: BackupPlan | null, last: BackupState | null, now: Date): BackupAge | null {
  if (backup === null) return null;
  const hours = last === null ? null : Math.max(0, now.getTime() - Date.parse(last.takenAt)) / HOUR_MS;
  const allowed = backup.everyHours * 1.5 + 1;
  return { hours, isLate: backup.everyHours > 0 && (hours === null || hours > allowed) };
}
