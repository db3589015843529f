import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { parseNoticeDays, saveNoticeDays } from "@/lib/outbound/mail/notice-days";
import { adminPaths } from "@/lib/paths";
import { invalidField } from "@/lib/wire/errors";

/** POST: changes how many days before the end of access its subscriber is told. */
export const POST = formRoute({
  name: "settings.notice_days",
  guard: adminOnly,
  fields: z.object({ days: z.string().max(60) }),
  page: () => adminPaths.settings(),
  act: async ({ values, actor }) => {
    const days = parseNoticeDays(values.days);
    if (days === null)
      throw invalidField("body", "days", "must be one to six numbers of 1 to 60, such as 7, 3, 1");
    await saveNoticeDays(db("writes"), days, actor);
    return { to: adminPaths.settings(), flash: { kind: "done", text: "Saved." } };
  },
});
