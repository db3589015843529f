import { db } from "@/db/client";
import {
  type BackupState,
  type RestoreDrillState,
  readBackupHistory,
  readRestoreDrillState,
} from "@/db/queries/backup-state";
import { readSchemaState, type SchemaState } from "@/db/schema-guard";
import { type BackupAge, type BackupPlan, backupAge, backupPlan } from "@/lib/health/backup-age";

export type { SchemaState };

/** `plan` and `age` are null without configured backups; `last` and `lastDrill` before the first one. */
export interface BackupFacts {
  plan: BackupPlan | null;
  age: BackupAge | null;
  last: BackupState | null;
  lastDrill: RestoreDrillState | null;
}

/** The database's schema compared with this release, and the state of backups. */
export async function readSchemaAndBackupState(
  now: Date,
): Promise<{ schema: SchemaState; backup: BackupFacts }> {
  const [schema, backups, lastDrill] = await Promise.all([
    readSchemaState(db()),
    readBackupHistory(db()),
    readRestoreDrillState(db()),
  ]);
  const plan = backupPlan();
  return { schema, backup: { plan, age: backupAge(plan, backups, now), last: backups.last, lastDrill } };
}
