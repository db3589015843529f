import { operated } from "@/lib/runtime/operated";
import { heldSetting } from "@/lib/settings/held-settings";

/** Whether the operator shows the record to everyone. It is not shown while no database has said so. */
export async function isRecordPublic(): Promise<boolean> {
  const held = await operated()
    .get()
    .catch(() => null);
  return held !== null && heldSetting("public_record").isShown;
}
