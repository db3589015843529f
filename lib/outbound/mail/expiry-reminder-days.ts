import type { DatabaseHandle } from "@/db/client";
import { settingInForce } from "@/lib/settings/registry";

/** Days before the end of access at which subscribers get a notice, largest first. */
export async function readExpiryReminderDays(handle: DatabaseHandle): Promise<number[]> {
  return (await settingInForce(handle, "end_notice")).days;
}
