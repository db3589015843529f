import { db } from "@/db/client";
import { INVITATION_HOURS, resetSecondFactor } from "@/lib/access/people/administrators";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { canMailReachPeople, MAIL_NOT_SENT_HINT } from "@/lib/outbound/mail/can-mail-reach-people";
import { adminPaths } from "@/lib/paths";

/** POST: ends an administrator's authenticator and mails an invitation for a new one. */
export const POST = formRoute({
  name: "people.renew_factor",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { id: string }) => adminPaths.people(),
  act: async ({ actor, params }) => {
    await resetSecondFactor(db(), parseId(params.id), actor);
    return canMailReachPeople()
      ? `The former authenticator no longer works. The mail with the new one works for ${INVITATION_HOURS} hours.`
      : `The former authenticator no longer works, but ${MAIL_NOT_SENT_HINT}`;
  },
});
