import type { DatabaseHandle } from "@/db/client";
import { readSetting, writeSetting } from "./settings";

const SETTING = "forwarded_for_ignored";

/** When an X-Forwarded-For header was last ignored, because the sender of the request is not a trusted proxy. */
export interface IgnoredForwardedFor {
  at: string;
}

/** When an X-Forwarded-For header was last ignored, to the hour; null: never. */
export async function readIgnoredForwardedFor(handle: DatabaseHandle): Promise<IgnoredForwardedFor | null> {
  return readSetting<IgnoredForwardedFor>(handle, SETTING);
}

/** Records that an X-Forwarded-For header was ignored, for the administrator's pages and the command `doctor`. */
export async function writeIgnoredForwardedFor(
  handle: DatabaseHandle,
  note: IgnoredForwardedFor,
): Promise<void> {
  await writeSetting(handle, SETTING, note);
}
