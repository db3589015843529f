import type { Handle } from "@/db/client";
import { settingInForce } from "@/lib/settings/registry";

/** Days before the end of access at which subscribers get a notice, largest first. */
export async function readNoticeDays(handle: Handle): Promise<number[]> {
  return (await settingInForce(handle, "end_notice")).days;
}
