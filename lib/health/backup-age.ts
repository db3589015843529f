import type { BackupHistory } from "@/db/queries/backup-state";
import { type Env, env } from "@/lib/runtime/env";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { HOUR_MS } from "@/lib/time";

export interface BackupAge {
  /** Hours since the newest verified backup began; null: there is none. */
  hours: number | null;
  /**
   * No backup for longer than one and a half intervals plus an hour. Without any backup: an attempt to take the first one
   * failed, or has lasted for more than an hour. Always false if backups are taken by command only.
   */
  isLate: boolean;
}

/** The backup configuration; null: backups are off. */
export function backupPlan({ backup }: Env = env()) {
  return backup === null ? null : { ...backup, ...cachedSetting("backups") };
}
export type BackupPlan = NonNullable<ReturnType<typeof backupPlan>>;

/** Age of the newest verified backup; null: backups are off. */
export function backupAge(
  backup: BackupPlan | null,
  { last, firstTry }: BackupHistory,
  now: Date,
): BackupAge | null {
  if (backup === null) return null;
  const hoursSince = (at: string) => Math.max(0, now.getTime() - Date.parse(at)) / HOUR_MS;
  if (last === null) {
    const isLate = firstTry !== null && (firstTry.hasFailed || hoursSince(firstTry.startedAt) > 1);
    return { hours: null, isLate: backup.everyHours > 0 && isLate };
  }
  const hours = hoursSince(last.takenAt);
  return { hours, isLate: backup.everyHours > 0 && hours > backup.everyHours * 1.5 + 1 };
}
