import { z } from "zod";
import { subscriberFilters } from "@/app/admin/(area)/subscribers/_components/subscriber-filters";
import { db } from "@/db/client";
import { extendMany } from "@/lib/access/keys/extend-many";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { EXTEND_DAYS } from "./extend-days";

const { q, state, expiring, ea } = subscriberFilters();

/** POST: moves the end of access of everyone in a list that was looked at before. */
export const POST = formRoute({
  name: "key.extend_many",
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
    days: z.enum(EXTEND_DAYS, "must be one of the numbers of days"),
    shown: z
      .string()
      .regex(/^[0-9]{1,9}$/, "must be a number")
      .transform(Number),
  }),
  page: () => adminPaths.extendMany(),
  act: async ({ values: { days, shown, expiring: expiringDays, ...narrowed }, actor }) => {
    const filter = { ...narrowed, expiringDays };
    // A refusal comes back to the same list: another one would be another act.
    const to = adminPaths.extendMany({ ...narrowed, expiring: expiringDays });
    const n = await extendMany(db(), { filter, days: Number(days), shown }, actor);
    if (n === null)
      return {
        to,
        flash: { kind: "failed", text: "The list has changed meanwhile. Look at it again." },
      };
    return {
      to,
      flash: {
        kind: "done",
        text: `Access of ${n === 1 ? "one subscriber" : `${n} subscribers`} ends ${days} days later.`,
      },
    };
  },
});
