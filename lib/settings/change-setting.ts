import type { Database } from "@/db/client";
import { lockSettings, readSetting, writeSetting } from "@/db/queries/settings";
import type { Actor } from "@/lib/runtime/audit";
import type { SettingChangeResult, SettingFormHiddenFields } from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { invalidField } from "@/lib/wire/errors";
import { confirmChange } from "./confirm-change";
import { controlName } from "./fields";
import { SETTINGS_BY_NAME, type SettingName, type SettingValues } from "./registry";
import type { Setting, SettingProblem } from "./setting";

/** The entry of a setting, typed without its fields. */
const entryOf = (name: SettingName): Setting => SETTINGS_BY_NAME[name];

/**
 * Stores a setting if `submitted` confirms its present preview; otherwise returns the preview. Throws validation_failed
 * for an invalid value.
 */
export function changeSetting<N extends SettingName>(
  database: Database,
  name: N,
  after: SettingValues[N],
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  return changeSettingEntry(database, entryOf(name), after, submitted, actor);
}

/**
 * Stores the setting of an entry whose type is not known, if `submitted` confirms its present preview; otherwise
 * returns the preview. The caller has parsed `after` with the entry's schema. Throws validation_failed.
 */
export async function changeSettingEntry(
  database: Database,
  entry: Setting,
  after: Record<string, unknown>,
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  refuse(entry, entry.problem?.(after));
  const changed = await confirmChange<Record<string, unknown>>(
    database,
    {
      after,
      lock: async (tx) => {
        await lockSettings(tx);
        return entry.read(await readSetting<unknown>(tx, entry.row));
      },
      check: async (tx) => refuse(entry, await entry.missing?.(tx, after)),
      preview: async (tx, before) => ({ lines: await entry.preview(tx, { before, after }), cutsOff: 0 }),
      isMoving: true,
      write: async (tx) => {
        await writeSetting(tx, entry.row, after);
        await entry.apply?.(tx, after);
      },
      audit: () => entry.audit,
    },
    submitted,
    actor,
  );
  if (changed.outcome === "stored" && entry.isHeld) await settingsCache().readAgain();
  return changed;
}

function refuse(entry: Setting, problem: SettingProblem | null | undefined): void {
  const field = problem && entry.fields[problem.property];
  if (problem && field) throw invalidField("body", controlName(problem.property, field), problem.text);
}
