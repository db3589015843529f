import type { Handle } from "@/db/client";
import { readSetting, writeSetting } from "./settings";

const SETTING = "forwarded_for_ignored";

/** That X-Forwarded-For came and was not believed, and when it was last noted. */
export interface IgnoredHeader {
  at: string;
}

/** When a forwarded address was last not believed, to the hour; null: never. */
export async function readIgnoredHeader(handle: Handle): Promise<IgnoredHeader | null> {
  return readSetting<IgnoredHeader>(handle, SETTING);
}

/** Notes it for the administrator's pages and the doctor. */
export async function writeIgnoredHeader(handle: Handle, note: IgnoredHeader): Promise<void> {
  await writeSetting(handle, SETTING, note);
}
