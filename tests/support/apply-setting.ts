import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { CachedSettingName } from "@/db/queries/cached-settings";
import { writeSetting } from "@/db/queries/settings";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { SETTINGS_BY_NAME, type SettingValues } from "@/lib/settings/registry";

/** Stores a setting, with the default of each missing field, or deletes it (null). Then reloads the settings cache. */
export async function applySetting<N extends CachedSettingName>(
  name: N,
  value: Partial<SettingValues[N]> | null,
): Promise<void> {
  if (value === null) await db().execute(sql`delete from settings where name = ${name}`);
  else await writeSetting(db(), name, { ...SETTINGS_BY_NAME[name].byDefault, ...value });
  await settingsCache().readAgain();
}
