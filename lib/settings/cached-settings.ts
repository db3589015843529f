import type { DatabaseHandle } from "@/db/client";
import type { CachedSettingName } from "@/db/queries/cached-settings";
import { readSetting } from "@/db/queries/settings";
import { retiredVariables } from "@/lib/runtime/env";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { SETTINGS_BY_NAME, type SettingValues } from "./registry";
import { withRetiredVariables } from "./retired-variables";
import type { Setting } from "./setting";

/** A setting from the settings cache. */
export const cachedSetting = <N extends CachedSettingName>(name: N): SettingValues[N] =>
  inForce(name, settingsCache().now.settings[name]);

/** The setting read from the database, for a command that may run on an older schema. */
export const readStoredSetting = async <N extends CachedSettingName>(
  handle: DatabaseHandle,
  name: N,
): Promise<SettingValues[N]> => inForce(name, (await readSetting<unknown>(handle, name)) ?? undefined);

/**
 * The value of a setting: the stored one, otherwise that of a retired environment variable, which the first start of this
 * release has yet to store, otherwise the default.
 */
function inForce<N extends CachedSettingName>(name: N, stored: unknown): SettingValues[N] {
  const entry: Setting = SETTINGS_BY_NAME[name];
  const value = entry.read(stored);
  // The cast is safe: the entry of this name has parsed the value.
  return (
    stored === undefined ? withRetiredVariables(entry, value, retiredVariables()).after : value
  ) as SettingValues[N];
}
