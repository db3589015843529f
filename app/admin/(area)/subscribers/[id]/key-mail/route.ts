import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { resendKeyMail } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";

/** POST: sends the mail with the subscriber's key again, as long as the key is still stored for it. */
export const POST = formRoute({
  name: "mail.resend_key",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ actor, params }) => {
    const mailId = await resendKeyMail(db(), parseId(params.id), actor);
    return {
      to: adminPaths.mailMessage(mailId),
      flash: { kind: "done", text: "Queued again. It leaves within about a second." },
    };
  },
});
