import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { sendTestMail } from "@/lib/outbound/mail/notices";
import { adminPaths } from "@/lib/paths";

/** POST: sends a mail to try the transport. */
export const POST = formRoute({
  name: "mail.test",
  guard: adminOnly,
  fields: z.object({ recipient: z.string().trim().max(254) }),
  page: () => adminPaths.mail(),
  act: async ({ values, actor }) => {
    const mailId = await sendTestMail(db(), values.recipient, actor);
    return {
      to: adminPaths.mailMessage(mailId),
      flash: { kind: "done", text: "Queued. This page shows whether it left, and what the transport said." },
    };
  },
});
