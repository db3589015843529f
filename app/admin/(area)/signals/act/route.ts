import { z } from "zod";
import { db } from "@/db/client";
import { describePauseTarget } from "@/lib/access/pauses";
import { ConfirmedField, IdField, PauseTargetField, RequiredText, UtcMinute } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { queueStatusUpdateMails } from "@/lib/outbound/mail/notices";
import { adminPaths } from "@/lib/paths";
import { endPause, pauseSignals } from "@/lib/signals/pause-signals";

const common = { guard: adminOnly, page: () => adminPaths.signals() };

/** Must be typed before all signals are paused. */
const PAUSE_WORD = "PAUSE";

/** POST: starts and ends pauses of signals. */
export const POST = dispatchByIntent({
  /** Previews a pause of a slot, a symbol or everything, and starts it after confirmation. */
  pause: formRoute({
    ...common,
    name: "pause.start",
    fields: z.object({
      target: PauseTargetField,
      reason: RequiredText(300),
      until: UtcMinute,
      confirmed: ConfirmedField,
      typed_word: z.string().default(""),
    }),
    act: async ({ values, sent, actor }) => {
      const { target, reason, until, confirmed, typed_word: typedWord } = values;
      if (!confirmed) {
        const shown = { target: sent.target ?? "", reason, until: sent.until ?? "" };
        return { flash: { kind: "form", form: "pause.start", errors: {}, values: shown } };
      }
      if (target.symbol === null && typedWord.trim() !== PAUSE_WORD)
        return { flash: { kind: "failed", text: `Type ${PAUSE_WORD} to pause everything.` } };
      const title = `Status: ${describePauseTarget(target)} paused`;
      await pauseSignals(db(), { ...target, reason, until }, actor, new Date(), (tx, id) =>
        queueStatusUpdateMails(tx, { key: `pause/${id}`, title, message: reason }),
      );
      return target.symbol === null ? "All signals are paused." : `Paused: ${describePauseTarget(target)}.`;
    },
  }),

  "end-pause": formRoute({
    ...common,
    name: "pause.end",
    fields: z.object({ id: IdField }),
    act: async ({ values, actor }) => {
      await endPause(db(), values.id, actor);
      return "The pause has ended. The newest signals are delivered again.";
    },
  }),
});
