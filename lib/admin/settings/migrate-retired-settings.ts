import { isDeepStrictEqual } from "node:util";
import type { Database, Transaction } from "@/db/client";
import { lockSettings, readSetting, readSettingRows, writeSetting } from "@/db/queries/settings";
import { addTextVersion, listTextVersions } from "@/db/queries/site";
import { recordAudit } from "@/lib/runtime/audit";
import { deprecatedVariables, type RetiredVariableName, retiredVariables } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { SETTINGS } from "@/lib/settings/registry";
import { withRetiredVariables } from "@/lib/settings/retired-variables";
import type { Setting } from "@/lib/settings/setting";

/**
 * Row with the names of variables that were set at an earlier start. They are not copied again: a setting that was
 * cleared since then must stay empty.
 */
const ROW = "carried_variables";
const ACTOR = { kind: "command" } as const;

/**
 * Runs at the start. Copies the values of retired variables, once, into settings that still have their default,
 * and converts rows of an older format. Logs what it copied, which variables are set but no longer read, and
 * which have another format now.
 */
export async function migrateRetiredSettings(
  database: Database,
  variables = retiredVariables(),
): Promise<void> {
  const done = await database.transaction(async (tx) => {
    await lockSettings(tx);
    const before = (await readSetting<string[]>(tx, ROW)) ?? [];
    const fresh = Object.fromEntries(
      Object.entries(variables).filter(([name]) => !before.includes(name)),
    ) as typeof variables;
    const carried: string[] = [];
    const rows = await readSettingRows(
      tx,
      SETTINGS.map(({ row }) => row),
    );
    for (const entry of SETTINGS)
      carried.push(...(await carryIntoSetting(tx, entry, rows.get(entry.row), fresh)));
    if (fresh.HYPOTHETICAL_STATEMENT && (await carryStatement(tx, fresh.HYPOTHETICAL_STATEMENT)))
      carried.push("HYPOTHETICAL_STATEMENT");
    if (Object.keys(fresh).length > 0) await writeSetting(tx, ROW, [...before, ...Object.keys(fresh)]);
    return { carried, left: Object.keys(variables).filter((name) => !carried.includes(name)) };
  });
  if (done.carried.length > 0) {
    log("info", "settings were carried over from a former release", {
      kind: done.carried.join(", "),
    });
    await settingsCache().readAgain();
  }
  if (done.left.length > 0) log("warn", "these variables are no longer read", { kind: done.left.join(", ") });
  const renamed = deprecatedVariables();
  if (renamed.length > 0) log("warn", "these variables have another form now", { kind: renamed.join(", ") });
}

/** Copies variables and an older row into a setting. Returns their names. */
async function carryIntoSetting(
  tx: Transaction,
  entry: Setting,
  stored: unknown,
  variables: Partial<Record<RetiredVariableName, string>>,
): Promise<string[]> {
  const before = entry.read(stored);
  const { after, names } = withRetiredVariables(entry, before, variables);
  const isOld = stored !== undefined && entry.upgrade !== undefined && !isDeepStrictEqual(stored, before);
  if (names.length === 0 && !isOld) return [];
  await writeSetting(tx, entry.row, after);
  await recordAudit(tx, { actor: ACTOR, ...entry.audit, details: { before: stored ?? null, after } });
  return isOld ? [...names, entry.name] : names;
}

/** Stores the statement about hypothetical results as the first version of its text, unless it has one. */
async function carryStatement(tx: Transaction, statement: string): Promise<boolean> {
  if ((await listTextVersions(tx, "hypothetical")).length > 0) return false;
  const content = statement.replaceAll("\\n\\n", "\n\n");
  const version = await addTextVersion(tx, "hypothetical", content);
  await recordAudit(tx, {
    actor: ACTOR,
    action: "text.change",
    target: `text/hypothetical/${version}`,
    details: { before: null, after: content },
  });
  return true;
}
