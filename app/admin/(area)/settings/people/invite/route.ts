import { z } from "zod";
import { db } from "@/db/client";
import { INVITATION_HOURS, inviteAdministrator } from "@/lib/access/people/administrators";
import { RequiredText } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { canMailReachPeople, MAIL_NOT_SENT_HINT } from "@/lib/outbound/mail/can-mail-reach-people";
import { adminPaths } from "@/lib/paths";
import { ADMIN_ROLES } from "@/lib/vocabulary";
import { Email } from "@/lib/wire/email";

/** POST: invites an administrator by mail. */
export const POST = formRoute({
  name: "people.invite",
  guard: adminOnly,
  fields: z.object({ name: RequiredText(60), email: Email, role: z.enum(ADMIN_ROLES, "must be a role") }),
  page: () => adminPaths.people(),
  act: async ({ values, actor }) => {
    await inviteAdministrator(db(), values, actor);
    return {
      to: adminPaths.people(),
      flash: {
        kind: "done",
        text: canMailReachPeople()
          ? `Invited. The mail is on its way; its link works for ${INVITATION_HOURS} hours.`
          : `Invited, but ${MAIL_NOT_SENT_HINT}`,
      },
    };
  },
});
