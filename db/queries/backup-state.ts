import type { DatabaseHandle } from "@/db/client";
import { deleteSettings, readSetting, readSettingRows, writeSetting } from "./settings";

const SETTING = "last_backup";

/** The newest verified backup. */
export interface BackupState {
  /** When taking it began, as an ISO timestamp; the snapshot that it contains is slightly newer. */
  takenAt: string;
  file: string;
  /** Backup folder of the process that took it; missing if an earlier release took it. */
  dir?: string;
  bytes: number;
  /** Duration of taking and verifying it. */
  seconds: number;
  tables: number;
  rows: number;
  /** How it was verified: restored into an empty database and compared, or only decrypted and read to its last line. */
  proof: "restored" | "read back";
}

export async function writeBackupState(handle: DatabaseHandle, state: BackupState): Promise<void> {
  await writeSetting(handle, SETTING, state);
}

const FIRST_TRY = "first_backup_try";

/** The worker's attempts to take the first backup of the database. */
export interface FirstBackupTry {
  /** Start of the newest attempt, as an ISO timestamp. */
  startedAt: string;
  /** Whether an attempt failed. */
  hasFailed: boolean;
}

/** The newest verified backup, and the attempts to take the first one; each is null if there was none. */
export interface BackupHistory {
  last: BackupState | null;
  firstTry: FirstBackupTry | null;
}

export async function readBackupHistory(handle: DatabaseHandle): Promise<BackupHistory> {
  const rows = await readSettingRows(handle, [SETTING, FIRST_TRY]);
  return {
    last: (rows.get(SETTING) as BackupState | undefined) ?? null,
    firstTry: (rows.get(FIRST_TRY) as FirstBackupTry | undefined) ?? null,
  };
}

export async function writeFirstBackupTry(handle: DatabaseHandle, attempt: FirstBackupTry): Promise<void> {
  await writeSetting(handle, FIRST_TRY, attempt);
}

const DRILL = "last_restore_drill";

/** The newest successful restore drill: a backup was restored into an empty database, as a test. */
export interface RestoreDrillState {
  at: string;
  file: string;
  rows: number;
  /** Duration of the restore. */
  seconds: number;
}

/** The newest successful restore drill; null: none. */
export async function readRestoreDrillState(handle: DatabaseHandle): Promise<RestoreDrillState | null> {
  return readSetting<RestoreDrillState>(handle, DRILL);
}

/** Deletes the state of backups, which in a restored database is that of the former installation. */
export async function deleteBackupState(handle: DatabaseHandle): Promise<void> {
  await deleteSettings(handle, [SETTING, FIRST_TRY, DRILL]);
}

export async function writeRestoreDrillState(
  handle: DatabaseHandle,
  state: RestoreDrillState,
): Promise<void> {
  await writeSetting(handle, DRILL, state);
}
