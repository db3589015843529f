import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { endPause } from "@/lib/signals/pause-signals";

/** POST: ends a pause. */
export const POST = formRoute({
  name: "pause.end",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { id: string }) => adminPaths.signals(),
  act: async ({ actor, params }) => {
    await endPause(db(), parseId(params.id), actor);
    return {
      to: adminPaths.signals(),
      flash: { kind: "done", text: "The pause is over. The newest signals are given out again." },
    };
  },
});
