import type { Handle } from "@/db/client";
import { readSetting, writeSetting } from "./settings";

const SETTING = "forwarded_for_ignored";

/** X-Forwarded-For was ignored; `at` is when that was last recorded. */
export interface IgnoredForwardedFor {
  at: string;
}

/** Last time that a forwarded address was ignored, to the hour; null: never. */
export async function readIgnoredForwardedFor(handle: Handle): Promise<IgnoredForwardedFor | null> {
  return readSetting<IgnoredForwardedFor>(handle, SETTING);
}

/** Records it for the administrator's pages and the doctor. */
export async function writeIgnoredForwardedFor(handle: Handle, note: IgnoredForwardedFor): Promise<void> {
  await writeSetting(handle, SETTING, note);
}
