import { z } from "zod";
import { db } from "@/db/client";
import { pauseWords } from "@/lib/access/pauses";
import { PauseTargetField, RequiredText, UtcMinute } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { pauseSignals } from "@/lib/signals/pause-signals";

/** POST: pauses a slot, a symbol or everything. */
export const POST = formRoute({
  name: "pause.start",
  guard: adminOnly,
  fields: z.object({
    target: PauseTargetField,
    reason: RequiredText(300),
    until: UtcMinute,
  }),
  page: () => adminPaths.signals(),
  act: async ({ values: { target, reason, until }, actor }) => {
    await pauseSignals(db(), { ...target, reason, until }, actor, new Date());
    return {
      to: adminPaths.signals(),
      flash: {
        kind: "done",
        text: `Paused: ${pauseWords(target)}. No signal of it is given out from now on.`,
      },
    };
  },
});
