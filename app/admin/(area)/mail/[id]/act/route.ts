import { z } from "zod";
import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { intents } from "@/lib/auth/intents";
import { resendMail } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";

/** POST: the form on the page of a mail. */
export const POST = intents({
  /** Sends the mail again, to a corrected address where one was typed. */
  resend: formRoute({
    name: "mail.resend",
    guard: adminOnly,
    fields: z.object({ recipient: z.string().trim().max(254) }),
    page: ({ id }: { id: string }) => adminPaths.mailMessage(Number(id)),
    act: async ({ values: { recipient }, actor, params }) => {
      const mailId = parseId(params.id);
      const successor = await resendMail(db(), mailId, recipient === "" ? {} : { recipient }, actor);
      return {
        to: adminPaths.mailMessage(successor),
        flash: { kind: "done", text: "Queued again. It leaves within about a second." },
      };
    },
  }),
});
