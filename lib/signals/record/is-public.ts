import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";

/** Whether the operator shows the record to everyone. It is not shown while no database has said so. */
export async function isRecordPublic(): Promise<boolean> {
  const held = await settingsCache()
    .get()
    .catch(() => null);
  return held !== null && cachedSetting("public_record").isShown;
}
