import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { paths } from "@/lib/paths";
import { acceptTexts } from "@/lib/subscribers/accept-texts";

/** POST: records the acceptance of the texts that were shown. */
export const POST = formRoute({
  name: "login.accept_texts",
  guard: subscriberOnly,
  fields: z.object({
    texts: z
      .string()
      .regex(/^(?:[0-9]{1,9}(?:,[0-9]{1,9}){0,9})?$/)
      .default("")
      .catch(""),
    next: z.string().optional(),
  }),
  page: () => paths.acceptTexts(),
  act: async ({ values, subscriber, actor }) => {
    const shown = values.texts.split(",").map(Number);
    const next = safeReturnPath(values.next, paths.portal());
    const isAccepted = await acceptTexts(db(), { userId: subscriber.userId, shown }, actor);
    return { to: isAccepted ? next : `${paths.acceptTexts(next)}&error=changed` };
  },
});
