import { db } from "@/db/client";
import { type BackupState, readBackupState } from "@/db/queries/backup-state";
import { readSchemaState, type SchemaState } from "@/db/schema-guard";

export type { BackupState, SchemaState };

/** The schema of the database beside this release, and the newest good backup. */
export async function readRelease(): Promise<{ schema: SchemaState; lastBackup: BackupState | null }> {
  const [schema, lastBackup] = await Promise.all([readSchemaState(db()), readBackupState(db())]);
  return { schema, lastBackup };
}
