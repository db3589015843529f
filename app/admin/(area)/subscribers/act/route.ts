import { z } from "zod";
import { subscriberFilters } from "@/app/admin/(area)/subscribers/_components/subscriber-filters";
import { db } from "@/db/client";
import { stopMany } from "@/lib/access/keys/stop-many";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { intents } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { STOP_KINDS } from "@/lib/vocabulary";

const { q, state, expiring, ea } = subscriberFilters();

const DONE = {
  suspend: "suspended. Their next request is refused; each can be reinstated on their own page.",
  revoke: "revoked for good. Their next request is refused.",
} as const;

/** POST: the forms of the list of subscribers. */
export const POST = intents({
  /** Suspends or revokes the keys of everyone in a list that was looked at before. */
  "stop-many": formRoute({
    name: "key.stop_many",
    guard: adminOnly,
    fields: z.object({
      q: q.reads,
      // Plans are rows: what is none narrows to nobody, and the number that was shown is not met.
      plan: z
        .string()
        .optional()
        .transform((name) => name || undefined),
      state: state.reads,
      expiring: expiring.reads,
      ea: ea.reads,
      act: z.enum(STOP_KINDS, "must be suspend or revoke"),
      typed_word: z.string().default(""),
      shown: z
        .string()
        .regex(/^[0-9]{1,9}$/, "must be a number")
        .transform(Number),
    }),
    page: () => adminPaths.stopMany(),
    act: async ({ values: { act, shown, typed_word, expiring: expiringDays, ...narrowed }, actor }) => {
      const filter = { ...narrowed, expiringDays };
      // A refusal comes back to the same list: another one would be another act.
      const to = adminPaths.stopMany({ ...narrowed, expiring: expiringDays });
      if (typed_word.trim() !== act.toUpperCase())
        return { to, flash: { kind: "failed", text: `Type ${act.toUpperCase()} to confirm.` } };
      const n = await stopMany(db(), { filter, act, shown }, actor);
      if (n === null)
        return {
          to,
          flash: { kind: "failed", text: "The list has changed meanwhile. Look at it again." },
        };
      return {
        to,
        flash: { kind: "done", text: `${n === 1 ? "One key is" : `${n} keys are`} ${DONE[act]}` },
      };
    },
  }),
});
