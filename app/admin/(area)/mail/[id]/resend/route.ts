import { z } from "zod";
import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { resendMail } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({ recipient: z.string().trim().max(254) });

/** POST: sends a mail again, to a corrected address where one was typed. */
export const POST = formRoute({
  name: "mail.resend",
  guard: adminOnly,
  fields: Fields,
  page: ({ id }: { id: string }) => adminPaths.mailMessage(Number(id)),
  act: async ({ values, actor, params }) => {
    const successor = await resendMail(
      db(),
      parseId(params.id),
      values.recipient === "" ? {} : { recipient: values.recipient },
      actor,
    );
    return {
      to: adminPaths.mailMessage(successor),
      flash: { kind: "done", text: "Queued again. It leaves within about a second." },
    };
  },
});
