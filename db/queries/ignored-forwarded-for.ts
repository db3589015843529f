import type { DatabaseHandle } from "@/db/client";
import { readSetting, writeSetting } from "./settings";

const SETTING = "forwarded_for_ignored";

/** When an X-Forwarded-For header was ignored, because the sender of the request is not a trusted proxy. */
export interface IgnoredForwardedFor {
  at: string;
}

/**
 * The newest record of an ignored X-Forwarded-For header, of which each process writes at most one an hour; null: none.
 */
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
