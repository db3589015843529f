/**
 * `npm run backup [-- --into URL]`: takes and verifies a backup; `--into` then restores it into another, empty
 * database.
 */
import { join } from "node:path";
import { workerDb } from "@/db/client";
import { writeBackupState } from "@/db/queries/backup-state";
import { restoreBackup, takeBackup } from "@/lib/server/upkeep/backup";
import { readStoredSetting } from "@/lib/settings/cached-settings";
import { exitWithUsage, readCommandLine } from "./command-line";
import { runOperatorCommand } from "./operator-command";

const USAGE = "npm run backup [-- --into postgres://USER:PASSWORD@HOST/EMPTY_DATABASE]";

const { values } = readCommandLine(USAGE, { options: { into: { type: "string" } } });
const { into } = values;
if (into !== undefined && !/^postgres(ql)?:\/\//.test(into)) exitWithUsage(USAGE);

await runOperatorCommand(async (url, { backup }) => {
  if (backup === null) throw new Error("Set BACKUP_PASSPHRASE: without one no backup is written.");
  const state = await takeBackup(url, { ...backup, ...(await readStoredSetting(workerDb(), "backups")) });
  await writeBackupState(workerDb(), state);
  const path = join(backup.dir, state.file);
  const proof =
    state.proof === "restored"
      ? "restored into an empty database and compared"
      : "decrypted from beginning to end, not restored";
  process.stdout.write(
    `${path}: ${state.tables} tables, ${state.rows} rows, ${(state.bytes / 1e6).toFixed(1)} MB, ` +
      `${state.seconds} s, ${proof}\n`,
  );
  if (into === undefined) return;
  await restoreBackup(path, backup.passphrase, into);
  process.stdout.write("The other database has the same contents; set DATABASE_URL to it.\n");
});
