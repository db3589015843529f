import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { CachedSettingName } from "@/db/queries/cached-settings";
import { writeSetting } from "@/db/queries/settings";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { SETTINGS_BY_NAME, type SettingValues } from "@/lib/settings/registry";

/** Applies a setting, with defaults for missing fields; null: as if never stored. */
export async function applySetting<N extends CachedSettingName>(
  name: N,
  value: Partial<SettingValues[N]> | null,
): Promise<void> {
  if (value === null) await db().execute(sql`delete from settings where name = ${name}`);
  else await writeSetting(db(), name, { ...SETTINGS_BY_NAME[name].byDefault, ...value });
  await settingsCache().readAgain();
}
