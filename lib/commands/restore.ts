/**
 * `npm run restore -- FILE [--to URL]`: restores a backup into an empty database and compares the two. `--drill` uses
 * a temporary database, which is dropped afterwards; in the service's own database it only records the drill.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { workerDb } from "@/db/client";
import { writeRestoreDrillState } from "@/db/queries/backup-state";
import { drillRestore, restoreService, withEitherPassphrase } from "@/lib/server/upkeep/backup";
import { exitWithUsage, readCommandLine } from "./command-line";
import { runOperatorCommand } from "./operator-command";

const USAGE = "npm run restore -- FILE [--drill | --to postgres://USER:PASSWORD@HOST/EMPTY_DATABASE]";

const { positionals, values } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { to: { type: "string" }, drill: { type: "boolean" } },
});
const [name] = positionals;
const { to, drill } = values;
if (
  name === undefined ||
  positionals.length > 1 ||
  (to !== undefined && (drill === true || !/^postgres(ql)?:\/\//.test(to)))
)
  exitWithUsage(USAGE);

await runOperatorCommand(async (url, config) => {
  const { backup } = config;
  if (backup === null) throw new Error("Set BACKUP_PASSPHRASE to the passphrase of the backup.");
  const path = existsSync(name) ? name : join(backup.dir, name);
  if (drill) {
    const state = await withEitherPassphrase(config, (passphrase) => drillRestore(path, passphrase, url));
    await writeRestoreDrillState(workerDb(), state);
    process.stdout.write(
      `drill: ${state.rows} rows restored in ${state.seconds} s, equal to the backup in number and checksum; ` +
        "the temporary database was dropped\n",
    );
    return;
  }
  const startedAt = performance.now();
  const { tables } = await withEitherPassphrase(config, (passphrase) =>
    restoreService(path, passphrase, to ?? url),
  );
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  process.stdout.write(
    `${Object.keys(tables).length} tables and ${rows} rows restored in ` +
      `${((performance.now() - startedAt) / 1000).toFixed(1)} s, equal to the backup in number and checksum\n` +
      "The backup does not contain the encryption keys. Start the service with those of the installation that made it: " +
      "ENCRYPTION_KEY, or the file DATA_DIR/secrets.json.\n",
  );
});
