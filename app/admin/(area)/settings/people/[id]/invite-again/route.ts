import { z } from "zod";
import { db } from "@/db/client";
import { INVITATION_HOURS, renewInvitation } from "@/lib/access/people/administrators";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { canMailReachPeople, MAIL_NOT_SENT_HINT } from "@/lib/outbound/mail/can-mail-reach-people";
import { adminPaths } from "@/lib/paths";
import { Email } from "@/lib/wire/email";

/** POST: sends an invitation again, to a corrected address if one is given. */
export const POST = formRoute({
  name: "people.invite_again",
  guard: adminOnly,
  fields: z.object({ email: Email }),
  page: (_: { id: string }) => adminPaths.people(),
  act: async ({ values, actor, params }) => {
    await renewInvitation(db(), parseId(params.id), values.email, actor);
    return canMailReachPeople()
      ? `Invited again. The former link no longer works; the new one works for ${INVITATION_HOURS} hours.`
      : `Invited again, but ${MAIL_NOT_SENT_HINT}`;
  },
});
