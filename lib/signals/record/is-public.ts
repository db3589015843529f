import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";

/** Whether the operator publishes the record; false if the settings cannot be read from the database. */
export async function isRecordPublic(): Promise<boolean> {
  const held = await settingsCache()
    .get()
    .catch(() => null);
  return held !== null && cachedSetting("public_record").isShown;
}
