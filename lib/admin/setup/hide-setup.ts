import type { Database } from "@/db/client";
import { setSetupHidden } from "@/db/queries/setup-progress";
import { type Actor, recordAudit } from "@/lib/runtime/audit";

/** Hides the checklist on the overview, or shows it again. */
export async function changeSetupHidden(database: Database, isHidden: boolean, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    await setSetupHidden(tx, isHidden);
    await recordAudit(tx, { actor, action: isHidden ? "setup.hide" : "setup.show", target: "setup" });
  });
}
