import { z } from "zod";
import { db } from "@/db/client";
import { pauseWords } from "@/lib/access/pauses";
import { Id, PauseTargetField, RequiredText, UtcMinute } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { intents } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { endPause, pauseSignals } from "@/lib/signals/pause-signals";

const common = { guard: adminOnly, page: () => adminPaths.signals() };

/** POST: pauses of signals. */
export const POST = intents({
  /** Pauses a slot, a symbol or everything. */
  pause: formRoute({
    ...common,
    name: "pause.start",
    fields: z.object({ target: PauseTargetField, reason: RequiredText(300), until: UtcMinute }),
    act: async ({ values: { target, reason, until }, actor }) => {
      await pauseSignals(db(), { ...target, reason, until }, actor, new Date());
      return `Paused: ${pauseWords(target)}. No signal of it is given out from now on.`;
    },
  }),

  "end-pause": formRoute({
    ...common,
    name: "pause.end",
    fields: z.object({ id: Id }),
    act: async ({ values, actor }) => {
      await endPause(db(), values.id, actor);
      return "The pause is over. The newest signals are given out again.";
    },
  }),
});
