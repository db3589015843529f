import type { Handle } from "@/db/client";
import { readSetting, writeSetting } from "./settings";

const SETTING = "last_backup";

/** The newest backup that was taken and found good. */
export interface BackupState {
  /** The moment that it shows. */
  takenAt: string;
  file: string;
  bytes: number;
  seconds: number;
  tables: number;
  rows: number;
  /** How it was tried: restored into an empty database and compared, or only read back and counted. */
  proof: "restored" | "read back";
}

/** The newest good backup; null: none yet. */
export async function readBackupState(handle: Handle): Promise<BackupState | null> {
  return readSetting<BackupState>(handle, SETTING);
}

/** Records a good backup. */
export async function writeBackupState(handle: Handle, state: BackupState): Promise<void> {
  await writeSetting(handle, SETTING, state);
}

const DRILL = "last_restore_drill";

/** The newest restore of a backup into an empty database that ended well, by command. */
export interface DrillState {
  at: string;
  file: string;
  rows: number;
  /** How long the restore took. */
  seconds: number;
}

/** The newest restore drill; null: none yet. */
export async function readDrillState(handle: Handle): Promise<DrillState | null> {
  return readSetting<DrillState>(handle, DRILL);
}

/** Records a restore drill that ended well. */
export async function writeDrillState(handle: Handle, state: DrillState): Promise<void> {
  await writeSetting(handle, DRILL, state);
}
