import { db } from "@/db/client";
import { readSchemaState, type SchemaState } from "@/db/known-migrations";
import { type BackupState, readBackupState } from "@/db/queries/backup-state";

export type { BackupState, SchemaState };

/** The schema of the database beside this release, and the newest good backup. */
export async function readRelease(): Promise<{ schema: SchemaState; lastBackup: BackupState | null }> {
  const [schema, lastBackup] = await Promise.all([readSchemaState(db()), readBackupState(db())]);
  return { schema, lastBackup };
}
