import { z } from "zod";
import { db } from "@/db/client";
import { findPlan } from "@/lib/access/plans";
import { ConfirmedField, RequiredText } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { sendNotice, sendTestMail } from "@/lib/outbound/mail/notices";
import { adminPaths } from "@/lib/paths";
import { countWithNoun } from "@/lib/runtime/count-with-noun";

/** POST: sends test mails and notices. */
export const POST = dispatchByIntent({
  /** Sends a test mail. */
  test: formRoute({
    name: "mail.test",
    guard: adminOnly,
    fields: z.object({ recipient: z.string().trim().max(254) }),
    page: () => adminPaths.mail(),
    act: async ({ values, actor }) => {
      const mailId = await sendTestMail(db(), values.recipient, actor);
      return {
        to: adminPaths.mailMessage(mailId),
        flash: {
          kind: "done",
          text: "Queued. Reload this page to see whether it was sent, and the response of the transport.",
        },
      };
    },
  }),

  /** Shows a preview of a notice, and sends it after confirmation. */
  notice: formRoute({
    name: "mail.notice",
    guard: adminOnly,
    fields: z.object({
      plan: z
        .string()
        .refine((name) => name === "all" || findPlan(name) !== undefined, "must be everyone or a plan"),
      title: RequiredText(120).refine((text) => !/\p{Cc}/u.test(text), "must be one line of text"),
      text: RequiredText(5_000).refine((text) => !/[^\P{Cc}\r\n\t]/u.test(text), "must be text"),
      notice_key: z.uuid("must be the key of the form"),
      confirmed: ConfirmedField,
    }),
    page: () => adminPaths.sendNotice(),
    act: async ({ values, actor }) => {
      const { plan, title, notice_key: noticeKey, confirmed } = values;
      const text = values.text.replaceAll("\r\n", "\n");
      if (!confirmed) {
        const shown = { plan, title, text, notice_key: noticeKey };
        return { flash: { kind: "form", form: "mail.notice", errors: {}, values: shown } };
      }
      const n = await sendNotice(db(), { noticeKey, plan: plan === "all" ? null : plan, title, text }, actor);
      return {
        to: adminPaths.mail({ kind: "notice" }),
        flash: { kind: "done", text: `Queued for ${countWithNoun(n, "person", "people")}.` },
      };
    },
  }),
});
