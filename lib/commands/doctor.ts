/**
 * `npm run doctor`: checks everything that the service depends on and gives advice. `--upgrade` instead predicts what
 * starting this build does to the database; `--bundle FILE` writes a support bundle. Exits with 1 if something is
 * wrong.
 */
import { writeFile } from "node:fs/promises";
import { type CheckResult, runDoctorChecks } from "@/lib/server/upkeep/doctor";
import { buildSupportBundle } from "@/lib/server/upkeep/support-bundle";
import { checkUpgrade } from "@/lib/server/upkeep/upgrade";
import { exitWithUsage, readCommandLine } from "./command-line";
import { runOperatorCommand } from "./operator-command";

const USAGE = "npm run doctor [-- --upgrade | --bundle FILE]";
const MARKS: Record<CheckResult["state"], string> = { ok: "ok   ", look: "look ", wrong: "WRONG" };

const { upgrade, bundle } = readCommandLine(USAGE, {
  options: { upgrade: { type: "boolean" }, bundle: { type: "string" } },
}).values;
if (upgrade && bundle !== undefined) exitWithUsage(USAGE);

await runOperatorCommand(async (url, config) => {
  if (bundle !== undefined) {
    // Never overwrites a file.
    await writeFile(bundle, await buildSupportBundle(config), { mode: 0o600, flag: "wx" });
    process.stdout.write(
      `${bundle}: read it before you send it. It holds no secret and no person's address.\n`,
    );
    return;
  }
  const findings = upgrade ? await checkUpgrade(url, config) : await runDoctorChecks(config);
  for (const { part, state, text, advice } of findings) {
    process.stdout.write(`${MARKS[state]}  ${part.padEnd(11)}  ${text}\n`);
    if (advice && state !== "ok") process.stdout.write(`${" ".repeat(20)}${advice}\n`);
  }
  const count = (state: CheckResult["state"]) => findings.filter((finding) => finding.state === state).length;
  process.stdout.write(`\n${count("ok")} ok, ${count("look")} to check, ${count("wrong")} wrong\n`);
  if (count("wrong") > 0) process.exitCode = 1;
});
