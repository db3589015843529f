import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { resendMail } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";

export const POST = dispatchByIntent({
  /**
   * Sends the mail again to the subscriber's current address, or to the stored one if the mail must keep its recipient
   * or has no subscriber.
   */
  resend: formRoute({
    name: "mail.resend",
    guard: adminOnly,
    fields: NoFields,
    page: ({ id }: { id: string }) => adminPaths.mailMessage(Number(id)),
    act: async ({ actor, params }) => {
      const successor = await resendMail(db(), parseId(params.id), actor);
      return {
        to: adminPaths.mailMessage(successor),
        flash: { kind: "done", text: "Queued again. It is sent within about a second." },
      };
    },
  }),
});
