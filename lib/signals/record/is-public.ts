import { operated } from "@/lib/runtime/operated";
import { heldSetting } from "@/lib/settings/held-settings";

/** Whether the operator publishes the record. Hidden until the database has confirmed the setting. */
export async function isRecordPublic(): Promise<boolean> {
  const held = await operated()
    .get()
    .catch(() => null);
  return held !== null && heldSetting("public_record").isShown;
}
