import type { Handle } from "@/db/client";
import { settingInForce } from "@/lib/settings/registry";

/** The days before the end of access at which its subscriber is told, the most first. */
export async function readNoticeDays(handle: Handle): Promise<number[]> {
  return (await settingInForce(handle, "end_notice")).days;
}
