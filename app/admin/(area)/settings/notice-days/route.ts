import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS } from "@/lib/admin/form-fields";
import { changeDocument } from "@/lib/admin/settings/change-document";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { parseNoticeDays } from "@/lib/outbound/mail/notice-days";
import { adminPaths } from "@/lib/paths";
import { invalidField } from "@/lib/wire/errors";

const NAME = "settings.notice_days";

/** POST: stores how many days before the end of access its subscriber is told, after showing whom that touches. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    days: z.string().max(60),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.accessSettings(),
  act: async ({ values, sent, actor }) => {
    const days = parseNoticeDays(values.days);
    if (days === null)
      throw invalidField("body", "days", "must be one to six numbers of 1 to 60, such as 7, 3, 1");
    const changed = await changeDocument(db(), { of: "end_notice", after: { days } }, values, actor);
    return backToForm(adminPaths.accessSettings(), changed, NAME, sent);
  },
});
