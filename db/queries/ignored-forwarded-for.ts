import type { DatabaseHandle } from "@/db/client";
import { readSetting, writeSetting } from "./settings";

const SETTING = "forwarded_for_ignored";

/** When X-Forwarded-For was ignored in nearly all requests, because they come from a proxy that is not trusted. */
export interface IgnoredForwardedFor {
  at: string;
}

/** The newest record, of which each process writes at most one in ten minutes; null: none. */
export async function readIgnoredForwardedFor(handle: DatabaseHandle): Promise<IgnoredForwardedFor | null> {
  return readSetting<IgnoredForwardedFor>(handle, SETTING);
}

/** Records that X-Forwarded-For was ignored in nearly all requests, for the administrator's pages and the command `doctor`. */
export async function writeIgnoredForwardedFor(
  handle: DatabaseHandle,
  note: IgnoredForwardedFor,
): Promise<void> {
  await writeSetting(handle, SETTING, note);
}
