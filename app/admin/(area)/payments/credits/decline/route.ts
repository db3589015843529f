import { z } from "zod";
import { db } from "@/db/client";
import { declineProposedDowntimeCredits } from "@/lib/access/keys/grant-credits";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import { DECLINE_ALL_WORD } from "./decline-all-word";

/** POST: declines all proposed credits. */
export const POST = formRoute({
  name: "credit.decline_many",
  guard: adminOnly,
  fields: z.object({
    shown: z
      .string()
      .regex(/^[0-9]{1,9}$/, "must be a number")
      .transform(Number),
    typed_word: z.string().default(""),
  }),
  page: () => adminPaths.credits(),
  act: async ({ values: { shown, typed_word }, actor }) => {
    const to = adminPaths.credits();
    if (typed_word.trim() !== DECLINE_ALL_WORD)
      return { to, flash: { kind: "failed", text: `Type ${DECLINE_ALL_WORD} to confirm.` } };
    await declineProposedDowntimeCredits(db(), shown, actor);
    return {
      to,
      flash: { kind: "done", text: `${countWithNoun(shown, "credit is", "credits are")} declined.` },
    };
  },
});
