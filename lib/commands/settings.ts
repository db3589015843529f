/**
 * `npm run settings -- export [FILE]`: writes every setting (plans, products, symbols, brand, texts, calendar days,
 * thresholds, single slots and the rest) as one JSON file, or to standard output. Entered secrets are left out.
 * `npm run settings -- import FILE [--trial] [--cut-off]`: stores such a file, all of it or nothing; with --trial it
 * only prints what would change. Settings that the file does not name stay unchanged. A plan that would leave
 * subscribers without any slot is refused with their number; --cut-off stores it anyway.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { db } from "@/db/client";
import { exportSettings, importSettings } from "@/lib/admin/settings/settings-file";
import { exitWithUsage, readCommandLine } from "./command-line";
import { runOperatorCommand } from "./operator-command";

const USAGE = "npm run settings -- export [FILE] | import FILE [--trial] [--cut-off]";

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { trial: { type: "boolean", default: false }, "cut-off": { type: "boolean", default: false } },
});
const [verb, file, ...others] = positionals;
if (others.length > 0 || (verb !== "export" && (verb !== "import" || file === undefined)))
  exitWithUsage(USAGE);

await runOperatorCommand(async () => {
  if (verb === "export") {
    const written = `${JSON.stringify(await exportSettings(db()), null, 2)}\n`;
    if (file === undefined) process.stdout.write(written);
    else writeFileSync(file, written, { mode: 0o600 });
    process.stderr.write("Secrets are not part of the file: enter them again where it is imported.\n");
    return;
  }
  const imported = await importSettings(
    db(),
    readJson(file ?? ""),
    { isTrial: values.trial, mayCutOff: values["cut-off"] },
    { kind: "command" },
  );
  if (!imported.ok) {
    process.stderr.write(`Nothing was stored.\n${imported.errors.map((error) => `  ${error}\n`).join("")}`);
    process.exitCode = 1;
    return;
  }
  const { changed } = imported;
  const done = values.trial ? "would change" : "changed";
  process.stdout.write(
    changed.length === 0
      ? "Nothing changes: the settings are already like this.\n"
      : `${changed.length} ${done}: ${changed.join(", ")}\n`,
  );
});

function readJson(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
}
