import { z } from "zod";
import { db } from "@/db/client";
import { pauseWords } from "@/lib/access/pauses";
import { PauseTargetField, UtcMinute } from "@/lib/admin/form-fields";
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
    reason: z.string().trim().min(1, "must not be empty").max(300, "must have at most 300 characters"),
    until: UtcMinute,
  }),
  page: () => adminPaths.signals(),
  act: async ({ values: { target, reason, until }, actor }) => {
    await pauseSignals(db("writes"), { ...target, reason, until }, actor, new Date());
    return {
      to: adminPaths.signals(),
      flash: {
        kind: "done",
        text: `Paused: ${pauseWords(target)}. No signal of it is given out from now on.`,
      },
    };
  },
});
